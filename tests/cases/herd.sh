#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two hogs are told the same node at the same instant, both of whose CPUs are idle: each soon has
# one of them to itself, and they never take the same. One round of the ten may be late, for the
# emulation holds a CPU up now and then.
#
#	node 0    hog hog  --.          node 0    -  -
#	node 1    -    -   <-' told     node 1    hog hog
#
# timeout: 60

. lib/softaff.sh
begin 1

start one hog -n 0 -m 8
start two hog -n 0 -m 8
ready one two
nap 0.5
tell_both 10 0.3
expect "apart >= 9 && apart + late == 10" 'each on a CPU of its own within 200 ms' "$apart of 10, the slowest after $slowest ms"
