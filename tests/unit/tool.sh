#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The library and the tool on a made tree: what each command prints, writes and exits with, above all
# when it is used wrongly. No module and no root are needed; fakekernel.c plays the module.
#
#	softaff --> files below $SOFTAFF_ROOT     sys/kernel/softaff/..., proc/PID/...
#	       `--> prctl 101 --> fakekernel.so   nodes/TID

cd "$(dirname "$0")" || exit
. ../lib/ktap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! make -s -C ../../userspace BUILD="$tmp/build" >"$tmp/make" 2>&1 ||
	! ${CC:-cc} -O2 -Wall -Wextra -Werror -shared -fPIC -o "$tmp/fakekernel.so" fakekernel.c -ldl 2>"$tmp/make"
then
	ktap_diag "$(<"$tmp/make")"
	exit 1
fi
export SOFTAFF_ROOT=$tmp/root LD_LIBRARY_PATH=$tmp/build LC_ALL=C
PATH=$tmp/bin:/usr/sbin:/usr/bin:/sbin:/bin
sys=$SOFTAFF_ROOT/sys/kernel/softaff
debug=$SOFTAFF_ROOT/sys/kernel/debug/softaff
klp=$SOFTAFF_ROOT/sys/kernel/livepatch

softaff() { LD_PRELOAD=$tmp/fakekernel.so "$tmp/build/softaff" "$@"; }

# --- the made tree

put() { mkdir -p "$(dirname "$1")"; printf "%s\n" "${@:2}" >"$1"; } # FILE LINE...

columns='pid tgid node preferred curnode cpu home_pct moves_home moves_away reason source balancing inherit comm'

# process PID COMM UID CGROUP NODE0-PAGES NODE1-PAGES
process()
{
	local proc=$SOFTAFF_ROOT/proc/$1
	put "$proc/comm" "$2"
	put "$proc/status" "Name:	$2" "Tgid:	$1" "Uid:	$3	$3	$3	$3"
	put "$proc/cgroup" "0::$4"
	put "$proc/numa_maps" "7f00 default anon=9 N0=$5 N1=$6 kernelpagesize_kB=4" '7fff default stack'
	put "$proc/stat" "$1 ($2) S $(seq -s' ' 4 38) 3 0 0 0"
	mkdir -p "$proc/task" "$proc/fd"
	ln -sfn .. "$proc/task/$1"
	ln -sfn "/usr/bin/$2" "$proc/exe"
	printf '%s\0' "$2" --config "/etc/$2" >"$proc/cmdline"
}

# thread PID TID: which a list of processes shows, unlike the true one, but with nothing in it
thread()
{
	mkdir -p "$SOFTAFF_ROOT/proc/$2"
	ln -sfn "../../$2" "$SOFTAFF_ROOT/proc/$1/task/$2"
}

# module: loaded, and as a fresh load has it
module()
{
	local file
	for file in preferred_node process_node cgroup_node numa_balancing scan_period; do
		mkdir -p "$sys"
		: >"$sys/$file"
	done
	put "$sys/inherit" threads
	put "$sys/default_balancing" on
	put "$sys/placement" active
	put "$sys/version" 0.1.0
	put "$sys/state" 'patch: enabled' 'tasks: 3' 'numa_balancing: 1, normal'
	put "$sys/hooks" 'sched_setnuma sched_setnuma itself' 'task_numa_work task_numa_work itself'
	put "$SOFTAFF_ROOT/sys/module/softaff/parameters/prctl_preferred_node" 101
	put "$SOFTAFF_ROOT/sys/module/softaff/parameters/prctl_numa_balancing" 0
	put "$klp/softaff/enabled" 1
	put "$klp/softaff/transition" 0
	mkdir -p "$klp/softaff/vmlinux/sched_setnuma,1"
	put "$debug/tasks" "$columns" \
		'200 200 0 0 0 1 100.0 0 0 home task default default redis-server' \
		'102 100 1 1 0 0 40.5 3 4 busy task off children post\040gres' \
		'100 100 1 1 1 2 99.0 1 0 home cgroup default default postgres'
	put "$debug/task.100" "$columns" \
		'100 100 1 1 1 2 99.0 1 0 home cgroup default default postgres' 'scan_period 0 0'
	put "$debug/task.102" "$columns" \
		'102 100 1 1 0 0 40.5 3 4 busy task off children post\040gres' 'scan_period 0 0'
	: >"$debug/task"
	put "$debug/stats" 'moved_home 10' 'moved_away 4' 'lb_spilled 2'
}

# anew: a tree with three processes and two nodes, the module loaded
anew()
{
	rm -rf "$SOFTAFF_ROOT"
	mkdir -p "$SOFTAFF_ROOT/nodes"
	process 100 postgres 61234 /system.slice/db.service 100 25600
	thread 100 102
	process 200 redis-server 61235 /system.slice/redis.service 2560 2560
	process 300 bash 61234 /user.slice 0 0
	mkdir -p "$SOFTAFF_ROOT"/sys/devices/system/cpu/cpu3/node1
	module
}

unloaded() { rm -rf "$sys" "$debug" "$klp/softaff" "$SOFTAFF_ROOT/sys/module"; }

# device PATH NODE [LINK...]: a device below sys/devices, and links to it from sys
device()
{
	local link
	put "$SOFTAFF_ROOT/sys/devices/$1/numa_node" "$2"
	for link in "${@:3}"; do
		mkdir -p "$SOFTAFF_ROOT/sys/${link%/*}"
		ln -sfn "$SOFTAFF_ROOT/sys/devices/$1" "$SOFTAFF_ROOT/sys/$link"
	done
}

# part OF LINK: something that has no numa_node of its own, below a device
part()
{
	mkdir -p "$SOFTAFF_ROOT/sys/devices/$1" "$SOFTAFF_ROOT/sys/${2%/*}"
	ln -sfn "$SOFTAFF_ROOT/sys/devices/$1" "$SOFTAFF_ROOT/sys/$2"
}

# --- the checks

# judge NAME GOT WANTED
judge()
{
	local status=0 diag=''
	[[ $2 == "$3" ]] || status=1 diag="got '$2', wanted '$3'"
	ktap_ok $status "$1" "$diag"
}

