#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A process as a whole: all threads are told or none. While it makes threads without pause none is
# left behind, a hundred times in a row.
#
#	process_node "PID NODE"    thread thread thread ...  all
#	one bound elsewhere        thread thread bound       none
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 9

# nodes NAME: the nodes that the threads of a program have been told, in the order of their ids
nodes()
{
	local task all=''
	columns node
	for task in "/proc/${pid[$1]}/task/"*; do all+=" ${col[${task##*/}]:--}"; done
	echo "${all# }"
}

figures "$(births 100)"
ktap_diag "${f[seen]} looks at threads, ${f[born]} born, ${f[meanwhile]} of them during a write"
expect "f[rounds] == 100 && f[refused] == 0" 'a hundred times told' "${f[refused]} refused"
expect "f[left] == 0 && f[seen] > 300" 'none of its threads is left behind' "${f[left]} of ${f[seen]}"
expect "f[unlisted] == 0" 'and the table has all of them' "${f[unlisted]} of ${f[seen]} missing"
expect "f[meanwhile] > 0" 'and some were born while it was told' "${f[meanwhile]}"

start hog hog -t 2 -m 2
ready hog
nap 0.2
tids=("/proc/${pid[hog]}/task/"*)
last=${tids[-1]##*/}
tell -f "$sys/process_node" -- "$last 1"
equal "${f[errno]} $(nodes hog)" '0 1 1 1' 'the pid may be that of any thread'
tell -f "$sys/process_node" -- "${pid[hog]} none"
equal "${f[errno]} $(nodes hog)" '0 - - -' 'none is for all of them as well'
taskset -pc 0 "$last" >/dev/null
refused process_node "${pid[hog]} 1" ENODEV "pid $last may use no CPU of node 1"
equal "$(nodes hog)" '- - -' 'and no other thread has been changed'
tell -f "$sys/process_node" -- "${pid[hog]} 0"
equal "${f[errno]} $(nodes hog)" '0 0 0 0' 'its own node is fine'
