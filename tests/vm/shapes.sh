# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The shapes of the test machine; sourced by boot, listed by "boot --shape help".
#
#   name     nodes, as CPUs:memory in MiB, "-" for none; +ARGUMENT is one of the kernel's
#
# One socket a node that has CPUs: without that recent kernels warn in topology_sane.

shapes()
{
	cat <<-'END'
		2x2      0-1:1024 2-3:1024
		1x4      0-3:2048
		4x1      0:512 1:512 2:512 3:512
		cpuless  0-1:1024 2-3:1024 -:1024
		memless  0-1:1024 2-3:1024 4-5:-
		sparse   0-1:1024 2-3:- 4-5:1024
		locked   0-1:1024 2-3:1024
		signed   0-1:1024 2-3:1024 +module.sig_enforce=1
		large    0-1:3072 2-3:3072
		blind    0-1:1024 2-3:1024 +debugfs=off
	END
	# 70 nodes, more than one word of a node mask; the first two and the last two have a CPU
	echo "many     0:512 1:512 $(printf -- '-:32 %.0s' {2..67}) 2:512 3:512"
}

# shape_args NAME: set the array shape to QEMU's arguments, and arguments to the kernel's
shape_args()
{
	local spec node cpus mem n=0 sockets=0 ncpus=0 total=0 numa=()
	spec=$(shapes | awk -v n="$1" '$1 == n { $1 = ""; print }')
	[[ $spec ]] || die "no such shape: $1; there are:"$'\n'"$(shapes | cut -c1-76)"
	arguments=''
	for node in $spec; do
		if [[ $node == +* ]]; then
			# shellcheck disable=SC2034 # the caller's
			arguments+=" ${node#+}"
			continue
		fi
		cpus=${node%:*} mem=${node#*:}
		numa+=(-numa "node,nodeid=$n")
		if [[ $mem != - ]]; then
			numa=("${numa[@]::${#numa[@]}-2}" -object
				"memory-backend-memfd,id=m$n,size=${mem}M,share=on"
				-numa "node,nodeid=$n,memdev=m$n")
			total=$((total + mem))
		fi
		if [[ $cpus != - ]]; then
			numa[-1]+=,cpus=$cpus
			ncpus=$((${cpus#*-} + 1)) sockets=$((sockets + 1))
		fi
		n=$((n + 1))
	done
	# shellcheck disable=SC2034 # the caller's
	shape=(-m "${total}M" -smp "$ncpus,sockets=$sockets,cores=$((ncpus / sockets))" "${numa[@]}")
}
