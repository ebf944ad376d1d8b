#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# cgroup_node: a cgroup's node is that of all tasks in it and below it, however they came there,
# until they leave. What a task was told itself comes first, a nearer cgroup before a farther.
#
#	/softaff 1              member, entered, born inside, born into it     1
#	/softaff/below          the same, as long as it has none itself        1
#	/softaff/below 0                                                       0
#	task told 0                                                            0
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh

root=/sys/fs/cgroup
group=$root/softaff

undo()
{
	stop "${!pid[@]}"
	await 100 rmdir "$group/below"
	await 100 rmdir "$group"
} 2>/dev/null

begin 26
trap 'undo; finish' EXIT
mkdir "$group" "$group/below"

put() { tell -f "$sys/cgroup_node" -- "$1"; } # LINE
move() { echo "${pid[$1]}" >"$2/cgroup.procs"; } # NAME GROUP

# is NAME NODE SOURCE WHAT: a check
is()
{
	await 200 reads "${pid[$1]}" node "$2"
	equal "$(one "${pid[$1]}" node) $(one "${pid[$1]}" source)" "$2 $3" "$4"
}

start member hog -m 2 -n 0
start guest hog -m 2 -n 0
start family family -c "$group/below"
ready member guest
await 500 said family ready

move member "$group"
put '/softaff 1'
columns node
all=''
for task in "/proc/${pid[member]}/task/"*; do all+=${col[${task##*/}]:--}; done
equal "${f[errno]} $all" '0 11' 'its members are told when the write returns, all their threads'
becomes "${pid[member]}" curnode 1 'and go there'
equal "$(one "${pid[guest]}" node)" - 'one outside is not'
equal "$(tail -n +2 "$debug/cgroups")" '1 /softaff' 'the table of cgroups has it'

move guest "$group"
is guest 1 cgroup 'one that enters is told'
becomes "${pid[guest]}" curnode 1 'and goes there'
move guest "$root"
is guest - - 'one that leaves is not any more'

move family "$group"
is family 1 cgroup 'a sleeper enters'
kill -USR1 "${pid[family]}"
await 500 said family made
figures "$(<"$tmp/family")"
columns node
all=''
for name in thread fork grandchild vfork spawn vm; do all+=${col[${f[$name]:-0}]:--}; done
equal "$all" 111111 'those that are born in it are told, by whatever call'
equal "$(one "${f[cgroup]:-0}" node) $(one "${f[cgroup]:-0}" source)" '1 cgroup' 'one that is born into a cgroup below it from there'

move guest "$group/below"
is guest 1 cgroup 'the subtree counts'
put '/softaff/below 0'
is guest 0 cgroup 'the nearer cgroup comes first'
put "$group/below none"
is guest 1 cgroup 'and without its node the farther one again, the path written with /sys/fs/cgroup'

tell "${pid[guest]} 0"
is guest 0 task 'what the task itself was told comes first'
tell "${pid[guest]} none"
is guest 1 cgroup 'cleared, it has the node of its cgroup again'
tell "${pid[guest]} 0"
move guest "$root"
nap 0.3
is guest 0 task 'and keeps its own when it leaves'

refused cgroup_node '/absent 1' ENOENT 'no cgroup /absent'
refused cgroup_node 'softaff 1' EINVAL "'softaff 1' is not 'PATH NODE'"
refused cgroup_node /softaff EINVAL "'/softaff' is not 'PATH NODE'"
refused cgroup_node '/softaff 7' EINVAL 'no node 7'
refused cgroup_node '/softaff x' EINVAL "'x' is not a node"
is member 1 cgroup 'what was refused has changed nothing'

# Removed and made again it is another cgroup
put '/softaff/below 0'
stop family
await 100 rmdir "$group/below"
equal "$(tail -n +2 "$debug/cgroups")" '1 /softaff' 'rmdir forgets its node'
mkdir "$group/below"
move guest "$group/below"
tell "${pid[guest]} none"
is guest 1 cgroup 'a new one of its name knows nothing of it'
put '/softaff none'
equal "$(tail -n +2 "$debug/cgroups")$(tail -n +2 "$debug/tasks")" '' 'cleared, nothing is left'
put '/ 0'
equal "$(one "${pid[guest]}" source) $(one $$ node)" 'cgroup 0' 'the root is all tasks'
put '/ none'
