#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which scans a cpuset of one memory node spares, followed live, and what becomes of the tasks.
#
#	cpuset.mems     0     0-1   1     (empty: all)
#	off             scan  scan  scan  scan          where the kernel does not skip by itself
#	on              -     scan  -     scan
#	smart           -     scan  -     scan
#	                to 0        to 1
#
#	the reviewers' three cases, smart, mems=0      CPU mask          scan  steered
#	    without the node's CPUs                    2-3               -     -
#	    within                                     0                 -     -
#	    across                                     0-3               -     to 0
#
# kernels: ends
# timeout: 180

. lib/softaff.sh
. lib/settings.sh
. lib/updates.sh

root=/sys/fs/cgroup
group=$root/softaff
old=$tmp/v1

undo()
{
	stop "${!pid[@]}"
	uncount
	[[ ! -d $old/softaff ]] || await 100 rmdir "$old/softaff"
	umount "$old"
	await 100 rmdir "$group/one"
	await 100 rmdir "$group/two"
	await 100 rmdir "$group"
	await 100 rmdir "$group-empty"
} 2>/dev/null

begin 39
trap 'undo; finish' EXIT
mkdir "$group" "$group-empty"
echo +cpuset >"$root/cgroup.subtree_control"
count_updates
grep '^#' "$sys/hooks"
kernel_skips=$?

# follows MEMS SCANNED STEERED: two checks, of what follows when the mems are so
follows()
{
	local n state=- mode
	mode=$(<"$sys/cpuset_skip")
	if [[ ! $1 ]]; then # older kernels refuse that where there are tasks
		echo "${pid[hog]}" >"$group-empty/cgroup.procs"
	else
		echo "$1" >"$dir/cpuset.mems"
	fi
	nap 0.4
	for _ in 1 2 3; do
		updates 1.2
		n=$((upd[${pid[hog]}]))
		((n == 0 && $2)) || break
	done
	expect "(n > 0) == $2" "$mode, mems '$1': $([[ $2 == 1 ]] && echo scanned || echo not scanned)" \
		"$n PTE updates in 1.2 s"
	state="$(one "${pid[hog]}" node) $(one "${pid[hog]}" source)"
	equal "$state" "$3" "$mode, mems '$1': $([[ $3 == '- -' ]] && echo not steered || echo steered)"
}

steered() { (($(wc -l <"$debug/tasks") > $1 + 1)); } # MORE THAN

dir=$group
start hog bash -c "echo \$\$ >$group/cgroup.procs; exec hog -m 16"
ready hog
echo off >"$sys/cpuset_skip"
follows 0 $((kernel_skips != 0)) '- -'
follows 0-1 1 '- -'
echo on >"$sys/cpuset_skip"
follows 0 0 '- -'
follows 0-1 1 '- -'
follows 1 0 '- -'
follows '' 1 '- -'
echo "${pid[hog]}" >"$group/cgroup.procs"
echo smart >"$sys/cpuset_skip"
follows 0 0 '0 cpuset'
follows 0-1 1 '- -'
follows 1 0 '1 cpuset'
becomes "${pid[hog]}" curnode 1 'and it is there'
follows '' 1 '- -'
stop hog

# The reviewers' cases
echo 0 >"$group/cpuset.mems"
start without bash -c "echo \$\$ >$group/cgroup.procs; exec taskset -c 2-3 hog -m 8"
start within bash -c "echo \$\$ >$group/cgroup.procs; exec taskset -c 0 hog -m 8"
start across bash -c "echo \$\$ >$group/cgroup.procs; exec hog -n 1 -m 8"
ready without within across
becomes "${pid[across]}" source cpuset 'across: steered by its cpuset'
becomes "${pid[across]}" curnode 0 'across: goes there'
updates 2
for name in without within; do equal "$(one "${pid[$name]}" source)" - "$name: not steered"; done
for name in without within across; do
	expect "${upd[${pid[$name]}]:-0} == 0" "$name: not scanned" "${upd[${pid[$name]}]:-0} PTE updates"
done
stop without within
restart across
nap 2
ask across
answer across
expect "f[cpu] > 0 && f[node0] * 100 >= f[cpu] * 99" 'across: and runs there' "$(share "${f[node0]}" "${f[cpu]}") %"
tell "${pid[across]} 1"
equal "$(one "${pid[across]}" node) $(one "${pid[across]}" source)" '1 task' 'what it was told itself comes first'
tell "${pid[across]} none"
equal "$(one "${pid[across]}" node) $(one "${pid[across]}" source)" '0 cpuset' 'and cleared, its cpuset again'
start many bash -c "echo \$\$ >$group/cgroup.procs; exec hog -t 40 -m 1 -z 100"
ready many
await 3000 steered 20 # each when it would scan, which is after some run time of its own
tasks=$(wc -l <"$debug/tasks")
echo off >"$sys/cpuset_skip"
expect "tasks > 21" 'many tasks are steered by it' "$((tasks - 1))"
equal "$(tail -n +2 "$debug/tasks")" '' 'smart switched off lets go of all'
stop many
stop across

# A threaded cgroup: one process, and its threads in different cpusets
echo on >"$sys/cpuset_skip"
echo >"$group/cpuset.mems"
start hog bash -c "echo \$\$ >$group/cgroup.procs; exec hog -t 2 -m 8"
ready hog
nap 0.2
mkdir "$group/one" "$group/two"
for name in one two; do echo threaded >"$group/$name/cgroup.type"; done
echo +cpuset >"$group/cgroup.subtree_control"
echo 0 >"$group/one/cpuset.mems"
echo 0-1 >"$group/two/cpuset.mems"
tids=("/proc/${pid[hog]}/task/"*)
last=${tids[-1]##*/}
echo "$last" >"$group/one/cgroup.threads"
echo "${pid[hog]}" >"$group/two/cgroup.threads"
nap 0.4
updates 1.5
expect "${upd[$last]:-0} == 0" 'threaded: the thread with one node does not scan' "${upd[$last]:-0} PTE updates"
expect "${upd[${pid[hog]}]:-0} > 0" 'threaded: the other does' "${upd[${pid[hog]}]:-0} PTE updates"
stop hog
await 100 rmdir "$group/one"
await 100 rmdir "$group/two"
await 100 rmdir "$group"
await 100 rmdir "$group-empty"

# cgroup v1
echo -cpuset >"$root/cgroup.subtree_control"
mkdir "$old"
if await 300 mount -t cgroup -o cpuset none "$old" 2>/dev/null; then
	mkdir "$old/softaff"
	echo 0-3 >"$old/softaff/cpuset.cpus"
	echo 0-1 >"$old/softaff/cpuset.mems"
	start hog hog -m 16
	ready hog
	dir=$old/softaff
	echo "${pid[hog]}" >"$dir/cgroup.procs"
	follows 0 0 '- -'
	follows 0-1 1 '- -'
else
	for _ in 1 2 3 4; do ktap_skip 'cgroup v1' 'this kernel has none, or none for cpusets'; done
fi
