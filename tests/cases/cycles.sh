#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Twenty times in and out while the machine works: load, steer, unload. In every other cycle the
# task is told while the patch may still be on its way in. Nothing stays behind.
#
#	hog, forker     load  tell  unload  load  tell  unload ...
#
# timeout: 1200

. lib/softaff.sh

# traces: all that the module leaves in the system while it is there
traces()
{
	ls -d /sys/module/softaff* /sys/kernel/softaff /sys/kernel/debug/softaff /sys/kernel/livepatch/*
	cat /sys/kernel/tracing/enabled_functions
} 2>/dev/null

before=$(traces)
begin 4
during=$(traces)

start hog hog -m 8
start forker bash -c 'exec {never}<> <(:); while :; do (:); read -rt 0.02 -u "$never"; done'
ready hog
cycles=0 right=0 SECONDS=0
for round in {1..20}; do
	if ((round % 2)); then load; else modprobe softaff; fi || break
	tell "${pid[hog]} 1"
	[[ ${f[errno]} == 0 || (${f[errno]} == EBUSY && $((round % 2)) == 0) ]] && ((++right))
	tell "${pid[forker]} 0"
	unload || break
	((++cycles))
done
stop hog forker
expect "cycles == 20" 'load, steer and unload under load' "$cycles of 20 in $SECONDS s"
expect "right == 20" 'each told when the patch was in place' "$right of 20"
expect "$(wc -l <<<"$during") > $(wc -l <<<"$before") + 3" 'the traces are there to be seen' "$during"
equal "$(traces)" "$before" 'and are gone afterwards'