# says STATUS OUT ERR NAME ARGUMENT...: softaff's exit status and all that it prints
says()
{
	local status
	softaff "${@:5}" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	judge "$4" "status $status"$'\n'"$(<"$tmp/out")"$'\n'"$(<"$tmp/err")" "status $1"$'\n'"$2"$'\n'"$3"
}

# wrong MESSAGE ARGUMENT...: a wrong command line: status 2, the message, a hint where help is
wrong()
{
	says 2 '' "softaff: ${2:+$2: }$1"$'\n'"Try 'softaff${2:+ $2} --help' for more information." \
		"wrong: softaff ${*:2}" "${@:2}"
}

# is GOT WANTED NAME
is()
{
	judge "$3" "$1" "$2"
}

# await COMMAND...: until it is true; false after ten seconds
await() { for ((i = 0; i < 200; i++)); do "$@" && return; sleep 0.05; done; false; }

wrote() { is "$(<"$sys/$1")" "$2" "$3"; } # FILE LINES NAME
node() { cat "$SOFTAFF_ROOT/nodes/$1" 2>/dev/null; }

ktap_plan 256

# --- wrong command lines

anew
wrong 'no command given'
wrong 'no task given' show
wrong 'no node given' set
wrong 'no task given' set 1
wrong 'no task given' clear
wrong 'no task given' get
wrong 'give pids, or --comm, --user and --cgroup, not both' set --comm bash 1 100
wrong "'maybe' is not NUMA balancing; use one of: off, on, default" balancing maybe 100
wrong "'all' is not a rule of inheritance; use one of: default, threads, children, none" inherit all 100
wrong '--machine is about no task' inherit --machine none 100
wrong "the machine's NUMA balancing cannot be 'default', it is the default" balancing --machine default
wrong 'unknown column: shoe' list -o pid,shoe
wrong 'unknown column: steered' list -o steered
wrong "unexpected argument '1'" list 1
wrong '--json and --raw exclude each other' list -J -r
wrong "unexpected argument '200'" show 100 200
wrong "unexpected argument 'x'" status x
wrong "unexpected argument 'x'" unload x
wrong "'x' is not PARAMETER=VALUE" load x
wrong "'soon' is not a number of seconds from 0 to 86400" load --wait soon
wrong "'0' is not a number of seconds from 1 to 3600" top -d 0
wrong "'-1' is not a number of frames from 1 to 4294967295" top -n -1
wrong 'no process given' suggest
wrong "'nobodyhere' is not a user's name, or number from 0 to 4294967294" set --user nobodyhere 1
says 2 '' "softaff: fly: no such command
Try 'softaff --help' for more information." 'wrong: a command that is not there' fly
says 2 '' "softaff: unrecognized option '--wrong'
Try 'softaff set --help' for more information." 'wrong: an option that is not there' set --wrong
for word in 0 -- -7 12x 99999999999 ''; do
	[[ $word != -- ]] || continue
	says 1 '' "softaff: '$word' is not a pid; give a task's number, as ps shows it" \
		"wrong: pid '$word'" set 1 -- "$word"
done
for word in one -2 1x '' all 0-1 netdev:nothere; do
	says 2 '' "softaff: '$word' is not a node; give a number, see 'numactl --hardware', or --near DEVICE" \
		"wrong: node '$word'" set -- "$word" 100
done
is "$(cat "$sys"/{preferred_node,process_node,cgroup_node,numa_balancing})$(ls "$SOFTAFF_ROOT/nodes")" '' \
	'and nothing of that was set'

# --- nodes

says 0 '' '' 'set: two tasks' set 1 100 200
is "$(node 100) $(node 200) $(node 102)" '1 1 ' 'these two, and no other thread'
says 0 $'100 1\n300 none' '' 'get' get 100 300
says 64 $'100 1' 'softaff: pid 999: get its node: there is no such task; it may have ended' \
	'get: one of two that is not there' get 100 999
says 64 '' 'softaff: pid 999: set node 0: there is no such task; it may have ended' \
	'set: one of two that is not there' set 0 999 100
is "$(node 100)" 0 'the other one is set'
says 1 '' 'softaff: pid 999: set node 0: there is no such task; it may have ended' \
	'set: none that is there' set 0 999
says 64 '' "softaff: 'x' is not a pid; give a task's number, as ps shows it" 'set: a pid and a word' set 1 100 x
says 0 '' '' 'clear' clear 100
is "$(node 100)" -1 'is cleared'
says 0 '' '' 'set: node none clears as well' set none 200
is "$(node 200)" -1 'is cleared too'
says 0 '' '' 'set -a: the whole process' set -a 1 100
wrote process_node '100 1' 'in one line'
says 0 '' '' 'set --comm' set --comm redis-server 1
wrote process_node $'100 1\n200 1' 'is the whole process'
says 1 '' 'softaff: no process has name nothere user 0' 'set: no such process' set --comm nothere --user 0 1
says 0 $'100 1\n300 none' '' 'get --user' get --user 61234
says 0 $'100 1\n102 none' '' 'get -a: each thread' get -a 100
says 0 $'100 1' '' 'get --cgroup' get --cgroup /sys/fs/cgroup/system.slice/db.service
says 1 '' 'softaff: no process has cgroup /system' 'get --cgroup: not by the beginning of a name' get --cgroup /system
says 0 '' '' 'set --cgroup' set --cgroup /system.slice 1
says 0 '' '' 'clear --cgroup' clear -g '/a b'
wrote cgroup_node $'/system.slice 1\n/a b -1' 'as a cgroup'
says 1 '' 'softaff: cgroup here: set node 1: there is no such cgroup; give it as in /proc/PID/cgroup' \
	'set --cgroup: no path' set --cgroup here 1

# refuses ERRNO REASON: what softaff says where the module refuses with that
refuses()
{
	put "$SOFTAFF_ROOT/prctl.errno" "$1"
	says 1 '' "softaff: pid 100: set node 1: $2" "refused with errno $1" set 1 100
	rm "$SOFTAFF_ROOT/prctl.errno"
}
refuses 22 "this machine has no such node; 'numactl --hardware' lists its nodes"
refuses 19 'the node is offline or has no CPU that the task may use; see its CPU mask and cpuset'
refuses 95 "it is a kernel thread, or this kernel lacks a hook; see 'softaff status'"
refuses 16 "the livepatch is not in place; see 'softaff status'"
refuses 5 'Input/output error'

