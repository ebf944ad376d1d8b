#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# placement=passive, the yardstick: on the same cases the override alone, and what the kernel makes
# of it. Where the task goes has no bar: the figures are there to compare.
#
#	node 0    hog  -              what the patch set would do: perhaps it goes, perhaps not
#	node 1    -    - | neighbour
#
# timeout: 60

. lib/softaff.sh
begin 5

# passively CASE: tell a settled hog, see what is stored, and print what became of it
passively()
{
	settled_hog
	tell "${pid[hog]} 1"
	nap 1
	equal "$(task "${pid[hog]}" node) $(preferred "${pid[hog]}")" '1 1' "$1: the override reads back"
	watch 2
	ktap_diag "passive, $1: $account"
	stop hog
}

echo passive >"$sys/placement"
equal "$(<"$sys/placement")" passive 'placement reads back'
passively 'node idle'
start neighbour taskset -c 2 hog -m 4
ready neighbour
passively 'node half busy'
expect "$(state_is enabled; echo $?) == 0" 'still enabled' "$(state)"
echo active >"$sys/placement"
equal "$(<"$sys/placement")" active 'and back'
