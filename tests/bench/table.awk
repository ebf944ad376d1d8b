# SPDX-License-Identifier: GPL-2.0
# The figures of bench/run, a row for each case and measure: the median of the rounds for each policy, with
# the least and the most where these differ, and the bar that active has to reach.

function number(v) { return v == "never" ? 1e9 : v + 0 }
function show(v) { return v >= 1e9 ? "never" : v / scale[m] }
BEGIN {
	FS = ","
	n_measures = split("at-once home-ms return-ms converge-ms cpus idle wait home moves memory faults rate p99", measures, " ")
	for (i in measures) scale[measures[i]] = 1
	scale["cpus"] = scale["idle"] = scale["wait"] = scale["p99"] = 1000
	scale["home"] = scale["moves"] = 10
	bar["idle", "at-once"] = "= 1"
	bar["half", "at-once"] = "= 1"
	bar["idle", "memory"] = ">= 95"
	bar["half", "memory"] = ">= 95"
	bar["stay", "home"] = ">= 99"
	bar["stay", "moves"] = "<= 1"
	bar["herd", "moves"] = "<= 2"
	bar["pinned", "home"] = ">= 99"
	bar["spill", "return-ms"] = "<= 250"
	bar["spill", "cpus"] = bar["full", "cpus"] = bar["crowded", "cpus"] = ">= 99 % of nothing"
}
NR == 1 || $6 != "" { next }
{
	if (!(($1) in seen)) { seen[$1]; cases[++n_cases] = $1 }
	if (!(($2) in known)) { known[$2]; policies[++n_policies] = $2 }
	k = $1 SUBSEP $4 SUBSEP $2
	v = number($5)
	for (i = ++n[k]; i > 1 && value[k, i - 1] > v; i--) value[k, i] = value[k, i - 1]
	value[k, i] = v
}
# Of an even number of rounds, the lower of the two in the middle
function median(k) { return value[k, int((n[k] + 1) / 2)] }
function verdict(got, b,  w) {
	split(b, w, " ")
	if (b ~ /nothing/) return got * 100 >= median(c SUBSEP m SUBSEP "nothing") * w[2]
	if (got < 1e9) got /= scale[m]
	return w[1] == "=" ? got == w[2] : w[1] == ">=" ? got >= w[2] : got <= w[2]
}
# One policy's figure in a row, or "-"
function cell(p,  k, low, high) {
	k = c SUBSEP m SUBSEP p
	if (!n[k]) return "-"
	low = show(value[k, 1])
	high = show(value[k, n[k]])
	return show(median(k)) (low == high ? "" : " (" low "-" high ")")
}
END {
	printf "%-8s %-11s", "case", "measure"
	for (p = 1; p <= n_policies; p++) printf " %-21s", policies[p]
	print ""
	for (ci = 1; ci <= n_cases; ci++) for (mi = 1; mi <= n_measures; mi++) {
		c = cases[ci]
		m = measures[mi]
		row = ""
		any = 0
		for (p = 1; p <= n_policies; p++) {
			text = cell(policies[p])
			any += text != "-"
			row = row sprintf(" %-21s", text)
		}
		if (!any) continue
		if ((c SUBSEP m) in bar && n[c SUBSEP m SUBSEP "active"])
			row = row " " bar[c, m] ": " (verdict(median(c SUBSEP m SUBSEP "active"), bar[c, m]) ? "met" : "MISSED")
		sub(/ +$/, "", row)
		printf "%-8s %-11s%s\n", c, m, row
	}
}
