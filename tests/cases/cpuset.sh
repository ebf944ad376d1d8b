#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A cpuset of one memory node needs no scanning: with cpuset_skip=on none of its tasks is scanned,
# the neighbour outside goes on being scanned.
#
#	cpuset.mems=0    hog with two threads     no PTE update
#	outside          neighbour                PTE updates
#
# PTE updates are counted per process where they are made, by a probe on change_prot_numa's return.
#
# timeout: 60

. lib/softaff.sh

group=/sys/fs/cgroup/softaff
events=/sys/kernel/tracing
probe=$events/events/kprobes/softaff_updates

# updates SECONDS: the PTE updates of that time, by process, to inside and outside
updates()
{
	local line
	echo 'hist:keys=common_pid:vals=updates' >"$probe/trigger"
	nap "$1"
	inside=0 outside=0
	while read -r line; do
		[[ $line =~ common_pid:\ *([0-9]+).*updates:\ *([0-9]+) ]] || continue
		[[ ! -d /proc/${pid[inside]}/task/${BASH_REMATCH[1]} ]] || ((inside += BASH_REMATCH[2]))
		[[ ! -d /proc/${pid[outside]}/task/${BASH_REMATCH[1]} ]] || ((outside += BASH_REMATCH[2]))
	done <"$probe/hist"
	echo '!hist:keys=common_pid:vals=updates' >"$probe/trigger"
}

undo()
{
	rmdir "$group"
	echo 0 >"$probe/enable"
	echo '-:softaff_updates' >>"$events/kprobe_events"
} 2>/dev/null

begin 3
mkdir "$group"
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 0 >"$group/cpuset.mems"
# shellcheck disable=SC2016 # the kernel's own variable
echo 'r:softaff_updates change_prot_numa updates=$retval:u64' >"$events/kprobe_events" ||
	ktap_diag 'no probe on change_prot_numa'

start inside bash -c "echo \$\$ >$group/cgroup.procs; exec hog -t 2"
start outside hog -n 0
ready inside outside

echo off >"$sys/cpuset_skip"
nap 0.5
updates 1
ktap_diag "off, 1 s: $inside PTE updates in the cpuset, $outside outside"

echo on >"$sys/cpuset_skip"
nap 0.5
updates 10
equal "$(<"$sys/cpuset_skip")" on 'cpuset_skip reads back'
expect "inside == 0" 'no PTE update in the cpuset in 10 s' "$inside"
expect "outside > 0" 'the neighbour is still scanned' "$outside PTE updates in 10 s"
