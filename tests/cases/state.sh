#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a task has been told: set, changed, cleared; handed to new threads, not to child processes;
# kept over exec; gone at exit, and not found again by who gets the pid next.
#
#	task --clone(thread)-->  told the same
#	     --fork----------->  not told
#	     --exec----------->  still told
#	     --exit----------->  nothing left
#
# timeout: 60

. lib/softaff.sh
begin 14

told() { task "$1" node; }
# how many are steered by the module's own count, which includes those that the table hides, and who
steered() { echo "$(sed -n 's/^tasks: //p' "$sys/state") $(tasks)"; }
forgotten() { [[ $(steered) == '0 ' ]]; }
threads() { echo "/proc/${pid[$1]}/task/"*; }

start hog hog -n 0 -m 4
ready hog
tell "${pid[hog]} 1"
nap 0.2
equal "$(told "${pid[hog]}") $(task "${pid[hog]}" curnode) $(preferred "${pid[hog]}")" '1 1 1' 'set: in the table, at home, and in /proc'
tell "${pid[hog]}/0"
nap 0.2
equal "$(told "${pid[hog]}") $(task "${pid[hog]}" curnode) $(preferred "${pid[hog]}")" '0 0 0' 'set again, written PID/NODE'
tell "${pid[hog]} -1"
equal "${f[errno]} $(told "${pid[hog]}")" '0 ' 'cleared by -1'
tell "${pid[hog]} 1"
tell "${pid[hog]} none"
equal "${f[errno]} $(told "${pid[hog]}")" '0 ' 'cleared by none'
tell "${pid[hog]} -1"
equal "${f[errno]}" 0 'cleared twice'

# Threads: those there already are not told, those that the told one makes are
tell "${pid[hog]} 1"
before=$(threads hog)
kill -HUP "${pid[hog]}"
nap 0.5
others=0 heirs=0
for task in $(threads hog); do
	tid=${task##*/}
	[[ $tid != "${pid[hog]}" ]] || continue
	if [[ " $before " == *" $task "* ]]; then
		[[ -z $(told "$tid") ]] || ((++others))
	elif [[ "$(told "$tid") $(task "$tid" tgid)" == "1 ${pid[hog]}" ]]; then
		((++heirs))
	fi
done
equal "$others" 0 'only the thread that is named is told'
equal "$heirs" 1 'a new thread inherits'
stop hog
nap 0.2
await 100 forgotten
equal "$(steered)" '0 ' 'exit leaves nothing'

# A shell that tells itself, forks and then becomes a hog
# shellcheck disable=SC2016 # the inner shell's
start shell bash -c 'echo $$ 1 >/sys/kernel/softaff/preferred_node
	sleep 30 & echo child=$!; exec hog -m 4'
ready shell
figures "$(<"$tmp/shell")"
equal "$(told "${pid[shell]}")" 1 'exec keeps it'
equal "$(told "${f[child]}")" '' 'a child process does not inherit'
kill "${f[child]}"
nap 0.3
equal "$(task "${pid[shell]}" curnode) $(task "${pid[shell]}" comm)" '1 hog' 'and is at home, under its new name'

# The next owner of the pid
old=${pid[shell]}
stop shell
for _ in {1..20}; do
	echo $((old - 1)) >/proc/sys/kernel/ns_last_pid
	start heir sleep 30
	[[ ${pid[heir]} != "$old" ]] || break
	stop heir
done
equal "${pid[heir]:-}" "$old" 'a pid came again'
equal "$(told "$old")" '' 'its new owner is not told'

# Many told and gone, so that task_structs come again too
for _ in {1..50}; do
	(echo "$BASHPID 1" >"$sys/preferred_node")
done
for i in {1..20}; do
	start "sleep$i" sleep 30
done
await 100 forgotten
equal "$(steered)" '0 ' 'fifty told and gone leave nothing to those after them'
