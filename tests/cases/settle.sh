#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A hog settled on node 0 is told node 1, which is idle: it and its memory go and stay there.
#
#	node 0    hog ----.           node 0    -  -
#	node 1    -  -  <-'  told     node 1    hog with its pages
#
# One round of the twenty may be late, as the emulation holds a CPU up now and then.
#
# timeout: 120

. lib/softaff.sh
begin 3

tell_settled 20
expect "there >= 19" 'on the node when the write returns' "$there of 20"
watch 10
expect "f[node1] * 100 >= f[cpu] * 99" 'stays there for 99 % of its time' "$account"
expect "f[pages1] * 100 >= (f[pages0] + f[pages1]) * 95" '95 % of its pages follow in 10 s' "$account"