# Where the prctl may not, sysfs; where that may not either, each thread
put "$SOFTAFF_ROOT/prctl.errno" 1
says 0 '' '' 'set: not by prctl' set 1 300
wrote preferred_node '300 1' 'then by sysfs'
put "$sys/preferred_node.errno" 1
says 1 '' 'softaff: pid 300: set node 1: not permitted; be root, or steer your own tasks only' \
	'set: by neither' set 1 300
rm "$SOFTAFF_ROOT/prctl.errno"
put "$sys/process_node.errno" 1
says 0 '' '' 'set -a: not by sysfs' set -a 1 100
is "$(node 100) $(node 102)" '1 1' 'then each thread'
anew
put "$SOFTAFF_ROOT/sys/module/softaff/parameters/prctl_preferred_node" 0
says 0 '' '' 'set: prctl switched off' set 1 300
wrote preferred_node '300 1' 'by sysfs'
says 0 $'102 1' '' 'get: by debugfs' get 102

# --- settings that are words

anew
says 0 '' '' 'balancing: set' balancing off 100 200
wrote numa_balancing $'100 off\n200 off' 'written'
says 64 $'102 off' 'softaff: pid 999: NUMA balancing: there is no such task; it may have ended' \
	'balancing: print' balancing 102 999
says 0 on '' "balancing: the machine's" balancing --machine
says 0 '' '' "balancing: the machine's, set" balancing -m off
is "$(tail -n 1 "$sys/default_balancing")" off 'written'
says 0 '' '' 'inherit: set' inherit children -a 100
is "$(grep . "$sys/inherit")" $'threads\n100 children\n102 children' 'for each thread'
says 0 $'102 children' '' 'inherit: print' inherit 102

# --- run

says 0 hello '' 'run' run 1 -- echo hello
says 0 -x '' 'run: options of the command are its own' run 1 echo -x
says 7 '' '' "run: the command's status" run 1 -- sh -c 'exit 7'
says 127 '' 'softaff: run nothere: No such file or directory' 'run: not found' run 1 nothere
says 126 '' 'softaff: run /: Permission denied' 'run: cannot be executed' run 1 /
says 125 '' "softaff: run: no node given
Try 'softaff run --help' for more information." 'run: no node' run -- true
says 125 '' "softaff: run: no command given
Try 'softaff run --help' for more information." 'run: no command' run 1
says 125 '' "softaff: run: give a node or --near, not both
Try 'softaff run --help' for more information." 'run: node and device' run 1 --near eth0 true
says 125 '' "softaff: 'x' is not a node; give a number, see 'numactl --hardware', or --near DEVICE" \
	'run: a wrong node' run x true
put "$SOFTAFF_ROOT/prctl.errno" 19
reason='the node is offline or has no CPU that the task may use; see its CPU mask and cpuset'
says 125 '' "softaff: run on node 1: $reason" 'run: refused, so not started' run 1 echo hello
says 0 hello "softaff: run on node 1: $reason" 'run --best-effort: started' run 1 -e echo hello
rm "$SOFTAFF_ROOT/prctl.errno"
pid=$(softaff run 1 --inherit children --balancing off sh -c 'echo $$')
is "$(node "$pid") $(tail -n 1 "$sys/numa_balancing")" "1 $pid off" 'run: the process itself has the node and the mode'
is "$(tail -n 1 "$sys/inherit")" "$pid children" 'and the rule'

# --- near

device pci0/0000:01:00.0 1 bus/pci/devices/0000:01:00.0
part pci0/0000:01:00.0/net/eth7 class/net/eth7
part pci0/0000:01:00.0/nvme/nvme7/nvme7n1/nvme7n1p1 class/block/nvme7n1p1
part pci0/0000:01:00.0/drm/card7 class/drm/card7
part pci0/0000:01:00.0/infiniband/mlx7 class/infiniband/mlx7
device pci1/0000:02:00.0 0
part pci1/0000:02:00.0/net/eth8 class/net/eth8
device pci1/0000:03:00.0 -1
part pci1/0000:03:00.0/net/eth9 class/net/eth9
part virtual/net/bond7 class/net/bond7
ln -s "$SOFTAFF_ROOT/sys/class/net/eth7" "$SOFTAFF_ROOT/sys/devices/virtual/net/bond7/lower_eth7"
part virtual/net/bond8 class/net/bond8
ln -s "$SOFTAFF_ROOT/sys/class/net/eth7" "$SOFTAFF_ROOT/sys/devices/virtual/net/bond8/lower_eth7"
ln -s "$SOFTAFF_ROOT/sys/class/net/eth8" "$SOFTAFF_ROOT/sys/devices/virtual/net/bond8/lower_eth8"
part virtual/block/dm-7 class/block/dm-7
mkdir "$SOFTAFF_ROOT/sys/devices/virtual/block/dm-7/slaves"
ln -s "$SOFTAFF_ROOT/sys/class/block/nvme7n1p1" "$SOFTAFF_ROOT/sys/devices/virtual/block/dm-7/slaves/"
for name in eth7 0000:01:00.0 01:00.0 00000000:01:00.0 0000:01:0.0 nvme7n1p1 card7 mlx7 bond7 dm-7; do
	rm -f "$SOFTAFF_ROOT/nodes/300"
	softaff set --near "$name" 300
	is "$(node 300)" 1 "near $name"
done
says 0 '' '' 'near eth8' set --near eth8 300
is "$(node 300)" 0 'is on node 0'
says 1 '' 'softaff: near eth9: the machine does not say on which node it is; give a node' \
	'near: no node known' set --near eth9 300
says 1 '' 'softaff: near bond8: its parts are on different nodes; give one of them' \
	'near: parts on two nodes' set --near bond8 300
reason='there is no such device; give a network, RDMA, block or drm device or a PCI address'
for name in nothere '' ../net/eth7 /dev/nothere 01:00.0x 01:00.1; do
	says 1 '' "softaff: near $name: $reason" "near: no such device '$name'" set --near "$name" 300
done
says 125 '' "softaff: near nothere: $reason" 'run --near: no such device' run --near nothere true
says 0 hello '' 'run --near' run --near eth7 -- echo hello

