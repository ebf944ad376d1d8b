#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine that is locked down while the module is loaded, steering goes on; what is refused then is
# opening the file of debugfs that is written to, and loading the module again, which nobody has signed.
#
# shape: locked
# kernels: ends
# timeout: 90

. lib/softaff.sh
. lib/settings.sh

lockdown=/sys/kernel/security/lockdown
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
if [[ ! -e $lockdown ]]; then
	ktap_diag 'this kernel has no lockdown'
	exit 4
fi
begin 12
start hog hog -m 8
ready hog
node=0
for level in integrity confidentiality; do
	echo $level >$lockdown
	node=$((1 - node))
	tell "${pid[hog]} $node"
	equal "${f[errno]} ${f[on]}" "0 $node" "$level: a task is steered"
	equal "$(one "${pid[hog]}" reason)" home 'the table is there'
	out=$({ echo "${pid[hog]}" >"$debug/task"; } 2>&1)
	equal "${out##*: }" 'Operation not permitted' 'the file for one task is not'
	equal "$(softaff status | sed -n 's/^lockdown *//p')" "$level" 'status tells the level'
	equal "$(softaff get "${pid[hog]}")" "${pid[hog]} $node" 'and softaff what is set'
done
unload
equal "$? $(ls -d /sys/module/softaff "$sys" 2>/dev/null)" '0 ' 'it is unloaded'
out=$(softaff load 2>&1)
expect "$? != 0" 'and cannot be loaded again unsigned' "$out"
