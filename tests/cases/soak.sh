#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Half an hour of everything at once, the module being loaded and unloaded all the time. Nothing of it is
# left: no memory, no trace, no word of the kernel.
#
#	load   steer ...  unload   load   steer ...  unload   ...
#	forks, switches, threads born; hint faults; random settings by root; every file read;
#	a CPU of node 1 off and on; a task between two cgroups, one with a node
#
# SOAK=MINUTES makes it longer or shorter.
#
# by name: takes half an hour
# timeout: 7200

. lib/softaff.sh
begin 6
unload
minutes=${SOAK:-30}
group=/sys/fs/cgroup/soak
cpu=/sys/devices/system/cpu/cpu3/online
load=(noise births hog settings readers hotplug mover)

traces()
{
	ls -d /sys/module/softaff /sys/kernel/softaff /sys/kernel/debug/softaff /sys/kernel/livepatch/*
	cat /sys/kernel/tracing/enabled_functions
} 2>/dev/null

# memory: what is in use when all is quiet, to percpu and slab (KiB), and small the objects of the cache
# that a task's state comes from
memory()
{
	local key value
	echo 3 >/proc/sys/vm/drop_caches
	nap 5
	[[ ! -e /sys/kernel/slab/kmalloc-128/shrink ]] || echo 1 >/sys/kernel/slab/kmalloc-128/shrink
	while read -r key value _; do
		case $key in
		Percpu:) percpu=$value ;;
		SUnreclaim:) slab=$value ;;
		esac
	done <<<"$(</proc/meminfo)"
	small=$(awk '$1 == "kmalloc-128" { print $2 }' /proc/slabinfo)
}

# Loops of the shell, which end when they are killed
# shellcheck disable=SC2016 # the inner shell's
begin_load()
{
	local loop='exec {never}<> <(:); cd /sys/kernel; while :; do '
	mkdir -p "$group/a" "$group/b"
	noise --fork 1 --switch 1
	start births births -b
	start hog hog -t 2 -m 16
	start settings bash -c "$loop"'for pid in /proc/[0-9]*; do pid=${pid#/proc/}
		case $((RANDOM % 8)) in
		0 | 1) echo "$pid $((RANDOM % 2))" >softaff/preferred_node ;;
		2) echo "$pid none" >softaff/process_node ;;
		3) echo "$pid $((RANDOM % 2))" >softaff/process_node ;;
		4) echo "$pid children" >softaff/inherit ;;
		5) echo "$pid off" >softaff/numa_balancing; echo "$pid default" >softaff/numa_balancing ;;
		6) echo "$pid 200 400" >softaff/scan_period; echo "$pid default" >softaff/scan_period ;;
		7) echo "$((RANDOM % 2 ? 50 : 10))" >softaff/rehome_ms ;;
		esac; done 2>/dev/null; read -rt 0.05 -u $never; done'
	start readers bash -c "$loop"'cat softaff/* debug/softaff/* >/dev/null 2>&1; read -rt 0.1 -u $never; done'
	start hotplug bash -c "$loop"'echo 0 >'"$cpu"'; read -rt 2 -u $never; echo 1 >'"$cpu"'; read -rt 2 -u $never; done'
	start mover bash -c "$loop"'{ echo "/soak/a $((RANDOM % 2))" >softaff/cgroup_node; echo '"${pid[hog]}"' >'"$group"'/a/cgroup.procs
		read -rt 0.2 -u $never; echo '"${pid[hog]}"' >'"$group"'/b/cgroup.procs; echo "/soak/a none" >softaff/cgroup_node; } 2>/dev/null
		read -rt 0.2 -u $never; done'
}

end_load()
{
	quiet
	stop "${load[@]:1}"
	echo 1 >"$cpu" 2>/dev/null
	await 300 rmdir "$group/a"
	await 300 rmdir "$group/b"
	await 300 rmdir "$group"
} 2>/dev/null

undo() { [[ ! -d $group ]] || end_load; }

# cycles SECONDS [MOST]: load and unload so long
cycles()
{
	local end=$((SECONDS + $1))
	while ((SECONDS < end && done_cycles < ${2:-100000})); do
		load || { failed="load: $(state)"; return 1; }
		nap 0.$((RANDOM % 8 + 1))
		steered=$((steered + $(tail -n +2 "$debug/tasks" | wc -l)))
		inherited=$((inherited + $(awk '/^inherited / { print $2 }' "$debug/stats")))
		unload || { failed="unload: $(state)"; return 1; }
		done_cycles=$((done_cycles + 1))
	done
}

done_cycles=0 steered=0 inherited=0 failed='' before=$(traces)
begin_load
cycles 60 10
end_load
memory
was=("$percpu" "$slab" "$small")
begin_load
cycles $((minutes * 60))
end_load
memory
ktap_diag "$done_cycles cycles in $SECONDS s; $steered tasks in the tables, $inherited born steered"
equal "$failed" '' 'in and out, under everything, to the end'
expect "steered > done_cycles && inherited > done_cycles" 'and tasks were steered' "$steered, $inherited born"
expect "percpu - was[0] <= 64" 'per-CPU memory is what it was' "${was[0]} KiB, then $percpu"
expect "slab - was[1] <= 1024" 'slab as well' "${was[1]} KiB, then $slab"
expect "small - was[2] <= 300" 'and the objects of its size' "${was[2]}, then $small"
equal "$(traces)" "$before" 'no traces'
