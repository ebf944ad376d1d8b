#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A node with CPUs and no memory is a home like others. When its CPUs are taken out of the machine
# the node goes offline: what was told is suspended, and refused from then on.
#
#	node 0    CPU CPU    memory
#	node 1    CPU CPU    memory
#	node 2    CPU CPU    -            -->  ejected
#
# shape: memless
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 9

settled_hog
start new hog -n 0 -m 4
ready new
tell "${pid[hog]} 2"
equal "${f[errno]} ${f[on]}" '0 2' 'there when the write returns'
watch 3
expect "f[node2] * 100 >= f[cpu] * 99" 'stays there for 99 % of its time' "$(share "${f[node2]}" "${f[cpu]}") %"
equal "$(one "${pid[hog]}" reason) $(preferred "${pid[hog]}")" 'home 2' 'at home'

eject 4 && eject 5
equal "$? $(</sys/devices/system/node/online)" '0 0-1' 'the CPUs are ejected, the node is offline'
becomes "${pid[hog]}" reason offline 'what was told is suspended'
equal "$(one "${pid[hog]}" node)" 2 'and kept'
refused preferred_node "${pid[new]} 2" ENODEV 'node 2 is offline'
equal "$(callprctl node set "${pid[new]}" 2)" ENODEV 'prctl refuses it too'
tell "${pid[hog]} 1"
becomes "${pid[hog]}" reason home 'it can go elsewhere'
