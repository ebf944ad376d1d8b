#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The prctls as applications call them, as an ordinary user: arguments, results and errors are those
# that the patch sets document.
#
#	prctl(101, SET, pid, node, 0)     prctl(102, disable | enable | default, 0, 0, 0)
#	prctl(101, GET, pid, 0, &node)    prctl(102, get, &mode, 0, 0)
#
# timeout: 180

. lib/softaff.sh
. lib/settings.sh
begin 26

user 65533
other=("${as[@]}")
user 65534

# says WANTED NAME WORDS...: what callprctl prints when this user calls it
says() { equal "$("${as[@]}" callprctl "${@:3}")" "$1" "$2"; }

sleep 0 &
absent=$!
wait $absent
start own "${as[@]}" hog -m 2
start own2 "${as[@]}" hog -t 2 -m 2
start other "${other[@]}" hog -m 2
start bound "${as[@]}" taskset -c 0-1 hog -m 2
ready own own2 other bound

says '0 -1, 0, 0 1, 0, 0 0, 0, 0 -1' 'its own: nothing set, set, changed, cleared' \
	node get 0 , node set 0 1 , node get 0 , node set 0 0 , node get 0 , node set 0 -1 , node get 0
says '0, 0 1' "another task of its own" node set "${pid[own]}" 1 , node get "${pid[own]}"
equal "$(one "${pid[own]}" node) $(one "${pid[own]}" source)" '1 task' 'which is in the table'
becomes "${pid[own]}" curnode 1 'and goes there'
says 'EPERM, EPERM 77' "another user's" node set "${pid[other]}" 1 , node get "${pid[other]}"
equal "$(one "${pid[other]}" node)" - 'is not told'
says 'ESRCH, ESRCH 77' 'a task that is not there' node set $absent 1 , node get $absent
says 'ESRCH, ESRCH' 'no pid at all' 101 1 -1 1 0 , 101 1 4194305 1 0
says 'ERANGE, ERANGE' 'a command that is not there' 101 2 0 1 0 , 101 -1 0 1 0
says 'EINVAL, EINVAL, EINVAL' 'a node that is not there' node set 0 7 , node set 0 -2 , node set 0 99999
says ENODEV 'a node of which it may use no CPU' node set "${pid[bound]}" 1
says 'EFAULT 77, EFAULT' 'nowhere to store it' 101 0 0 0 '&bad' , 101 0 0 0 0
says 'EINVAL 77' 'a pointer that is not aligned' 101 0 0 0 '&+1'
log=$(dmesg -t | grep -c '^softaff: ')
equal "$log" 0 'an ordinary user cannot fill the log'
equal "$(callprctl node set "${pid[other]}" 1 , node get "${pid[other]}")" '0, 0 1' 'root may tell everyone'
equal "$(callprctl node set 2 1)" EOPNOTSUPP 'but no kernel thread'

says '0 2, 0, 0 0, 0, 0 1, 0, 0 2' 'balancing: get, disable, enable, default' \
	balancing get , balancing disable , balancing get , balancing enable , balancing get , \
	balancing default , balancing get
says 'EINVAL, EINVAL' 'balancing: commands that are not there' 102 4 0 0 0 , 102 -1 0 0 0
says 'EFAULT 77' 'balancing: nowhere to store it' 102 3 '&bad' 0 0
says 'EINVAL 77' 'another option is the kernel'"'"'s' 103 0 '&' 0 0
equal "$(callprctl 15 1 0 0 0)" EFAULT 'and its own options work as before'
told=$("${as[@]}" sh -c 'callprctl node set $$ 1; exec callprctl node get 0')
equal "$told" $'0\n0 1' 'what was set is kept over exec'

# The options' numbers
stop "${!pid[@]}"
unload
modprobe softaff prctl_preferred_node=0 prctl_numa_balancing=0 && await 3000 state_is enabled
says 'EINVAL, EINVAL' 'both switched off' node set 0 1 , balancing disable
equal "$(grep -o '^security_task_prctl - switched off' "$sys/hooks")" \
	'security_task_prctl - switched off' 'and the table of hooks says so'
unload
modprobe softaff prctl_preferred_node=201 prctl_numa_balancing=0 && await 3000 state_is enabled
says '0, 0 1, EINVAL' 'another number' -o 201 node set 0 1 , node get 0 , balancing disable
unload
all=''
for option in prctl_preferred_node=38 prctl_numa_balancing=38 prctl_preferred_node=102; do
	dmesg -C
	modprobe softaff $option 2>/dev/null && unload
	[[ $(dmesg -t | grep '^softaff: ') == *"${option%=*}"* ]] && all+="$option "
done
equal "$all" 'prctl_preferred_node=38 prctl_numa_balancing=38 prctl_preferred_node=102 ' \
	"a number that is the kernel's own, or taken, is refused by name"
load
