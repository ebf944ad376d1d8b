#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The table of hooks, and whether what it says is what ftrace does.
#
#	hooks                                              enabled_functions
#	sched_setnuma sched_setnuma itself            <->  sched_setnuma (1) R I
#	numa_migrate_preferred task_numa_fault host   <->  task_numa_fault (1) R I
#
# timeout: 30

. lib/softaff.sh
begin 7

patched()
{
	awk '/ I/ { print $1 }' /sys/kernel/tracing/enabled_functions | sort | paste -sd' '
}

ktap_diag "$(<"$sys/hooks")"
while read -r hook hosts; do
	read -r _ host how < <(grep "^$hook " "$sys/hooks")
	[[ " $hosts " == *" $host "* && $how == "$([[ $host == "$hook" ]] && echo itself || echo host)" ]]
	ktap_ok $? "$hook has a place" "${host:-none} $how"
done <<-END
	sched_setnuma sched_setnuma
	numa_migrate_preferred numa_migrate_preferred task_numa_fault
	migrate_degrades_locality migrate_degrades_locality can_migrate_task
	task_numa_work task_numa_work
END
equal "$(patched)" "$(sed '/^#/d; /^[^ ]* -/d; / traced$/d' "$sys/hooks" | cut -d' ' -f2 | sort | paste -sd' ')" \
	'ftrace has those that the table names, as livepatch does it'
equal "$(find "$klp/vmlinux" -mindepth 1 -type d -printf '%f\n' | cut -d, -f1 | sort | paste -sd' ')" "$(patched)" 'and the livepatch lists them'
disable
equal "$(patched)" '' 'none of them once it is disabled'
