#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Four hogs told node 0, which has two CPUs: they use the whole machine, none waits for a CPU of
# the node while another is idle. Beside it the same hogs left alone, and bound by taskset.
#
#	node 0    hog  hog     all four told node 0
#	node 1    hog  hog     room is here only, so two of them run here
#
# timeout: 60

. lib/softaff.sh
begin 1

hogs=(a b c d)

# together HOW: the CPUs that the four get in 3 s, in hundredths, to cpus
together()
{
	local name home=0
	cpus=0
	nap 0.5
	restart "${hogs[@]}"
	nap 3
	ask "${hogs[@]}"
	for name in "${hogs[@]}"; do
		answer "$name"
		((cpus += f[cpu] * 100 / f[elapsed], home += f[node0] * 100 / f[elapsed])) || :
	done
	ktap_diag "$1: $((cpus / 100)).$((cpus / 10 % 10))$((cpus % 10)) CPUs, $(share $home $cpus) % of it on node 0"
}

for name in "${hogs[@]}"; do start "$name" hog -m 8; done
ready "${hogs[@]}"
together unforced
for name in "${hogs[@]}"; do taskset -apc 0-1 "${pid[$name]}" >/dev/null; done
together taskset
for name in "${hogs[@]}"; do taskset -apc 0-3 "${pid[$name]}" >/dev/null; done
tell "${pid[a]} 0" "${pid[b]} 0" "${pid[c]} 0" "${pid[d]} 0"
together forced
((cpus >= 380)) || together 'forced, once more'
expect "cpus >= 380" 'four told one node of two CPUs get 3.8 CPUs' "$cpus hundredths"
