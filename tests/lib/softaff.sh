# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the cases share; each sources it, from tests/, as its first act.
#
#   case                          here
#   begin 3                       plan of three, module loaded, "patch: enabled"
#   start/ask/tell/expect         programs run, figures taken, checks judged
#   its end, or its death         programs ended, patch disabled, module gone, totals
#
# Starting a program takes a tenth of a second in the test machine, and makes noise on its four
# CPUs: what is done while something is measured is done without.

. lib/ktap.sh

sys=/sys/kernel/softaff
debug=/sys/kernel/debug/softaff
klp=/sys/kernel/livepatch/softaff
balancing=/sys/kernel/debug/sched/numa_balancing
tmp=$(mktemp -d)
declare -A pid=() # of the programs that run, by the name given to start
declare -A f=()   # the figures taken last, by name

exec {never}<> <(:)
nap() { read -rt "$1" -u "$never" || :; } # SECONDS

# await HUNDREDTHS COMMAND...: until it is true; false after so many hundredths of a second, SLOW times
# as many on a debug kernel
await()
{
	local left=$(($1 * ${SLOW:-1}))
	shift
	until "$@"; do
		(((left -= 3) > 0)) || return
		nap 0.03
	done
}

# --- the module

state()
{
	local line=gone
	read -r line <"$sys/state"
	echo "$line"
} 2>/dev/null
state_is() { [[ $(state) == "patch: $1" ]]; }
gone() { [[ ! -e $1 ]]; }

load()
{
	modprobe softaff && await 3000 state_is enabled
}

# disable: start the unpatching and wait for its end
disable()
{
	gone "$klp" || echo 0 >"$klp/enabled"
	await 3000 gone "$klp"
}

# remove: the livepatch lets go of the module a moment after its directory has gone
remove() { await 200 modprobe -qr softaff; }

unload()
{
	gone /sys/module/softaff || { disable && remove; }
}

# begin N: the plan; from here on the module is loaded and scans come fast
begin()
{
	ktap_plan "$1"
	trap finish EXIT
	trap 'exit 1' TERM INT HUP
	fast_scan
	load || { ktap_diag "not loaded: $(dmesg -t | grep softaff | tail -n 1)"; exit 1; }
}

# undo: what a case itself has made in the system, for it to take back
undo() { :; }

finish()
{
	local status=$?
	[[ ! -v pid[noise] ]] || quiet
	stop "${!pid[@]}"
	undo
	unload || { ktap_diag 'the module did not go away'; status=1; }
	rm -rf "$tmp"
	((status == 0)) || exit "$status"
	ktap_done
}

# fast_scan: a whole 64 MiB every tenth to half of a second
fast_scan()
{
	echo 1024 >"$balancing/scan_size_mb"
	echo 100 >"$balancing/scan_delay_ms"
	echo 100 >"$balancing/scan_period_min_ms"
	echo 500 >"$balancing/scan_period_max_ms"
}

# --- the programs

# start NAME COMMAND...: run it in the background
start()
{
	local name=$1
	shift
	: >"$tmp/$name"
	"$@" >>"$tmp/$name" 2>&1 &
	pid[$name]=$!
	disown
}

# ready NAME...: wait until these hogs walk
ready()
{
	local name
	for name; do await 1000 said "$name" ready; done
}

# noise STRESSORS...: short-lived and switching processes, until quiet
noise()
{
	start noise stress-ng -q --temp-path "$tmp" -t 1000 "$@"
	nap 1
	[[ -d /proc/${pid[noise]} ]] || { ktap_diag "no noise: $(<"$tmp/noise")"; exit 1; }
}

quiet()
{
	kill "${pid[noise]}"
	await 1000 gone "/proc/${pid[noise]}"
	unset 'pid[noise]'
}

# stop NAME...: kill them, and wait until they are gone
stop()
{
	local name
	for name; do kill -9 "${pid[$name]}" 2>/dev/null; done
	for name; do
		await 1000 gone "/proc/${pid[$name]}"
		unset "pid[$name]"
	done
}

said() { [[ $(<"$tmp/$1") == *"$2"* ]]; } # NAME WORD

# restart NAME...: begin the hogs' accounts anew
restart()
{
	local name
	for name; do kill -USR1 "${pid[$name]}"; done
}

# ask NAME...: have the hogs report, all at the same time
ask()
{
	local name
	for name; do : >"$tmp/$name"; done
	for name; do kill -USR2 "${pid[$name]}"; done
}

