#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Rules with the true module and the kernel's own events: a process is at home from its start, and
# its successor as well; what the rules take back is what they gave.
#
#	exec --event--> softaff apply --follow --> node
#	SIGHUP --------> rules read anew
#	SIGTERM -------> all stays as it is
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh

root=/sys/fs/cgroup
group=$root/softaff-rules

undo()
{
	stop "${!pid[@]}"
	await 100 rmdir "$group"
} 2>/dev/null

begin 13
trap 'undo; finish' EXIT
mkdir "$group"
hog=$(command -v hog)
rules=$tmp/rules.conf

# again: the service reads its rules anew
again()
{
	: >"$tmp/service"
	kill -HUP "${pid[service]}"
	await 500 said service 'read anew'
}

# is NAME NODE SOURCE WHAT: a check
is()
{
	await 500 reads "${pid[$1]}" node "$2"
	equal "$(one "${pid[$1]}" node) $(one "${pid[$1]}" source)" "$2 $3" "$4"
}

start early hog -m 2 -n 0
ready early
printf '%s\n' "exe=$hog node=1 inherit=children" 'cgroup=/softaff-rules node=0' >"$rules"
start service softaff apply --follow "$rules"
await 500 said service 'following; rules: 2'
ktap_ok $? 'the service follows' "$(<"$tmp/service")"
is early 1 task 'a process that was there has its node'
becomes "${pid[early]}" curnode 1 'and goes there'
equal "$(softaff inherit "${pid[early]}")" "${pid[early]} children" 'its children will have it'
start late hog -m 2 -n 0
is late 1 task 'one that starts has it'
stop late
start late hog -m 2 -n 0
is late 1 task 'and its successor'
start bound taskset 1 hog -m 2
ready bound
taskset -ap f "${pid[bound]}" >/dev/null
is bound 1 task 'one that was bound elsewhere when it started'

# One that somebody tells otherwise is left alone
tell "${pid[late]} 0"
printf '%s\n' 'cgroup=/softaff-rules node=0' >"$rules"
again
equal "$(one "${pid[early]}" node) $(one "${pid[late]}" node)" '- 0' 'the rule is gone, and only what it gave'

# A cgroup, by the rule that names nothing else
start member sh -c 'sleep 0.2; exec hog -m 2'
echo "${pid[member]}" >"$group/cgroup.procs"
await 300 said service 'cgroup /softaff-rules: node 0'
ktap_ok $? 'a program executed in a cgroup gives that its node' "$(<"$tmp/service")"
is member 0 cgroup 'which its tasks have'

printf '%s\n' 'cgroup=/softaff-rules nod=0' "exe=$hog node=1" >"$rules"
again
await 100 said service "$rules:1: 'nod=0': unknown key"
ktap_ok $? 'a wrong rule is named' "$(<"$tmp/service")"
is early 1 task 'and the others hold'
kill -TERM "${pid[service]}"
await 300 gone "/proc/${pid[service]}"
equal "$(one "${pid[early]}" node)" 1 'ended, the service leaves all as it is'
