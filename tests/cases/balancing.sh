#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# NUMA balancing by process: with off none of its threads marks a PTE, born later or not, while
# another one that shares its memory is scanned as before. PTE updates are counted by process.
#
#	quiet  off, 20 s    --.
#	                       memfd, 300 MB
#	busy   scanned      --'
#
# kernels: ends
# timeout: 600

. lib/softaff.sh
. lib/settings.sh
. lib/updates.sh

undo()
{
	uncount
	sysctl -qw kernel.numa_balancing=1
} 2>/dev/null

begin 21
trap 'undo; finish' EXIT
count_updates

# two WHAT SECONDS QUIET BUSY: a check: were they scanned as said, 0 or 1, in that time? The kernel has
# a thread wait after a scan for 32 times what it took: who is to be scanned has up to 90 s more.
two()
{
	local q=0 b=0 seconds=0
	while ((seconds == 0 || seconds < 90)); do
		updates "$2"
		((seconds += $2, q += upd[quiet], b += upd[busy])) || :
		((q < $3 || b < $4)) || break
	done
	expect "(q > 0) == $3 && (b > 0) == $4" "$1" "PTE updates in $seconds s: quiet $q, busy $b"
}

echo 64 >"$balancing/scan_size_mb"
start sharers sharers 300 quiet busy
await 3000 said sharers ready
figures "$(<"$tmp/sharers")"
quiet=${f[quiet]} busy=${f[busy]}
nap 0.5
two 'both are scanned' 1 1 1

echo "$quiet off" >"$sys/numa_balancing"
kill -HUP "$quiet"
nap 0.5
equal "$(columns balancing; for t in "/proc/$quiet/task/"*; do echo -n "${col[${t##*/}]:--} "; done)" \
	'off off off ' 'off is for all threads, one born later too'
two 'off: none of its own in 20 s, the other goes on' 20 0 1
echo "$quiet on" >"$sys/numa_balancing"
nap 0.5
two 'on: both again' 1 1 1

echo off >"$sys/default_balancing"
nap 0.5
two 'off by default: only the one that is on' 5 1 0
echo "$quiet default" >"$sys/numa_balancing"
nap 0.5
two 'off by default: none' 2 0 0
echo on >"$sys/default_balancing"
nap 0.5
two 'on by default: both' 1 1 1
equal "$(sysctl -n kernel.numa_balancing)" 1 'kernel.numa_balancing is what it was'
equal "$(counter scans_skipped_off | grep -c '[1-9]')$(counter scans_skipped_default | grep -c '[1-9]')" 11 'both skips are counted'
stop sharers

# The scan period: a small memory, since the kernel scans for 3 % of the time at most
start hog hog -m 1
ready hog

# period WHAT: the scans of 5 s, to n
period()
{
	nap 2
	scans 5 "${pid[hog]}"
	ktap_diag "$1: $n scans in 5 s"
}

period 'kernel 100 to 500 ms'
often=$n
tell -f "$sys/scan_period" -- "${pid[hog]} 1500 1500"
equal "${f[errno]}" 0 'a scan period for one process'
period 'kernel 100 to 500 ms, own 1500 to 1500 ms'
expect "often > 5 && n >= 1 && n <= 4" 'not below its lower bound' "$n after $often"
echo 3000 >"$balancing/scan_period_max_ms"
echo 3000 >"$balancing/scan_period_min_ms"
tell -f "$sys/scan_period" -- "${pid[hog]} default"
nap 1
period 'kernel 3000 to 3000 ms'
seldom=$n
tell -f "$sys/scan_period" -- "${pid[hog]} 100 200"
period 'kernel 3000 to 3000 ms, own 100 to 200 ms'
expect "seldom <= 5 && n > 3 * seldom + 3" 'not above its upper bound' "$n after $seldom"
tell -f "$sys/scan_period" -- "${pid[hog]} default"
equal "${f[errno]} $(one "${pid[hog]}" node)" '0 -' 'and back'
refused scan_period "${pid[hog]} 200 100" EINVAL '200 is more than 100'
refused scan_period "${pid[hog]} 0 100" EINVAL "'0' is not a number of ms"
refused scan_period "${pid[hog]} 100" EINVAL "is not 'PID MIN MAX'"
refused numa_balancing "${pid[hog]} maybe" EINVAL "'maybe' is not one of its words"

# The kernel's switch is a bit mask, and state says what settings of scans mean under each
for mode in '0 off, so settings of scans have no effect' '1 normal' \
	'2 tiering only, so settings of scans count for slow memory only' '3 normal and tiering'; do
	sysctl -qw "kernel.numa_balancing=${mode%% *}"
	equal "$(grep '^numa_balancing: ' "$sys/state")" "numa_balancing: ${mode%% *}, ${mode#* }" \
		"state says what kernel.numa_balancing=${mode%% *} means"
done
