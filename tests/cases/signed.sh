#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine that loads signed modules only: what DKMS has signed with a key that the machine trusts is
# loaded and works, and a byte of it changed is not. With a key that it does not know, as DKMS makes one for
# itself, the tool says what is to be done.
#
# shape: signed
# kernels: ends

. lib/softaff.sh
. lib/settings.sh

read -r enforced </sys/module/module/parameters/sig_enforce
if [[ $enforced != Y ]]; then
	ktap_diag 'this kernel does not know signatures'
	exit 4
fi
file=$(modinfo -F filename softaff)

if [[ ! -e /opt/softaff/trusted ]]; then
	ktap_plan 4
	trap finish EXIT
	out=$(softaff load 2>&1)
	equal $? 1 'with a key that is not known it is not loaded'
	expect "$([[ $out == *'signed modules only'*mokutil* ]])$? == 0" 'and the tool says what to do' "$out"
	equal "$(ls -d /sys/module/softaff "$sys" 2>/dev/null)" '' 'nothing is there'
	out=$(softaff set 1 $$ 2>&1)
	expect "$? == 1" 'and nothing is set' "$out"
	exit 0
fi
begin 4
start hog hog -n 0 -m 8
ready hog
tell "${pid[hog]} 1"
equal "${f[errno]} ${f[on]}" '0 1' 'signed with a key that is, a task is steered'
read -r taint </proc/sys/kernel/tainted
equal $((taint >> 13 & 1)) 0 'and the kernel does not call it unsigned'
unload
cp "$file" "$tmp/softaff.ko"
printf '\x55' | dd of="$tmp/softaff.ko" bs=1 seek=4000 conv=notrunc status=none
out=$(insmod "$tmp/softaff.ko" 2>&1)
expect "$? != 0" 'with a byte changed it is not loaded' "$out"
equal "$(ls -d /sys/module/softaff "$sys" 2>/dev/null)" '' 'nothing is there'
