#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A node with memory and no CPU cannot be a task's home; by whatever way it is refused.
#
#	node 0    CPU CPU    memory
#	node 1    CPU CPU    memory
#	node 2    -          memory
#
# shape: cpuless
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
. lib/updates.sh

group=/sys/fs/cgroup/softaff

undo()
{
	stop "${!pid[@]}"
	uncount
	await 100 rmdir "$group"
} 2>/dev/null

begin 8
trap 'undo; finish' EXIT

start hog hog -n 0 -m 8
ready hog
refused preferred_node "${pid[hog]} 2" ENODEV 'node 2 has no CPU'
refused process_node "${pid[hog]} 2" ENODEV 'node 2 has no CPU'
refused cgroup_node '/ 2' ENODEV 'node 2 has no CPU'
refused preferred_node "${pid[hog]} 3" EINVAL 'no node 3'
equal "$(callprctl node set 0 2 , node set 0 3)" 'ENODEV, EINVAL' 'prctl too'
tell "${pid[hog]} 1"
becomes "${pid[hog]}" reason home 'the others can'
stop hog

# Memory there only: nothing to scan for, and no CPU to steer to
mkdir "$group"
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 2 >"$group/cpuset.mems"
echo smart >"$sys/cpuset_skip"
count_updates
start hog bash -c "echo \$\$ >$group/cgroup.procs; exec hog -m 8"
ready hog
nap 0.5
updates 2
expect "${upd[${pid[hog]}]:-0} == 0" 'a cpuset of its memory alone is not scanned' "${upd[${pid[hog]}]:-0} PTE updates"
equal "$(one "${pid[hog]}" node)" - 'nor steered there'
