# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Results of a test in KTAP, for shell scripts to source. A test that cannot run at all says why
# with ktap_diag and exits 4, as kselftests do, instead of having a plan.
#
#   ktap_plan 2                             KTAP version 1
#                                           1..2
#   ktap_ok $? 'it moved' "to $node"        ok 1 it moved
#                                           # to 1
#   ktap_skip 'it stays' 'only one node'    ok 2 it stays # SKIP only one node
#   ktap_done                               (exits: 0 if all passed and none is missing)

ktap_plan() # NUMBER OF RESULTS
{
	ktap_planned=$1 ktap_count=0 ktap_failed=0
	printf 'KTAP version 1\n1..%d\n' "$1"
}

ktap_ok() # STATUS NAME [DIAGNOSTIC]
{
	local not=''
	(($1 == 0)) || not='not ' ktap_failed=$((ktap_failed + 1))
	printf '%sok %d %s\n' "$not" $((++ktap_count)) "$2"
	[[ -z ${3:-} ]] || ktap_diag "$3"
}

ktap_skip() # NAME REASON
{
	printf 'ok %d %s # SKIP %s\n' $((++ktap_count)) "$1" "$2"
}

ktap_diag() # TEXT
{
	printf '# %s\n' "${1//$'\n'/$'\n# '}"
}

ktap_done()
{
	exit $((ktap_failed > 0 || ktap_count != ktap_planned))
}
