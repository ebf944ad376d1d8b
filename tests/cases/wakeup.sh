#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Where a task begins to run. A server at home is woken again and again by a client on the other node,
# which would like it near; children are born, and programs started, where their node is.
#
#	node 0    client          node 0    client
#	node 1    - server   not  node 0    server
#
# timeout: 90

. lib/softaff.sh
. lib/settings.sh
begin 7

# wakeups NODE: its figures, the server told NODE where that is not none
wakeups()
{
	start pingpong pingpong 0 2
	ready pingpong
	[[ $1 == none ]] || tell "${pid[pingpong]} $1"
	kill -USR1 "${pid[pingpong]}"
	await 1000 said pingpong woken
	figures "$(<"$tmp/pingpong")"
	stop pingpong
}

wakeups none
ktap_diag "left alone, ${f[node0]} of ${f[woken]} wakeups on the client's node"
wakeups 1
expect "f[woken] > 100" 'a server is woken from the other node' "${f[woken]} times"
expect "f[node1] * 1000 >= f[woken] * 995" 'and wakes at home' "${f[node1]} of ${f[woken]}"
expect "$(counter begun_home) > 0" 'the counter tells' "begun_home $(counter begun_home)"

# born: of the CPUs that a shell's children found themselves on, how many are node 1's, to on
born()
{
	local cpu
	on=0 all=0
	await 1000 gone "/proc/${pid[shell]}"
	unset 'pid[shell]'
	while read -r cpu; do ((++all, on += cpu > 1)) || :; done <"$tmp/shell"
}

# shellcheck disable=SC2016 # the inner shell's
birth='read -ra stat </proc/$BASHPID/stat; echo "${stat[38]}"'
start shell bash -c "echo \$\$ children >$sys/inherit; echo \$\$ 1 >$sys/preferred_node
	for i in {1..20}; do ($birth); done"
born
expect "all == 20 && on >= 19" 'children are born at home' "$on of $all"
start shell bash -c "echo \$\$ children >$sys/inherit; echo \$\$ 1 >$sys/preferred_node
	for i in {1..20}; do cut -d' ' -f39 /proc/self/stat; done"
born
expect "all == 20 && on >= 19" 'and programs start there' "$on of $all"

# A sleeper far from home costs nothing: it is led when it wakes.
start sleeper taskset 1 sleep 1000
nap 0.3
taskset -p f "${pid[sleeper]}" >/dev/null
tell "${pid[sleeper]} 1"
nap 1
runs=$(counter rehome_runs)
nap 3
equal "${f[on]} $(($(counter rehome_runs) - runs))" '0 0' 'nobody looks after one that sleeps elsewhere'
stop sleeper

listened() { grep -c '^select_task_rq_fair ' /sys/kernel/tracing/enabled_functions; }
start hog hog -m 1
tell "${pid[hog]} 1"
during=$(listened)
stop hog
unlistened() { [[ $(listened) == 0 ]]; }
await 1000 unlistened
equal "$during $(listened)" '1 0' 'wakeups are listened to only while somebody is steered'
