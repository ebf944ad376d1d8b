#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is refused is refused whole, with an errno that says why and a line in the log that names
# the token at fault.
#
#	write --> EINVAL, ENODEV, ESRCH, EOPNOTSUPP, EBUSY
#	     `--> softaff: ... 'TOKEN' ...
#
# timeout: 60

. lib/softaff.sh
begin 25

# refused FILE LINE ERRNO TOKEN: the token is a regular expression
refused()
{
	local log named=1
	tell -f "$sys/$1" -- "$2"
	mapfile -t log < <(dmesg -t | grep ^softaff:)
	log=("${log[@]:lines}")
	((lines += ${#log[@]})) || :
	[[ "${log[*]} " =~ (.*[^0-9A-Za-z])?$4[^0-9A-Za-z] ]] && named=0
	[[ ${f[errno]} == "$3" && ${#log[@]} == 1 ]] || named=1
	ktap_ok $named "$1 refuses '$2' with $3" "${f[errno]}, ${log[*]}"
}

equal "$(stat -c %U:%a "$sys"/{preferred_node,placement,cpuset_skip,rehome_ms} | paste -sd' ')" \
	'root:200 root:644 root:644 root:644' 'only root writes'
equal "$(setpriv --reuid=65534 --clear-groups cat "$debug/tasks" 2>&1)" \
	"cat: $debug/tasks: Permission denied" 'only root reads who is steered'

start hog hog -m 4 -z 100
start bound taskset -c 0-1 hog -n 0 -m 4 -z 100
ready hog bound
sleep 0 &
ended=$!
wait $ended
hog=${pid[hog]}
tell "$hog 0"
lines=$(dmesg -t | grep -c ^softaff:)

refused preferred_node garbage EINVAL garbage
refused preferred_node "$hog" EINVAL "$hog"
refused preferred_node "12x 1" EINVAL 12x
refused preferred_node "-7 1" EINVAL -7
refused preferred_node "$hog 1x" EINVAL 1x
refused preferred_node "$hog -2" EINVAL -2
refused preferred_node "$hog 1 0" EINVAL 0
refused preferred_node "$hog 7" EINVAL 7
refused preferred_node "$hog 99999999999" EINVAL 99999999999
refused preferred_node "$ended 1" ESRCH "$ended"
refused preferred_node "4194305 1" ESRCH 4194305
refused preferred_node '2 1' EOPNOTSUPP 2
refused preferred_node "${pid[bound]} 1" ENODEV 1
refused placement sideways EINVAL sideways
refused cpuset_skip maybe EINVAL maybe
refused rehome_ms soon EINVAL soon
refused rehome_ms -1 EINVAL -1
equal "$(<"$sys/placement") $(<"$sys/cpuset_skip")" 'active off' 'what was refused has changed no setting'
equal "$(task "$hog" node)$(task "${pid[bound]}" node)" 0 'nor any task'

# A node loses its CPUs
for cpu in 2 3; do echo 0 >/sys/devices/system/cpu/cpu$cpu/online; done
refused preferred_node "$hog 1" ENODEV 1
for cpu in 2 3; do echo 1 >/sys/devices/system/cpu/cpu$cpu/online; done
tell -w 2000 "$hog 1"
[[ ${f[errno]} == 0 && ${f[home_ms]} != never ]]
ktap_ok $? 'and has them again' "$told"

# The write that disables returns when the first round of the unpatching is over: look meanwhile
echo 0 >"$klp/enabled" &
await 100 state_is unpatching
refused preferred_node "$hog 0" EBUSY "(unpatching|disabled)"
await 3000 gone "$klp"
refused preferred_node "$hog 0" EBUSY disabled
