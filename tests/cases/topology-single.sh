#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A machine of one node: the module does nothing, and does it well.
#
#	node 0    CPU CPU CPU CPU    memory
#
# shape: 1x4
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 5

start hog hog -m 8
ready hog
tell "${pid[hog]} 0"
equal "${f[errno]} $(one "${pid[hog]}" reason)" '0 home' 'everybody is at home'
refused preferred_node "${pid[hog]} 1" EINVAL 'no node 1'
equal "$(callprctl node set 0 0 , node get 0 , node set 0 1)" '0, 0 0, EINVAL' 'prctl too'
equal "$(grep '^numa_balancing: ' "$sys/state")" 'numa_balancing: 0, off, so settings of scans have no effect' 'the kernel does not balance'
echo smart >"$sys/cpuset_skip"
nap 1
equal "$(one "${pid[hog]}" source)" task 'and there is no cpuset of one node among several'
