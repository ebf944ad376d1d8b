#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hog at home is crowded out, and comes home when the crowd has left. Under the noise of short
# processes, two hogs stay home.
#
#	node 0    -  -              hog  -                  -  -
#	node 1    hog  -    ->      four hogs bound   ->    hog  -
#	                            here for 4 s
#
# timeout: 90

. lib/softaff.sh
begin 2

settled_hog
tell "${pid[hog]} 1"
nap 1
crowd=(a b c d) victims=''
for i in 0 1 2 3; do
	start "${crowd[i]}" taskset -c $((2 + i / 2)) hog -m 1
	victims+=" ${pid[${crowd[i]}]}"
done
ready "${crowd[@]}"
watch 4
ktap_diag "in the crowd: $account"
tell -n -k "$victims" -w 3000 "${pid[hog]} 1"
back=${f[home_ms]}
watch 1
ktap_diag "after it: $account"
stop "${crowd[@]}" hog
[[ $back != never ]] && ((back <= 500))
ktap_ok $? 'home within 500 ms of the end of the crowd' "after $back ms"

# in_noise SECONDS HOW: the smaller share of the two hogs on node 1, in percent, to least
in_noise()
{
	least=100
	restart one two
	nap "$1"
	ask one two
	for name in one two; do
		answer "$name"
		((f[node1] * 100 / f[cpu] >= least)) || least=$((f[node1] * 100 / f[cpu]))
		ktap_diag "in noise, $2: $(share "${f[node1]}" "${f[cpu]}") % of ${f[cpu]} ms on node 1"
	done
}

start one hog -n 1 -m 16
start two hog -n 1 -m 16
ready one two
noise --fork 2 --switch 2
in_noise 2 'left alone'
tell "${pid[one]} 1" "${pid[two]} 1"
nap 0.5
in_noise 5 'told node 1'
quiet
expect "least >= 90" 'two hogs are home for 90 % of their time in noise' "$least %"
