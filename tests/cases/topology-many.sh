#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Seventy nodes, more than a word of a node mask holds; the kernel numbers those with a CPU first.
#
#	node 0 to 3    CPU    memory
#	node 4 to 69   -      memory
#
# shape: many
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 8
ktap_diag "nodes with CPUs: $(</sys/devices/system/node/has_cpu)"

settled_hog
for node in 3 2 1; do
	tell "${pid[hog]} $node"
	equal "${f[errno]} ${f[on]} $(preferred "${pid[hog]}")" "0 $node $node" "node $node: there when the write returns"
done
tell "${pid[hog]} 3"
watch 2
expect "f[node3] * 100 >= f[cpu] * 99" 'stays on node 3 for 99 % of its time' "$(share "${f[node3]}" "${f[cpu]}") %"
refused preferred_node "${pid[hog]} 64" ENODEV 'node 64 has no CPU'
refused preferred_node "${pid[hog]} 70" EINVAL 'no node 70'
equal "$(callprctl node set 0 3 , node get 0 , node set 0 70 , node set 0 64)" '0, 0 3, EINVAL, ENODEV' 'prctl too'
at_home() { [[ $(one "${pid[hog]}" reason) == home ]]; }
await 100 at_home # callprctl has told itself the same node, which has one CPU
equal "$(one "${pid[hog]}" reason)" home 'what was refused has changed nothing'
