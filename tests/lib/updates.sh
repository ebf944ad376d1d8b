# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# PTE updates, counted where they are made: by a probe on the return of change_prot_numa(), which
# runs in the scanned task itself. Needs lib/softaff.sh.
#
#   count_updates           put the probe in place
#   updates 2               the updates of two seconds to upd, by thread id and by name
#   scans 4 TID             how often it scanned in four seconds, to n
#   uncount                 take it away

tracing=/sys/kernel/tracing
probe=$tracing/events/kprobes/softaff_updates
declare -A upd=()

count_updates()
{
	# shellcheck disable=SC2016 # the kernel's own variables
	echo 'r:softaff_updates change_prot_numa updates=$retval:u64 name=$comm' \
		>"$tracing/kprobe_events" || ktap_diag 'no probe on change_prot_numa'
}

# updates SECONDS: who made none is not in upd
updates()
{
	local line tid name n
	upd=()
	echo 'hist:keys=common_pid,name:vals=updates' >"$probe/trigger"
	nap "$1"
	while read -r line; do
		[[ $line =~ common_pid:\ *([0-9]+),\ name:\ ([^ ]+).*updates:\ *([0-9]+) ]] || continue
		tid=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]} n=${BASH_REMATCH[3]}
		((upd[$tid] += n, upd[$name] += n)) || :
	done <"$probe/hist"
	echo '!hist:keys=common_pid,name:vals=updates' >"$probe/trigger"
}

# scans SECONDS TID: a scan is a bunch of such calls, one a mapping
scans()
{
	echo "common_pid == $2" >"$probe/filter"
	echo >"$tracing/trace"
	echo 1 >"$probe/enable"
	nap "$1"
	echo 0 >"$probe/enable"
	n=$(awk '
		match($0, /[0-9]+\.[0-9]+: softaff_updates:/) {
			now = substr($0, RSTART) + 0
			if (now > last + 0.05) n++
			last = now
		}
		END { print n + 0 }' "$tracing/trace")
	echo 0 >"$probe/filter"
}

uncount()
{
	echo 0 >"$probe/enable"
	echo '-:softaff_updates' >>"$tracing/kprobe_events"
} 2>/dev/null