# answer NAME: the account of all threads of a hog that was asked, to f
answer()
{
	until [[ $(<"$tmp/$1") == *sum*pages* ]]; do nap 0.02; done
	nap 0.02
	figures "$(<"$tmp/$1")"
}

# tell STEER-ARGUMENT...: steer's figures of the first word to f; all that it printed to told
tell()
{
	local line IFS=$'\t'
	[[ ${STEER_PID:-} ]] || coproc STEER { exec steer -i; }
	echo "$*" >&"${STEER[1]}"
	told=''
	while read -r line <&"${STEER[0]}" && [[ $line ]]; do told+=$line$'\n'; done
	told=${told%$'\n'}
	IFS=' ' figures "${told%%$'\n'*}"
}

# figures TEXT: its "name=value" words to f; of equal names the last counts
figures()
{
	local word
	f=()
	for word in $1; do f[${word%%=*}]=${word#*=}; done
}

# share A B: what A is of B, in percent
share() { local p=$(($1 * 1000 / ($2 ? $2 : 1))); echo "$((p / 10)).$((p % 10))"; }

# task PID COLUMN: what the table of tasks says; nothing for a task that is not in it
task()
{
	local head row i
	{
		read -ra head
		while read -ra row; do
			for i in "${!head[@]}"; do
				[[ ${row[0]} != "$1" || ${head[i]} != "$2" ]] || echo "${row[i]}"
			done
		done
	} <<<"$(<"$debug/tasks")"
}

# tasks: the table without its head
tasks() { tail -n +2 "$debug/tasks"; }

# preferred PID: what the scheduler itself takes for the task's preferred node
preferred()
{
	local key value
	while read -r key _ value; do
		[[ $key != numa_preferred_nid ]] || echo "$value"
	done <<<"$(<"/proc/$1/sched")"
}

# --- the checks

# expect CONDITION NAME [DIAG]: a check that passes if the arithmetic condition is true
expect()
{
	local status=0
	((${1})) || status=1
	ktap_ok "$status" "$2" "${3:-$1}"
}

# equal GOT WANTED NAME: a check that passes if both are the same text
equal()
{
	local status=0 diag=$1
	[[ $1 == "$2" ]] || status=1 diag="got '$1', wanted '$2'"
	ktap_ok "$status" "$3" "$diag"
}

# --- what several cases do

# settled_hog: a hog of 64 MiB that has run on node 0 for 0.3 s, free to go anywhere
settled_hog()
{
	start hog hog -n 0
	ready hog
	nap 0.3
}

# tell_settled ROUNDS: that many settled hogs, each told node 1. Sets there to how many were on it
# when the write returned; the last one goes on. A hog that the kernel itself had moved before it
# was told does not count. The writer runs on node 0 and on node 1 in turns.
tell_settled()
{
	local round=0 tries=0
	there=0
	while ((round < $1 && tries++ < 2 * $1)); do
		[[ ! -v pid[hog] ]] || stop hog
		settled_hog
		tell -c $((round % 2 ? 3 : 1)) "${pid[hog]} 1"
		[[ ${f[was]} == 0 ]] || continue
		((round++, there += f[on] == 1)) || :
		[[ ${f[on]} == 1 ]] || ktap_diag "round $round: $told"
	done
	((round == $1)) || ktap_diag "only $round of $tries hogs stayed on node 0 until they were told"
}

# tell_both ROUNDS SECONDS: tell two hogs, one and two, the same node at the same instant, to and fro,
# with a pause between. Sets apart to how often each had a CPU of it to itself within 200 ms, late to how
# often within 2 s, and slowest to the longest that it took, ms.
tell_both()
{
	local round node ms
	apart=0 late=0 slowest=0
	for ((round = 1; round <= $1; round++)); do
		node=$((round % 2))
		tell -w 2000 "${pid[one]} $node" "${pid[two]} $node"
		ms=${told##*apart_ms=}
		ms=${ms%%$'\n'*}
		[[ $ms != never ]] || ms=9999
		((ms <= 200 ? ++apart : ms <= 2000 ? ++late : 0, slowest = ms > slowest ? ms : slowest)) || :
		((ms <= 200)) || ktap_diag "round $round: $told"
		nap "$2"
	done
}

# watch SECONDS: the account of the hog over the time from now to f, and in words to account
watch()
{
	restart hog
	nap "$1"
	ask hog
	answer hog
	# shellcheck disable=SC2034 # the cases'
	account="$(share "${f[node1]}" "${f[cpu]}") % of its time and $(share "${f[pages1]}" \
		$((f[pages0] + f[pages1]))) % of its pages on node 1"
}
