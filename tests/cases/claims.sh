#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fifty times, tasks are told a node with as many idle CPUs at the same instant: each has one of
# them to itself within 200 ms. How often they went for the same one, the counter tells. The emulation
# may hold a CPU up for longer than that: two rounds of the fifty may take up to 2 s for it.
#
#	node 0    hog hog  --.          node 0    -  -
#	node 1    -    -   <-' told     node 1    hog hog      and back, and again
#
# kernels: ends
# timeout: 180

. lib/softaff.sh
. lib/settings.sh
begin 2

start one hog -n 0 -m 2
start two hog -n 0 -m 2
ready one two
nap 0.3
lost=$(counter claims_lost)
tell_both 50 0.1
expect "apart >= 48 && apart + late == 50" 'each on a CPU of its own within 200 ms' "$apart of 50, the slowest after $slowest ms"
lost=$(($(counter claims_lost) - lost))
[[ $(counter claims_lost) ]]
ktap_ok $? 'lost claims are counted' "claims_lost: $lost in 50 rounds"
