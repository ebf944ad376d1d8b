#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tool with the true module: what it sets is set, what it shows is so, and what is refused it
# explains. Its wrong uses are tested without a kernel, in tests/unit.
#
#	softaff --prctl, sysfs--> module --debugfs--> softaff
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 25

export LC_ALL=C

# says STATUS TEXT NAME ARGUMENT...: softaff's exit status, and the first line that it prints
says()
{
	local out status
	out=$(softaff "${@:4}" 2>&1)
	status=$?
	equal "$status ${out%%$'\n'*}" "$1 $2" "$3"
}

softaff status >"$tmp/status"
expect "$? == 0" 'status: all is well' "$(<"$tmp/status")"
start hog hog -t 2 -m 4
ready hog
hog=${pid[hog]}
tids=("/proc/$hog/task/"*)
tid=${tids[-1]##*/}

says 0 '' 'set a thread' set 1 "$tid"
equal "$(one "$tid" node) $(one "$hog" node)" '1 -' 'that thread, and no other'
says 0 "$tid 1" 'get' get "$tid"
says 0 '' 'clear' clear "$tid"
equal "$(one "$tid" node)" - 'cleared'
says 0 '' 'set a process' set -a 1 "$hog"
equal "$(one "$tid" node) $(one "$hog" node)" '1 1' 'all its threads'
becomes "$hog" curnode 1 'which go there'
says 0 '' 'balancing' balancing off "$hog"
equal "$(softaff balancing "$tid")" "$tid off" 'of all its threads'
says 0 '' 'inherit' inherit children "$hog"
equal "$(softaff inherit "$hog")" "$hog children" 'of that thread'
equal "$(softaff list -rno pid,node,balancing | grep -c "^\($hog\|$tid\) 1 off$")" 2 'list shows them'
equal "$(softaff show "$hog" | sed -n 's/^explanation //p')" \
	'It is on its node, 1. It stays there unless it would wait and another node has a CPU free.' 'show explains'

start roots hog -m 2	# not before: on node 1, it would leave no CPU there to one of the threads
ready roots
says 64 "softaff: pid 2: set node 1: it is a kernel thread, or this kernel lacks a hook; see 'softaff status'" \
	'a kernel thread is refused, the other task set' set 1 2 "${pid[roots]}"
says 1 "softaff: pid $hog: set node 7: this machine has no such node; 'numactl --hardware' lists its nodes" \
	'no such node' set 7 "$hog"
user 65534
equal "$("${as[@]}" softaff set 1 "$hog" 2>&1)" \
	"softaff: pid $hog: set node 1: not permitted; be root, or steer your own tasks only" \
	"another's task is not for an ordinary user"
equal "$("${as[@]}" softaff run 1 -- callprctl node get 0)" '0 1' 'but a program of its own runs at home'
taskset 1 softaff run 1 -- true 2>/dev/null
equal "$?" 125 'where the node is refused, it is not started'

softaff unload
equal "$? $(ls -d /sys/module/softaff* 2>/dev/null)" '0 ' 'unload'
softaff load
equal "$? $(state)" '0 patch: enabled' 'load'
says 1 "softaff: load: it is loaded, its parameters cannot change; 'softaff unload' first" \
	'load: other parameters' load prctl_preferred_node=201
softaff unload
out=$(softaff load prctl_preferred_node=38 2>&1)
expect "$? == 1" 'load: refused' "$out"
[[ $out == *'softaff: the kernel says: prctl_preferred_node=38 is '* ]]
ktap_ok $? "with the kernel's own words" "$out"
