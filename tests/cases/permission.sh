#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who may tell whom, and whose pids count.
#
#	same user               yes          root of a user namespace
#	CAP_SYS_NICE, ptrace    yes              tasks inside       yes
#	CAP_SYS_NICE alone      no               tasks outside      no
#	pid of the caller's own pid namespace, by prctl and by a write to sysfs
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 17

user 65533
other=("${as[@]}")
user 65534
start own "${as[@]}" hog -m 2
start other "${other[@]}" hog -m 2
start roots hog -m 2
ready own other roots

equal "$("${as[@]}" callprctl node set "${pid[own]}" 1)" 0 'the same user'
equal "$("${as[@]}" callprctl node set "${pid[other]}" 1)" EPERM 'not another'
equal "$("${as[@]}" callprctl node set "${pid[roots]}" 1)" EPERM 'least of all root'

# able CAPABILITIES COMMAND...: as an ordinary user who has these
able() { "${as[@]}" --inh-caps="$1" --ambient-caps="$1" "${@:2}"; }
equal "$(able +sys_nice,+sys_ptrace callprctl node set "${pid[other]}" 1)" 0 'CAP_SYS_NICE, and what ptrace wants to read'
equal "$(able +sys_nice callprctl node set "${pid[other]}" 0)" EPERM 'not without reading'
equal "$(able +sys_ptrace callprctl node get "${pid[other]}" , node set "${pid[other]}" 0)" '0 1, EPERM' 'who may read may not set'
equal "$(one "${pid[other]}" node)" 1 'and has set nothing'

# User namespaces: theirs is another root
inside() { unshare -U -r "$@"; }
equal "$("${as[@]}" unshare -U -r callprctl node set 0 1 , node get 0)" '0, 0 1' "a namespace's root may tell itself"
equal "$("${as[@]}" unshare -U -r bash -c 'sleep 9 & callprctl node set $! 1; kill $!')" 0 'and tasks inside'
equal "$("${as[@]}" unshare -U -r callprctl node set "${pid[other]}" 0)" EPERM 'not tasks outside'
equal "$(inside callprctl node set "${pid[other]}" 0)" EPERM 'though root made the namespace'
equal "$(inside callprctl node set "${pid[roots]}" 0)" EPERM 'and though it is root outside'
equal "$(inside callprctl node get "${pid[roots]}")" 'EPERM 77' 'nor read them'
inside sh -c "echo ${pid[roots]} 0 >$sys/preferred_node" 2>/dev/null
equal "$(one "${pid[roots]}" node)" - 'nor tell them by a write to sysfs'

# Pid namespaces: small numbers, which outside are the kernel's threads
start apart unshare -p -f --mount-proc bash -c 'hog -m 2 & hog -m 2 & sleep 0.5
	callprctl node set 2 1 , node get 2 , node get '"${pid[roots]}"'
	echo 3 0 >/sys/kernel/softaff/preferred_node
	while read -r id _ node rest; do echo "inside $id $node ${rest##* }"; done </sys/kernel/debug/softaff/tasks
	echo over; wait'
await 1000 said apart over
equal "$(grep -v ready "$tmp/apart" | head -n 1)" '0, 0 1, ESRCH 77' "prctl takes the caller's pids"
equal "$(grep '^inside [0-9]' "$tmp/apart" | sort | paste -sd,)" 'inside 2 1 hog,inside 3 0 hog' 'the table shows them, and only what is inside'
columns node
mapfile -t hogs < <(pgrep -x hog)
all=''
for task in "${hogs[@]}"; do
	[[ " ${pid[*]} " == *" $task "* ]] || all+=${col[$task]:--}
done
equal "$all" 10 'outside it is the same tasks that are told, by prctl and by sysfs'
pkill -x hog
