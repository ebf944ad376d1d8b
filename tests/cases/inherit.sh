#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What descendants get from a task that is told its node: one rule, by default or of the task, and
# the same for every way of making them. vfork and posix_spawn end in an exec, which keeps it.
#
#	rule        thread  fork  its fork  vfork  posix_spawn  clone(CLONE_VM)
#	threads     told    -     -         -      -            -
#	children    told    told  told      told   told         told
#	none        -       -     -         -      -            -
#
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 15

# kin COLUMN: one family more, and what the table says of it
kin()
{
	local name
	: >"$tmp/family"
	kill -USR1 "${pid[family]}"
	await 500 said family made || ktap_diag "$(<"$tmp/family")"
	figures "$(<"$tmp/family")"
	ids=()
	for name in thread fork grandchild vfork spawn vm; do ids+=("${f[$name]:-0}"); done
	of_kin "$1"
}

of_kin() # COLUMN: of the last family; whoever has no node, or no line, has "-"
{
	local id all=''
	columns "$1"
	for id in "${ids[@]}"; do all+=" ${col[$id]:--}"; done
	all=${all//-1/-}
	kin=${all# }
}

declare -A wanted=([threads]='1 - - - - -' [children]='1 1 1 1 1 1' [none]='- - - - - -')
declare -A other=([threads]=none [children]=none [none]=children)

modprobe -q vhost_net
start family family
await 500 said family ready
me=${pid[family]}
tell "$me 1"

equal "$(<"$sys/inherit")" threads 'only threads inherit where nothing is said'
for rule in threads children none; do
	echo $rule >"$sys/inherit"
	kin node
	equal "$kin" "${wanted[$rule]}" "$rule by default"
done
for rule in threads children none; do
	echo "${other[$rule]}" >"$sys/inherit"
	echo "$me $rule" >"$sys/inherit"
	kin node
	equal "$kin" "${wanted[$rule]}" "$rule by the task's own rule, $(<"$sys/inherit") by default"
done
echo threads >"$sys/inherit"

# Later changes are the parent's alone
echo "$me children" >"$sys/inherit"
kin node
tell "$me 0"
of_kin node
equal "$kin" '1 1 1 1 1 1' 'told anew, it does not touch those that are there'
tell "$me none"
of_kin node
equal "$kin" '1 1 1 1 1 1' 'nor cleared'
kin node
equal "$kin" '- - - - - -' 'and hands down nothing any more'
echo "$me default" >"$sys/inherit"

# Balancing is the process's: whoever shares its memory has it, others by the rule
echo "$me off" >"$sys/numa_balancing"
kin balancing
kin=${kin//default/-}
equal "$kin" 'off - - - - off' 'balancing: off for the process is so for who shares its memory'
echo children >"$sys/inherit"
kin balancing
equal "$kin" 'off off off off off off' 'and for children by the rule'
echo threads >"$sys/inherit"
stop family

# Workers in the name of the process are threads of it
start family family -uv
await 500 said family ready
me=${pid[family]}
tell "$me 1"
kin node
if ((f[uring])); then
	equal "$(one "${f[uring]}" node)" 1 "a worker of io_uring inherits as a thread"
else
	ktap_skip 'a worker of io_uring inherits as a thread' 'io_uring has no worker here'
fi
if ((f[vhost])); then
	equal "$(one "${f[vhost]}" node)" 1 "a worker of vhost inherits as a thread"
else
	ktap_skip 'a worker of vhost inherits as a thread' 'it is a kernel thread here'
fi
uring=${f[uring]:-0}
tell -f "$sys/process_node" -- "$me 0"
equal "${f[errno]} $(one "$me" node) $(one "$uring" node)" '0 0 0' 'and a process with workers can be told'
