#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same with a neighbour on one of node 1's CPUs: the other CPU is the one to take, though the
# kernel's rule of even load is against it. And the same for a task that is asleep when told.
#
#	node 0    hog  -  ----.           node 0    -  -
#	node 1    neighbour  <-'  told    node 1    neighbour  hog
#
# One round of each may fail, as the emulation holds a CPU up now and then.
#
# timeout: 120

. lib/softaff.sh
begin 4

start neighbour taskset -c 2 hog -m 4
ready neighbour
tell_settled 20
expect "there >= 19" 'on the node when the write returns' "$there of 20"
watch 6
expect "f[node1] * 100 >= f[cpu] * 99" 'stays there for 99 % of its time' "$account"
expect "f[pages1] * 100 >= (f[pages0] + f[pages1]) * 95" '95 % of its pages follow in 6 s' "$account"
stop hog

# To node 1 and back, 20 times each; one that was just running when told does not count. The
# writer, who looks on, keeps off the node that is told.
start sleeper hog -n 0 -m 4 -z 100
ready sleeper
woke=0 round=0 tries=0
while ((round < 40 && tries++ < 80)); do
	node=$(((round + 1) % 2))
	nap 0.06
	tell -c $((node ? 1 : 3)) -z -w 2000 "${pid[sleeper]} $node"
	[[ ${f[state]} == S ]] || continue
	((round++, woke += f[woke_on] == node)) || :
	[[ ${f[woke_on]} == "$node" ]] || ktap_diag "round $round: $told"
done
expect "round == 40 && woke >= 39" 'a sleeper wakes on the node it is told' "$woke of $round"
