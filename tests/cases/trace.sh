#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tracepoints: there on every kernel, and each tells of what has happened, with its fields.
#
#	softaff_set  softaff_home  softaff_no_room  softaff_spill or softaff_refused  softaff_scan_skipped
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh

tracing=/sys/kernel/tracing
events=$tracing/events/softaff

undo()
{
	echo 0 >"$events/enable"
	echo >"$tracing/trace"
} 2>/dev/null

begin 10
trap 'undo; finish' EXIT

equal "$(find "$events" -mindepth 1 -type d -printf '%f\n' | sort | paste -sd' ')" \
	'softaff_home softaff_no_room softaff_refused softaff_scan_skipped softaff_set softaff_spill' 'all are there'
equal "$(lsmod | awk '$1 == "softaff_events" { print $1, $4 }')" 'softaff_events softaff' 'in a module that comes along'

# tells EVENT FIELDS NAME: a check that passes if the trace has such a line
tells()
{
	local lines
	lines=$(grep -E "softaff_$1: $2" "$tracing/trace")
	[[ $lines ]]
	ktap_ok $? "$3" "$(wc -l <<<"$lines") lines, ${lines%%$'\n'*}"
}

start hog hog -n 0 -m 4
ready hog
# held there: an unsteered task may be on any node by now
tell "${pid[hog]} 0"
becomes "${pid[hog]}" curnode 0 'away from where it will go'
echo >"$tracing/trace"
echo 1 >"$events/enable"
tell "${pid[hog]} 1"
becomes "${pid[hog]}" curnode 1 'told'
tell "${pid[hog]} none"
tells set "pid=${pid[hog]} node=1 cpu=[0-3]$" 'set'
tells set "pid=${pid[hog]} node=-1 cpu=[23]$" 'cleared'
tells home "pid=${pid[hog]} node=1 src_cpu=[01] dst_cpu=[23]$" 'moved home'

# Four on a node of two: some have no room, are pushed off by the balancer, or are kept
hogs=(a b c d)
for name in "${hogs[@]}"; do start "$name" hog -m 2; done
ready "${hogs[@]}"
for name in "${hogs[@]}"; do tell "${pid[$name]} 0"; done
nap 3
tells no_room "pid=($(IFS='|'; for n in "${hogs[@]}"; do echo -n "${pid[$n]}|"; done)x) node=0 src_cpu=[0-3] dst_cpu=-1$" 'no room at home'
tells '(spill|refused)' 'pid=[0-9]+ node=0 src_cpu=[01] dst_cpu=[23]$' 'the balancer asks, and takes or is refused'

echo off >"$sys/default_balancing"
nap 1.5
tells scan_skipped 'pid=[0-9]+ reason=default$' 'a scan is skipped'
