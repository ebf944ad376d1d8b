#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Without memory: each allocation that is made in loading, and each in setting, fails once. What was
# begun is undone completely, what was asked is refused whole, and the next attempt works.
#
#	faults N load    N = 1, 2, ... until there are no more
#	faults N write
#
# by name: needs a debug kernel, as in KERNELS=7.3-debug
# timeout: 600

. lib/softaff.sh
. lib/settings.sh

fail=/sys/kernel/debug/failslab
if [[ ! -d $fail ]]; then
	ktap_diag 'this kernel injects no faults'
	exit 4
fi

# within FUNCTION: fail only what is allocated in it, or in what it calls
within()
{
	local range
	range=$(awk -v f="$1" '$3 == f { print $1; getline; print $1; exit }' <(sort /proc/kallsyms))
	echo 0 >$fail/require-start
	echo "0x${range#*$'\n'}" >$fail/require-end
	echo "0x${range%$'\n'*}" >$fail/require-start
	echo 32 >$fail/stacktrace-depth
}

echo N >$fail/ignore-gfp-wait
echo 0 >$fail/verbose
begin 8
unload
ko=$(modinfo -n softaff)
xz -dcf "$ko" >"$tmp/softaff.ko" 2>/dev/null || cp "$ko" "$tmp/softaff.ko"

left()
{
	ls -d /sys/module/softaff "$klp" "$sys" "$debug" 2>/dev/null
	grep softaff /sys/kernel/tracing/enabled_functions
}

# --- loading

within do_init_module
injected=0 tolerated=0 bad=''
for ((n = 1; n < 2000; n++)); do
	modprobe softaff_events
	figures "$(faults "$n" load "$tmp/softaff.ko")"
	((f[injected])) || break
	injected=$((injected + 1))
	if [[ ${f[errno]} == 0 ]]; then
		tolerated=$((tolerated + 1))
		await 3000 state_is enabled && unload || bad+=" $n"
	elif [[ ${f[errno]} != ENOMEM || $(left) ]]; then
		bad+=" $n:${f[errno]} $(left)"
	fi
done
expect "$injected > 50" 'each allocation of a load fails once' "$injected, $tolerated of which were not needed"
equal "$bad" '' 'and nothing is left of what had begun'
equal "${f[errno]}" 0 'without faults it loads'
await 3000 state_is enabled
equal "$(state)" 'patch: enabled' 'and works'
state_is enabled || exit

# --- setting

within ksys_write
start hog sleep 1000

# whole FILE TEXT PID COLUMN BEFORE AFTER: a check for one setting
whole()
{
	local n injected=0 bad=''
	for ((n = 1; n < 200; n++)); do
		figures "$(faults "$n" write "$sys/$1" "$2")"
		((f[injected])) || break
		injected=$((injected + 1))
		if [[ ${f[errno]} != 0 ]]; then
			[[ $(one "$3" "$4") == "$5" ]] || bad+=" $n:${f[errno]}:$(one "$3" "$4")"
		else
			# not needed; then it must be set, and is cleared for the next
			[[ $(one "$3" "$4") == "$6" ]] || bad+=" $n:$(one "$3" "$4")"
			clear_all
		fi
	done
	equal "$bad ${f[errno]} $(one "$3" "$4")" " 0 $6" "$1: refused whole, then set" "$injected faults"
	clear_all
}

clear_all()
{
	echo "${pid[hog]} none" >"$sys/preferred_node"
	echo "${pid[hog]} default" >"$sys/numa_balancing"
	echo "${pid[hog]} default" >"$sys/inherit"
} 2>/dev/null

whole preferred_node "${pid[hog]} 1" "${pid[hog]}" node - 1
whole process_node "${pid[hog]} 1" "${pid[hog]}" node - 1
whole numa_balancing "${pid[hog]} off" "${pid[hog]}" balancing - off
whole inherit "${pid[hog]} children" "${pid[hog]}" inherit - children