# --- list and show

anew
says 0 'PID COMM         NODE CURNODE CPU HOME_PCT REASON
100 postgres        1       1   2     99.0 home
102 post gres       1       0   0     40.5 busy
200 redis-server    0       0   1    100.0 home' '' 'list' list
says 0 '100 postgres 1
102 post\x20gres 1
200 redis-server 0' '' 'list -r -n -o' list -rno pid,comm,node
says 0 'PID   USER
100   61234
`-102 -
200   61235' '' 'list --tree' list --tree -o pid,user
says 0 'PID COMM         NODE CURNODE CPU HOME_PCT REASON CGROUP                      MEMORY
100 postgres        1       1   2     99.0 home   /system.slice/db.service    0:0,1:100
102 post gres       1       0   0     40.5 busy   -                           -
200 redis-server    0       0   1    100.0 home   /system.slice/redis.service 0:10,1:10' '' \
	'list -o +' list -o +cgroup,memory
is "$(softaff list -J | jq -c '.softaff[1]')" \
	'{"pid":102,"comm":"post gres","node":1,"curnode":0,"cpu":0,"home_pct":40.5,"reason":"busy"}' 'list --json'
is "$(softaff list -JT -o pid | jq -c .)" \
	'{"softaff":[{"pid":100,"children":[{"pid":102}]},{"pid":200}]}' 'list --json --tree'
put "$debug/tasks" "$columns moods" '300 300 -1 0 1 2 0.0 0 0 none none off default bash blue' 'half a line'
is "$(softaff list -J -o pid,node | jq -c .)" '{"softaff":[{"pid":300,"node":null}]}' \
	'list: no node is null, and half a line is none'
says 0 'PID NODE
300    -' '' 'list: and a dash' list -o pid,node
mv "$debug" "$debug.away"
softaff set 1 300
says 0 'PID COMM NODE CURNODE CPU HOME_PCT REASON
300 bash    1       1   3        - -' \
	"softaff: /sys/kernel/debug/softaff/tasks: No such file or directory; showing what prctl tells, which is less" \
	'list: without debugfs, less' list
says 0 'pid         300
comm        bash
node        1
explanation The rest is in debugfs, which cannot be read; be root.' '' 'show: without debugfs, less' show 300
says 1 '' 'softaff: pid 300: NUMA balancing: debugfs, which knows it, cannot be read; be root, and mount debugfs' \
	'balancing: without debugfs' balancing 300
anew
says 0 'pid         102
tgid        100
node        1
preferred   1
curnode     0
cpu         0
home_pct    40.5
moves_home  3
moves_away  4
reason      busy
source      task
balancing   off
inherit     children
comm        post gres
explanation Node 1 has no CPU free, so it runs on node 0. It goes home as soon as one is.' '' 'show' show 102
is "$(softaff show -J 100 | jq -r '.softaff[0] | "\(.pid) \(.reason) \(.explanation)"')" \
	'100 home It is on its node, 1. It stays there unless it would wait and another node has a CPU free.' \
	'show --json'
says 0 "pid         300
comm        bash
node        -
explanation It has no settings: the kernel alone decides where it is. 'softaff set NODE 300' gives it a node." '' \
	'show: a task without settings' show 300
says 1 '' 'softaff: show 999: there is no such task; it may have ended' 'show: no such task' show 999
says 2 '' "softaff: '0' is not a pid; give a task's number, as ps shows it" 'show: pid 0' show 0
for reason in mask cpuset class offline passive disabled none asleep; do
	put "$debug/task.300" "$columns" "300 300 1 1 0 2 9.0 1 0 $reason task off default bash"
	softaff show 300 | grep -q '^explanation [A-Z].*\.$'
	ktap_ok $? "show: explains $reason"
done

# --- suggest, top

says 0 "KIND   WHAT    NODE
memory 0 MiB      0
memory 100 MiB    1

Node 1: most of its memory is there. 'softaff set -a 1 100' gives it to all its threads." '' 'suggest' suggest 100
says 1 'KIND   WHAT   NODE
memory 10 MiB    0
memory 10 MiB    1

No node: neither its devices nor most of its memory are on one node.' '' 'suggest: nothing to go by' suggest 200
device pci0/0000:01:00.0 1
part pci0/0000:01:00.0/mem/null7 dev/char/1:3
part pci0/0000:01:00.0/mem/null7 class/misc/null7
ln -s ../../../devices/pci0/0000:01:00.0/mem/null7 "$SOFTAFF_ROOT/sys/dev/char/1:3" 2>/dev/null
ln -s /dev/null "$SOFTAFF_ROOT/proc/200/fd/3"
is "$(softaff suggest -J 200 | jq -c '.softaff[-2:] | map([.kind, .what, .node])')" \
	'[["device","null7",1],["suggestion",null,1]]' 'suggest: a device that is open'
says 1 '' 'softaff: suggest a node for 999: there is no such task; it may have ended' 'suggest: no such task' suggest 999
is "$(softaff top -n 1 | sed '1s/^[0-9:]\{8\} //')" 'patch enabled, 3 tasks; in 0.0 s 0 came home, 0 left, 0 spilled

NODE STEERED HOME AWAY
   0       1    1    0
   1       2    1    1

PID COMM         NODE CURNODE CPU HOME_PCT REASON MEMORY
102 post gres       1       0   0     40.5 busy   -
100 postgres        1       1   2     99.0 home   0:0,1:100
200 redis-server    0       0   1    100.0 home   0:10,1:10' 'top: in a pipe, text, who is away first'
: >"$tmp/top"
softaff top -n 2 -d 1 >>"$tmp/top" &
await grep -q PID "$tmp/top"
put "$debug/stats" 'moved_home 13' 'moved_away 5' 'lb_spilled 9'
wait $!
is "$(grep -o 'in 1.*' "$tmp/top")" 'in 1.0 s 3 came home, 1 left, 7 spilled' 'top: the second frame counts'

# In a terminal: a screen of its own, which shows as many tasks as it has room for, until q
if command -v tmux >/dev/null; then
	# shellcheck disable=SC2317 # await calls it
	shows() { screen=$("${terminal[@]}" capture-pane -p) && [[ $screen == *"$1"* ]]; }
	terminal=(tmux -L "softaff-$$" -f /dev/null)
	"${terminal[@]}" new-session -d -x 80 -y 10 "LD_PRELOAD=$tmp/fakekernel.so $tmp/build/softaff top -d 1; echo ended \$?; sleep 60"
	await shows PID
	is "$(sed '1s/^[0-9:]\{8\} //; 1s/in [0-9.]* s/in 0 s/; /^$/d' <<<"$screen")" \
		'patch enabled, 3 tasks; in 0 s 0 came home, 0 left, 0 spilled
NODE STEERED HOME AWAY
   0       1    1    0
   1       2    1    1
PID COMM      NODE CURNODE CPU HOME_PCT REASON MEMORY
102 post gres    1       0   0     40.5 busy   -
100 postgres     1       1   2     99.0 home   0:0,1:100' 'top: in a terminal'
	"${terminal[@]}" send-keys q
	await shows ended
	is "$(grep -v '^$' <<<"$screen")" 'ended 0' 'top: q quits, and leaves the screen as it was'
	"${terminal[@]}" kill-server
else
	ktap_skip 'top: in a terminal' 'no tmux'
	ktap_skip 'top: q quits, and leaves the screen as it was' 'no tmux'
fi

# --- status, load, unload

kernel=$(uname -r)
says 0 "module         0.1.0
kernel         $kernel
patch          enabled
steered        3
numa_balancing 1, normal
hooks          2 of 2
livepatches    no others
debugfs        readable
lockdown       -" '' 'status: all is well' status
put "$sys/state" 'patch: patching' 'tasks: 0' 'numa_balancing: 0, off, so settings of scans have no effect'
put "$sys/hooks" 'sched_setnuma sched_setnuma itself' 'task_numa_work - missing: scans' \
	'security_task_prctl - switched off: the prctls' '# a remark'
mkdir -p "$klp/other/vmlinux/sched_setnuma,1" "$klp/third/vmlinux/else,1"
put "$SOFTAFF_ROOT/sys/kernel/security/lockdown" 'none [integrity] confidentiality'
mv "$debug" "$debug.away"
softaff status >"$tmp/out"
is "$? $(sed 1,10d "$tmp/out")" '1 the livepatch is patching: settings are refused or not enforced
kernel.numa_balancing is 0, off, so settings of scans have no effect; memory does not follow tasks
hook task_numa_work - missing: scans
livepatch other replaces sched_setnuma() too: the one loaded last counts
/sys/kernel/debug/softaff cannot be read: '"'list', 'show' and 'top'"' know less; be root, mount debugfs' \
	'status: all that is not well'
is "$(softaff status -J | jq -c '.softaff[0] | [.hooks, .steered, .lockdown, .debugfs]')" \
	'["1 of 3",0,"integrity","not readable"]' 'status --json'
says 1 '' '' 'status -q' status -q
unloaded
says 3 "module         not loaded
kernel         $kernel
patch          -
steered        -
numa_balancing -
hooks          -
livepatches    -
debugfs        -
lockdown       integrity

the module is not loaded; 'softaff load' as root loads it" '' 'status: not loaded' status
reason="the module is not loaded; load it with 'softaff load' as root"
says 1 '' "softaff: pid 100: set node 1: $reason" 'set: not loaded' set 1 100
says 1 '' "softaff: pid 100: set node 1: $reason" 'set -a: not loaded' set -a 1 100
says 1 '' "softaff: cgroup /a: set node 1: $reason" 'set --cgroup: not loaded' set -g /a 1
says 125 '' "softaff: run on node 1: $reason" 'run: not loaded' run 1 true
says 1 '' "softaff: list: $reason" 'list: not loaded' list
says 1 '' "softaff: show 100: $reason" 'show: not loaded' show 100
says 1 '' "softaff: top: $reason" 'top: not loaded' top
says 1 '' "softaff: the machine's NUMA balancing: $reason" 'balancing: not loaded' balancing -m
says 0 '' 'softaff: unload: the module is not loaded' 'unload: not loaded' unload

# modprobe: what it was called with goes to modprobe.log; then it runs what is in modprobe.do
mkdir "$tmp/bin"
cat >"$tmp/bin/modprobe" <<'END'
#!/bin/sh
echo "$*" >>"$SOFTAFF_ROOT/modprobe.log"
[ ! -e "$SOFTAFF_ROOT/modprobe.do" ] || . "$SOFTAFF_ROOT/modprobe.do"
END
chmod +x "$tmp/bin/modprobe"
called() { is "$(cat "$SOFTAFF_ROOT/modprobe.log")" "$1" "$2"; rm -f "$SOFTAFF_ROOT/modprobe.log"; }

put "$SOFTAFF_ROOT/modprobe.do" 'cd "$SOFTAFF_ROOT/sys/kernel" && mkdir -p softaff livepatch/softaff' \
	'echo "patch: enabled" >softaff/state; echo 0 >livepatch/softaff/transition'
says 0 '' '' 'load' load placement=passive
called 'softaff placement=passive' 'modprobe is told the parameters'
says 0 '' '' 'load: loaded already' load
is "$(ls "$SOFTAFF_ROOT/modprobe.log" 2>/dev/null)" '' 'no modprobe'
says 1 '' "softaff: load: it is loaded, its parameters cannot change; 'softaff unload' first" \
	'load: loaded already, other parameters' load a=b
put "$klp/softaff/transition" 1
put "$SOFTAFF_ROOT/proc/100/patch_state" 0
put "$SOFTAFF_ROOT/proc/200/patch_state" 1
put "$SOFTAFF_ROOT/proc/100/stack" '[<0>] do_wait'
says 1 '' "softaff: waiting for 100 (postgres)
    [<0>] do_wait
softaff: load: loaded, but not in place after 0 s; it goes on trying, see 'softaff status'" \
	'load: a task holds it up' load -w 0
put "$klp/softaff/transition" 0
put "$sys/state" 'patch: disabled'
says 1 '' "softaff: load: loaded, but the livepatch is disabled; 'softaff unload' and load it again" \
	'load: not in place' load
unloaded
put "$SOFTAFF_ROOT/dev/kmsg" '5,1,1,-;softaff: this was said before'
put "$SOFTAFF_ROOT/modprobe.do" 'cat "$SOFTAFF_ROOT/said" >>"$SOFTAFF_ROOT/dev/kmsg"; exit 1'
put "$SOFTAFF_ROOT/said" '5,1,1,-;softaff: loading out-of-tree module taints kernel.' \
	'5,2,2,-;softaff: this kernel has no struct rq' '5,3,3,-;softaff: tainting kernel with TAINT_LIVEPATCH'
says 1 '' 'softaff: the kernel says: this kernel has no struct rq
softaff: load: modprobe failed; is it installed for this kernel?' 'load: refused' load
for line in 'Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7' \
	'Loading of module with unavailable key is rejected' 'Loading of unsigned module is rejected'; do
	put "$SOFTAFF_ROOT/said" "5,4,4,-;$line"
	says 1 '' "softaff: the kernel says: $line
softaff: load: this machine loads signed modules only; have the key of DKMS enrolled: \
'mokutil --import /var/lib/dkms/mok.pub', then restart" 'load: not signed' load
done
put "$SOFTAFF_ROOT/said"

anew
put "$SOFTAFF_ROOT/modprobe.do" 'rm -r "$SOFTAFF_ROOT/sys/module/softaff"'
says 0 '' '' 'unload' unload
is "$(tail -n 1 "$klp/softaff/enabled")" 0 'the livepatch is disabled'
called '-qr softaff' 'and modprobe removes it'
anew
put "$klp/softaff/transition" 1
put "$SOFTAFF_ROOT/proc/100/patch_state" 0
put "$SOFTAFF_ROOT/proc/200/patch_state" 1
says 1 '' 'softaff: waiting for 200 (redis-server)
softaff: unload: not unpatched after 1 s; the livepatch is enabled again' 'unload: a task holds it up' unload -w 1
is "$(paste -sd' ' "$klp/softaff/enabled")" '1 0 1' 'enabled again'
put "$klp/softaff/transition" 0
put "$klp/softaff/enabled.errno" 16
says 1 '' 'softaff: unload: cannot disable the livepatch: Device or resource busy' 'unload: refused' unload
rm "$klp/softaff/enabled.errno"
put "$SOFTAFF_ROOT/modprobe.do" 'exit 1'
says 1 '' 'softaff: unload: disabled, but modprobe could not remove the module' 'unload: not removed' unload

# --- apply

anew
rules=$SOFTAFF_ROOT/etc/softaff/rules.d
put "$rules/20-b.conf" 'comm=bash node=0' 'user=61234 node=0'
put "$rules/10-a.conf" '# matches nothing: a star is no slash' 'exe=/usr/* node=0' \
	'# nor is this the beginning of a name' 'cgroup=/system node=0' '' \
	'exe=/usr/bin/redis-* cmdline="* --config /etc/redis-server" node=1 inherit=children balancing=off # and another' \
	'unit=db.service node=1' 'comm=bash balancing=on'
says 0 "/etc/softaff/rules.d/10-a.conf:7: pid 100 (postgres): cgroup /system.slice/db.service: node 1
/etc/softaff/rules.d/10-a.conf:6: pid 200 (redis-server): inherit children
/etc/softaff/rules.d/10-a.conf:6: pid 200 (redis-server): node 1
/etc/softaff/rules.d/10-a.conf:6: pid 200 (redis-server): balancing off
/etc/softaff/rules.d/10-a.conf:8: pid 300 (bash): balancing on" '' 'apply --dry-run: the first rule counts' apply -n
is "$(cat "$sys"/{process_node,cgroup_node,numa_balancing})" '' 'and sets nothing'
says 0 '' '' 'apply' apply
wrote process_node '200 1' 'the process has its node'
wrote cgroup_node '/system.slice/db.service 1' 'the unit has it as a cgroup'
wrote numa_balancing $'200 off\n300 on' 'and balancing'
is "$(tail -n 1 "$sys/inherit")" '200 children' 'and inherit'
put "$debug/cgroups" 'node path' '1 /system.slice/db.service'
rm "$rules/20-b.conf"
put "$rules/10-a.conf" 'comm=redis-server node=0' 'unit=*.service node=0'
says 0 '' '' 'apply: who has another node keeps it' apply
wrote process_node '200 1' 'so nothing is written'
says 0 "/etc/softaff/rules.d/10-a.conf:2: pid 100 (postgres): cgroup /system.slice/db.service: node 0
/etc/softaff/rules.d/10-a.conf:1: pid 200 (redis-server): node 0" '' 'apply --force --verbose' apply -Fv
wrote process_node $'200 1\n200 0' 'then it is'
put "$SOFTAFF_ROOT/nodes/200" -1
put "$sys/process_node.errno" 19
says 64 '' "softaff: /etc/softaff/rules.d/10-a.conf:1: pid 200 (redis-server): node 0: the node is offline or has no CPU that the task may use; see its CPU mask and cpuset" \
	'apply: refused by the module' apply
rm "$sys/process_node.errno"
why='unknown key; use exe, cmdline, comm, user, unit, cgroup, node, near, inherit or balancing'
put "$tmp/wrong.conf" 'comm=bash node=1' 'exe=/x nod=1 foo' 'comm="post gres" node=x' node=1 exe=/x \
	'user=nobodyhere node=1' 'exe="/x node=1' 'exe=/x near=nothere' 'exe=/x node=1 near=lo' \
	'exe=/x exe=/y node=1' 'comm= node=1' 'cgroup=/user.slice inherit=all balancing=x' 'comm=bash node=-1'
says 64 "$tmp/wrong.conf:1: pid 300 (bash): node 1" "softaff: $tmp/wrong.conf:2: 'nod=1': $why
softaff: $tmp/wrong.conf:2: 'foo': not KEY=VALUE
softaff: $tmp/wrong.conf:3: 'node=x': not a node; give a number, or near=DEVICE
softaff: $tmp/wrong.conf:4: 'node=1': the rule would match every process; add exe, cmdline, comm, user, unit or cgroup
softaff: $tmp/wrong.conf:5: 'exe=/x': the rule sets nothing; add node, near, inherit or balancing
softaff: $tmp/wrong.conf:6: 'user=nobodyhere': there is no such user
softaff: $tmp/wrong.conf:7: 'exe=/x node=1': a quote is missing
softaff: $tmp/wrong.conf:8: 'near=nothere': there is no such device; give a network, RDMA, block or drm device or a PCI address
softaff: $tmp/wrong.conf:9: 'near=lo': the rule has such a setting already
softaff: $tmp/wrong.conf:10: 'exe=/y': the rule has such a condition already
softaff: $tmp/wrong.conf:11: 'comm=': matches nothing
softaff: $tmp/wrong.conf:12: 'inherit=all': use threads, children, none or default
softaff: $tmp/wrong.conf:12: 'balancing=x': use on, off or default
softaff: $tmp/wrong.conf:13: 'node=-1': not a node; give a number, or near=DEVICE" \
	'apply: what is wrong is named, and stops no other rule' apply -v "$tmp/wrong.conf"
says 1 '' "softaff: $tmp/nothere.conf: No such file or directory" 'apply: no such file' apply "$tmp/nothere.conf"
wrong '--follow and --dry-run exclude each other' apply -f -n
rm "$sys/process_node"
unloaded
says 1 '' "softaff: apply: the module is not loaded; load it with 'softaff load' as root" 'apply: not loaded' apply

# Following, on the true /proc
anew
rm -r "$SOFTAFF_ROOT/proc"
ln -s /proc "$SOFTAFF_ROOT/proc"
mkdir -p "$SOFTAFF_ROOT/run/softaff"
cp "$(command -v sleep)" "$tmp/followed"
put "$tmp/rules" "exe=$tmp/followed node=1"
# shellcheck disable=SC2317 # await calls them
said() { [[ $(<"$tmp/follow") == *"$1"* ]]; }
# shellcheck disable=SC2317
has_node() { [[ $(node "$followed") == "$1" ]]; }
follow()
{
	: >"$tmp/follow"
	LD_PRELOAD=$tmp/fakekernel.so "$tmp/build/softaff" apply --follow "$tmp/rules" >>"$tmp/follow" 2>&1 &
	follower=$!
}
again()
{
	: >"$tmp/follow"
	kill -HUP $follower
	await said 'read anew; rules: 1'
}

"$tmp/followed" 60 &
followed=$!
follow
if await said 'following; rules: 1'; then
	await has_node 1
	is "$(node $followed)" 1 'apply --follow: a process that is there'
	early=$followed
	"$tmp/followed" 60 &
	followed=$!
	await has_node 1
	is "$(node $followed)" 1 'one that starts'
	put "$SOFTAFF_ROOT/nodes/$followed" 7
	put "$tmp/rules" "exe=$tmp/followed node=0"
	again
	is "$(node $early) $(node $followed)" '0 7' 'reload: what it gave changes, what another gave stays'
	put "$tmp/rules" "exe=$tmp/followed balancing=off"
	again
	is "$(node $early) $(node $followed) $(grep -c ' off' "$sys/numa_balancing")" '-1 7 2' \
		'reload: it takes back the one setting that the rule has no longer'
	put "$tmp/rules" "exe=$tmp/followed node=0"
	again
	kill -TERM $follower
	wait $follower
	is "$? $(node $early)" '0 0' 'ended, it leaves all as it is'
	put "$tmp/rules" 'comm=nothere node=0'
	follow
	await said 'following; rules: 1'
	is "$(node $early) $(node $followed)" '-1 7' 'started anew without that rule, it takes back what it gave'
	kill -TERM $follower
	wait $follower
	kill $early $followed
	if unshare -pf true 2>/dev/null; then
		LD_PRELOAD=$tmp/fakekernel.so timeout 5 unshare -pf "$tmp/build/softaff" apply --follow "$tmp/rules" \
			>"$tmp/out" 2>&1
		is "$? $(<"$tmp/out")" \
			'1 softaff: apply: cannot listen to new processes: Operation not permitted; be root, outside of containers' \
			'in another pid namespace it says so'
	else
		ktap_skip 'in another pid namespace it says so' 'needs root'
	fi
else
	for what in 'a process that is there' 'one that starts' reload 'one setting' ended 'started anew' namespace; do
		ktap_skip "apply --follow: $what" "$(<"$tmp/follow")"
	done
	kill $followed
fi

# --- export

anew
put "$debug/stats" 'moved_home 10' 'moved_away 4'
exported='# HELP softaff_loaded Whether the module is loaded.
# TYPE softaff_loaded gauge
softaff_loaded 1
# HELP softaff_enabled Whether the livepatch is in place.
# TYPE softaff_enabled gauge
softaff_enabled 1
# HELP softaff_tasks Tasks by the node they have been given, and whether they are on it.
# TYPE softaff_tasks gauge
softaff_tasks{node="0",where="home"} 1
softaff_tasks{node="0",where="away"} 0
softaff_tasks{node="1",where="home"} 1
softaff_tasks{node="1",where="away"} 1
# HELP softaff_events_total Events since the module was loaded, by the module'"'"'s counters.
# TYPE softaff_events_total counter
softaff_events_total{event="moved_home"} 10
softaff_events_total{event="moved_away"} 4'
says 0 "$exported" '' 'export' export
mkdir "$tmp/prom"
says 0 '' '' 'export to a file' export -o "$tmp/prom/softaff.prom"
is "$(cat "$tmp"/prom/* && stat -c '%a %n' "$tmp"/prom/*)" "$exported"$'\n'"644 $tmp/prom/softaff.prom" 'which everyone can read, and nothing else is left'
says 1 '' "softaff: export to $tmp/nothere/x: No such file or directory" 'export: no such directory' \
	export -o "$tmp/nothere/x"
unloaded
is "$? $(softaff export | grep -v '^#')" $'0 softaff_loaded 0\nsoftaff_enabled 0' 'export: not loaded is a value'
wrong "unexpected argument 'x'" export x
anew
is "$(jq -r '.panels[].targets[].expr' ../../userspace/grafana/softaff.json |
	grep -o 'softaff_[a-z_]*' | sort -u | grep -vxF "$(softaff export | grep -o '^softaff_[a-z_]*')")" '' \
	'the dashboard asks for nothing else'
is "$(jq -r '.panels[].targets[].expr' ../../userspace/grafana/softaff.json | grep -o 'event="[a-z_]*' | cut -c8- |
	grep -vxF "$(sed -n 's/^	X(\([a-z_]*\)).*/\1/p' ../../module/softaff.h)")" '' \
	'and for counters that the module has'

# --- an ordinary user: what is root's is refused, and list makes do

anew
if ((EUID == 0)); then
	chmod 755 "$tmp"
	chmod 700 "$debug"
	chmod 777 "$SOFTAFF_ROOT/nodes"
	root_softaff=$(declare -f softaff)
	softaff() { LD_PRELOAD=$tmp/fakekernel.so setpriv --reuid=65534 --clear-groups "$tmp/build/softaff" "$@"; }
else
	chmod a-w "$sys"/* "$klp/softaff/enabled"
	chmod 0 "$debug"
fi
no='not permitted; be root, or steer your own tasks only'
says 0 '' '' 'ordinary user: set' set 1 100
says 0 '' '' 'ordinary user: set -a, each thread by prctl' set -a 1 100
is "$(node 100) $(node 102)" '1 1' 'all have it'
says 1 '' "softaff: cgroup /a: set node 1: $no" 'ordinary user: set --cgroup' set -g /a 1
says 1 '' "softaff: pid 100: NUMA balancing: $no" "ordinary user: another's balancing" balancing off 100
says 1 '' "softaff: pid 100: a rule of inheritance: $no" 'ordinary user: inherit' inherit none 100
says 1 '' "softaff: the machine's NUMA balancing: $no" "ordinary user: the machine's balancing" balancing -m off
says 1 '' 'softaff: pid 100: NUMA balancing: debugfs, which knows it, cannot be read; be root, and mount debugfs' \
	"ordinary user: print another's balancing" balancing 100
says 0 'PID COMM     NODE CURNODE CPU HOME_PCT REASON
100 postgres    1       1   3        - -' \
	'softaff: /sys/kernel/debug/softaff/tasks: Permission denied; showing what prctl tells, which is less' \
	'ordinary user: list' list
says 1 '' "softaff: unload: $no" 'ordinary user: unload' unload
chmod 700 "$debug"
[[ ! ${root_softaff:-} ]] || eval "$root_softaff"

# --- help, and the library as such

anew

mapfile -t commands < <(softaff --help | sed -n '/^Commands:/,/^$/s/^ \([a-z]*\) .*/\1/p')
is "${#commands[@]}" 15 'help: all commands'
manual=../../userspace/man/softaff.1
for command in "${commands[@]}"; do
	missing=''
	grep -q "^\\\\fB$command\\\\fR" "$manual" || missing=$command
	while read -r option; do
		grep -q -- "${option//-/\\\\-}\\\\fR" "$manual" || missing+=" $option"
	done < <(softaff "$command" --help | grep -o -- '^ -., --[a-z-]*' | grep -v help | cut -c6-)
	is "$(softaff "$command" --help | sed -n '1p;$p')$missing" $'Usage:\nFor more details see softaff(1).' \
		"help: $command, and the manual has it and its options"
done
if command -v mandoc >/dev/null; then
	is "$(mandoc -Tlint -W warning ../../userspace/man/*.[1-8] 2>&1)" '' 'the manuals are well formed'
else
	ktap_skip 'the manuals are well formed' 'no mandoc'
fi

# The manual's examples, as they stand there
example() { sed -n '/^\.EX/,/^\.EE/{/^\.E/!p}' "../../userspace/man/$1" | sed "$2" | sed 's/\\e/\\/g; s/\\-/-/g'; }
anew
device pci0/0000:01:00.0 1
part pci0/0000:01:00.0/net/eth0 class/net/eth0
example libsoftaff.3 '/^cc/,$d' >"$tmp/example.c"
${CC:-cc} -Wall -Wextra -Werror -I../../userspace -o "$tmp/example" "$tmp/example.c" -L"$tmp/build" -lsoftaff &&
	LD_PRELOAD=$tmp/fakekernel.so "$tmp/example"
is "$? $(cat "$SOFTAFF_ROOT"/nodes/*)" '0 1' "the manual's example in C"
rm "$SOFTAFF_ROOT"/nodes/*
if command -v python3 >/dev/null; then
	example libsoftaff.3 '1,/^cc/d' >"$tmp/example.py"
	LD_PRELOAD=$tmp/fakekernel.so python3 "$tmp/example.py"
	is "$? $(cat "$SOFTAFF_ROOT"/nodes/*)" '0 1' 'and in Python'
else
	ktap_skip 'and in Python' 'no python3'
fi
"$tmp/example" 2>"$tmp/err"
is "$? $(<"$tmp/err")" "1 no node: this machine has no such node; 'numactl --hardware' lists its nodes" \
	'the library on a kernel without these prctls'

# completes LINE WORDS: what bash offers for the line's last word
completes()
{
	is "$(
		cd "$tmp" || exit
		PATH=$tmp/path:$PATH
		# shellcheck source=../../userspace/completion/softaff.bash
		. "$completion"
		read -ra COMP_WORDS <<<"$1"
		[[ $1 != *' ' ]] || COMP_WORDS+=('')
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_softaff
		echo "${COMPREPLY[*]}"
	)" "$2" "completion of '$1'"
}
completion=$(realpath ../../userspace/completion/softaff.bash)
mkdir "$tmp/path"
ln -s "$tmp/build/softaff" "$tmp/path/softaff"
completes 'softaff s' 'set show suggest status'
completes 'softaff list --no' --noheadings
completes 'softaff list -o pid,home' 'pid,home_pct'
completes 'softaff run 1 --inh' --inherit
completes 'softaff run --inherit c' children
cp "$tmp/bin/modprobe" "$tmp/path/softaff-made"
completes 'softaff run 1 -- softaff-m' softaff-made
completes "softaff show $$" $$
completes 'softaff balancing d' default

softaff list >/dev/full 2>"$tmp/err"
is "$? $(<"$tmp/err")" '1 softaff: write error: No space left on device' 'a full disk'
is "$(nm -D --defined-only "$tmp/build/libsoftaff.so.1" | grep -vc 'softaff_[a-z_]*@@SOFTAFF_1.0$')" 1 \
	'the library shows only its own functions, versioned'

ktap_done
