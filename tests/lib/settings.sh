# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Settings that are refused, and the table of tasks as a whole. Needs lib/softaff.sh.
# shellcheck disable=SC2154 # what that sets

declare -A col=()

# columns NAME: that column of all tasks in the table, by pid, to col
columns()
{
	local head words i at=0
	col=()
	{
		read -ra head
		for i in "${!head[@]}"; do [[ ${head[i]} != "$1" ]] || at=$i; done
		while read -ra words; do col[${words[0]}]=${words[at]}; done
	} <<<"$(<"$debug/tasks")"
}

# one PID COLUMN: what the table says of one task, "-" if it is not there
one()
{
	columns "$2"
	echo "${col[${1:-0}]:--}"
}

# reads PID COLUMN WANTED
reads()
{
	columns "$2"
	[[ ${col[$1]:--} == "$3" ]]
}

# becomes PID COLUMN WANTED NAME: a check that passes if the table says so within three seconds
becomes()
{
	await 300 reads "$1" "$2" "$3"
	equal "$(one "$1" "$2")" "$3" "$4"
}

# refused FILE LINE ERRNO SAYING: a check that passes if it is refused and one line says so
refused()
{
	local log status=1
	dmesg -C
	tell -f "$sys/$1" -- "$2"
	log=$(dmesg -t | grep '^softaff: ')
	[[ ${f[errno]} != "$3" || $log != *"$4"* || $log == *$'\n'* ]] || status=0
	ktap_ok $status "$1 refuses '$2' with $3" "${f[errno]}, log: $log"
}

# counter NAME: of softaff's stats
counter() { awk -v n="$1" '$1 == n || $1 == n ":" { print $2 }' "$debug/stats"; }

# user UID: set the array as to what makes of a command one of that user's, without any capability
user()
{
	# shellcheck disable=SC2034 # the cases'
	as=(setpriv "--reuid=$1" "--regid=$1" --clear-groups)
}

# cpus 0|1 CPU...: take them offline or online
cpus()
{
	local cpu
	for cpu in "${@:2}"; do echo "$1" >"/sys/devices/system/cpu/cpu$cpu/online"; done
}

# eject CPU: take it out of the machine; a node without memory goes offline with its last one
eject()
{
	local device
	for device in /sys/bus/acpi/devices/LNXCPU*; do
		[[ $(readlink -f "$device/physical_node") == */cpu"$1" ]] || continue
		echo 1 >"$device/eject"
		await 500 gone "/sys/devices/system/cpu/cpu$1"
		return
	done
	return 1
}
