#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A task whose node it may not use for a while keeps the setting, says why it is away, and comes home
# by itself when the reason is gone.
#
#	home -> its node's CPUs offline -> home       offline
#	     -> SCHED_FIFO, SCHED_DEADLINE -> home    class
#	     -> a sched_ext scheduler -> home         class
#	     -> CPU mask without the node -> home     mask
#	     -> cpuset without the node -> home       cpuset
#	     -> crowded out -> home                   busy
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh

group=/sys/fs/cgroup/softaff

undo()
{
	cpus 1 2 3
	stop "${!pid[@]}"
	await 100 rmdir "$group"
} 2>/dev/null

begin 38
trap 'undo; finish' EXIT
mkdir "$group"
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control

# away REASON: checks that it says so, with the setting kept, and is not on its node; where a class
# keeps it, it may be anywhere
away()
{
	becomes "$me" reason "$1" "$1"
	equal "$(one "$me" node)" 1 "$1: still told"
	[[ $1 == class ]] || becomes "$me" curnode 0 "$1: away"
}

home() # FROM WHAT
{
	becomes "$me" reason home "$1: home again by itself"
	equal "$(one "$me" curnode)" 1 "$1: truly"
}

start hog hog -n 0 -m 4
start new hog -m 2
ready hog new
me=${pid[hog]}
tell "$me 1"
becomes "$me" reason home home

cpus 0 2 3
away offline
refused preferred_node "${pid[new]} 1" ENODEV 'node 1 has no CPU online'
refused process_node "${pid[new]} 1" ENODEV 'node 1 has no CPU online'
equal "$(callprctl node set "${pid[new]}" 1)" ENODEV 'prctl refuses it too'
cpus 1 2 3
home offline

# The class holds it off its node, until it is an ordinary task again
for class in '-f -p 1' '-d --sched-runtime 5000000 --sched-deadline 20000000 --sched-period 20000000 -p 0'; do
	# shellcheck disable=SC2086 # words
	chrt $class "$me" || ktap_diag "no $class"
	away class
	taskset -pc 0-1 "$me" >/dev/null 2>&1
	taskset -pc 0-3 "$me" >/dev/null 2>&1
	chrt -o -p 0 "$me"
	home class
done

if [[ -d /sys/kernel/sched_ext ]]; then
	start scx scx
	ready scx || ktap_diag "$(<"$tmp/scx")"
	away class
	stop scx
	home class
else
	for _ in 1 2 3 4; do ktap_skip 'sched_ext' 'this kernel has none'; done
fi

taskset -pc 0-1 "$me" >/dev/null
away mask
taskset -pc 0-1 "${pid[new]}" >/dev/null
refused preferred_node "${pid[new]} 1" ENODEV "pid ${pid[new]} may use no CPU of node 1"
taskset -pc 0-3 "$me" >/dev/null
taskset -pc 0-3 "${pid[new]}" >/dev/null
home mask

echo 0-1 >"$group/cpuset.cpus"
echo "$me" >"$group/cgroup.procs"
echo "${pid[new]}" >"$group/cgroup.procs"
away cpuset
refused preferred_node "${pid[new]} 1" ENODEV "pid ${pid[new]} may use no CPU of node 1"
echo 0-3 >"$group/cpuset.cpus"
home cpuset
stop new

for i in 0 1 2 3; do start crowd$i taskset -c $((2 + i / 2)) hog -m 1; done
ready crowd{0,1,2,3}
await 600 reads "$me" reason busy
away busy
stop crowd{0,1,2,3}
home busy
