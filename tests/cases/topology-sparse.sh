#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Numbers with a hole: the middle node goes offline with its CPUs, the last one stays.
#
#	node 0    CPU CPU    memory
#	node 1    CPU CPU    -           -->  ejected
#	node 2    CPU CPU    memory
#
# shape: sparse
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 6

eject 2 && eject 3
equal "$? $(</sys/devices/system/node/online)" '0 0,2' 'the nodes have a hole'
settled_hog
refused preferred_node "${pid[hog]} 1" ENODEV 'node 1 is offline'
refused preferred_node "${pid[hog]} 3" EINVAL 'no node 3'
tell "${pid[hog]} 2"
equal "${f[errno]} ${f[on]}" '0 2' 'beyond it: there when the write returns'
watch 3
expect "f[node2] * 100 >= f[cpu] * 99" 'stays there for 99 % of its time' "$(share "${f[node2]}" "${f[cpu]}") %"
equal "$(one "${pid[hog]}" reason) $(preferred "${pid[hog]}")" 'home 2' 'at home'
