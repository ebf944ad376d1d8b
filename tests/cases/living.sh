#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Others on the same functions: tracers, probes, BPF programs, livepatches. Each goes on, and so does
# softaff, whoever came first; one who takes its place is told of.
#
#	function, function_graph, kprobe, kretprobe, fentry    both work, load and unload too
#	a livepatch on top                                     what it does not replace works; status names it
#	a cumulative livepatch                                 softaff is disabled, says so, and can be unloaded
#	a thread that holds up the transition                  named; enabled again if asked to
#
# kernels: ends
# timeout: 240

. lib/softaff.sh
. lib/settings.sh

tracing=/sys/kernel/tracing
mod=/opt/softaff/mod

trace_nothing()
{
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
	echo 0 >"$tracing/events/kprobes/enable"
	echo >"$tracing/kprobe_events"
	echo >"$tracing/trace"
} 2>/dev/null

other_away()
{
	gone /sys/kernel/livepatch/otherpatch || echo 0 >/sys/kernel/livepatch/otherpatch/enabled
	await 1000 gone /sys/kernel/livepatch/otherpatch
	await 200 modprobe -qr otherpatch || rmmod otherpatch
}

undo()
{
	trace_nothing
	gone /sys/module/otherpatch || other_away
	gone /sys/module/stuck || rmmod stuck
} 2>/dev/null

begin 29
trap 'undo; finish' EXIT
mapfile -t functions < <(sed '/^#/d; /^[^ ]* -/d' "$sys/hooks" | cut -d' ' -f2)

# works WHEN: a hog is at home when told, and the scheduler knows it
works()
{
	settled_hog
	tell "${pid[hog]} 1"
	equal "${f[on]} $(one "${pid[hog]}" reason) $(preferred "${pid[hog]}")" '1 home 1' "$1: softaff works"
	stop hog
}

# attach TRACER: that one, and probes and programs of every other kind
attach()
{
	printf '%s\n' "${functions[@]}" >"$tracing/set_ftrace_filter"
	echo "$1" >"$tracing/current_tracer"
	for name in task_numa_fault can_migrate_task; do
		echo "p:in_$name $name"
		echo "r:out_$name $name"
	done >"$tracing/kprobe_events"
	echo 1 >"$tracing/events/kprobes/enable"
	start fentry fentry task_numa_work can_migrate_task select_task_rq_fair
	ready fentry
}

detach()
{
	kill "${pid[fentry]}"
	await 300 gone "/proc/${pid[fentry]}"
	unset 'pid[fentry]'
	trace_nothing
}

# --- tracers on a patched kernel

echo 1 >/proc/sys/kernel/bpf_stats_enabled
attach function
works 'traced'
start hog hog -n 0 -m 8
ready hog
nap 2
stop hog
for name in task_numa_work can_migrate_task; do
	lines=$(grep -c "$name <-" "$tracing/trace")
	expect "lines > 0" "the function tracer sees $name" "$lines lines"
done
figures "$(awk '{ print $1 "=" $2 }' "$tracing/kprobe_profile")"
for name in task_numa_fault can_migrate_task; do
	expect "f[in_$name] > 0 && f[out_$name] > 0" "kprobe and kretprobe see $name" \
		"${f[in_$name]} in, ${f[out_$name]} out"
done

# --- in and out under them

unload
equal "$? $(ls -d /sys/module/softaff 2>/dev/null)" '0 ' 'unloaded while traced'
load
equal "$?" 0 'loaded while traced'
works 'loaded while traced'
kill -TERM "${pid[fentry]}"
await 300 said fentry task_numa_work=
figures "$(<"$tmp/fentry")"
expect 'f[task_numa_work] > 0 && f[can_migrate_task] > 0 && f[select_task_rq_fair] > 0' \
	'BPF programs at their entries run' "$(<"$tmp/fentry")"
detach 2>/dev/null
attach function_graph
works 'under function_graph'
unload && load
equal "$?" 0 'out and in under function_graph'
detach
works 'untraced again'

# --- a livepatch on top of ours

insmod "$mod/otherpatch.ko"
await 1000 eval '[[ $(</sys/kernel/livepatch/otherpatch/transition) == 0 ]]'
works 'under another livepatch'
softaff status >"$tmp/status"
status=$?
line=$(grep -o 'livepatch otherpatch replaces task_numa_work() too' "$tmp/status")
equal "$status $line" '1 livepatch otherpatch replaces task_numa_work() too' 'status names it'
unload
equal "$? $(</sys/kernel/livepatch/otherpatch/enabled)" '0 1' 'ours goes from beneath it'
load
works 'on top of another'
other_away
equal "$?" 0 'the other goes from beneath ours'
works 'alone again'

# --- one that takes the place of all

settled_hog
tell "${pid[hog]} 1"
insmod "$mod/otherpatch.ko" cumulative=1
await 1000 state_is disabled
equal "$(state)" 'patch: disabled' 'a cumulative livepatch: state says that ours is disabled'
refused preferred_node "${pid[hog]} 0" EBUSY 'livepatch'
softaff status >"$tmp/status"
equal "$? $(grep -c 'the livepatch is disabled' "$tmp/status")" '1 1' 'status as well'
stop hog
unload
equal "$? $(ls -d /sys/module/softaff "$sys" 2>/dev/null)" '0 ' 'ours can be unloaded'
other_away
load
works 'loaded again after it'

# --- a thread that never lets go

# held_up COMMAND...: it waits for that thread, and gives up for the time being
held_up()
{
	insmod "$mod/stuck.ko"
	"$@" 2>"$tmp/unload"
	equal "$? $(grep -c 'waiting for [0-9]* (stuck)' "$tmp/unload")" '1 1' "$1 names the thread that holds it up"
	rmmod stuck
	await 2000 state_is enabled
	equal "$(state)" 'patch: enabled' 'and has the patch enabled again'
}

held_up softaff unload --wait 2
works 'after that'
held_up ../userspace/softaff-unload 2
unload
equal "$?" 0 'it goes when the thread has gone'
