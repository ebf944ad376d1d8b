# SPDX-License-Identifier: GPL-2.0
# costs.awk GUEST COUNTS: what costs-guest said and what the plugin counted, as a table. Addresses are
# 16 hexadecimal digits and are compared as words.
#
#   part: work      all         ours   trampoline  klp   share %   calls   a call
#
# With -v detail=1 also the calls of each patched function, and what ran in each of softaff's.

function word(address) { return sprintf("%16s", address) "" }

FNR == NR && $1 == "@code" { nr++; whose[nr] = $2; from[nr] = word($3); to[nr] = word($4); next }
FNR == NR && $1 == "@site" { site[word($3)] = $2; next }
FNR == NR && $1 == "@function" { fn++; fname[fn] = $2; fstart[fn] = word($3); next }
FNR == NR && $1 == "@part" { sub(/^@part /, ""); part = $0; next }
FNR == NR && $1 == "@work" { name[++works] = part ": " $2; next }
FNR == NR && $1 == "@done" { done_[works] = $2; next }
FNR == NR { next }
$1 == "begin" { work++; all = 0; split("", sum); split("", called); split("", ran); calls = 0; next }
$1 == "end" {
	if (!head++)
		printf "%-48s %14s %10s %10s %10s %9s %9s %7s\n", "work", "all", "ours", "trampoline", "klp", "share %", "calls", "a call"
	cost = sum["ours"] + sum["trampoline"] + sum["klp"]
	printf "%-48s %14d %10d %10d %10d %9.5f %9d %7s\n", name[work], all, sum["ours"], sum["trampoline"], sum["klp"],
		100 * cost / all, calls, calls ? sprintf("%.1f", cost / calls) : "-"
	if (done_[work] > 1)
		printf "%-48s %14d\n", "  " done_[work] " done, instructions each", all / done_[work]
	if (detail) {
		for (name_ in called)
			printf "  %-40s %10d calls\n", name_, called[name_]
		for (name_ in ran)
			printf "  %-40s %10d\n", name_, ran[name_]
	}
	next
}
$1 == "user" { all += $3; next }
{
	all += $3
	address = word($1)
	if (address in site) {
		calls += $3 / $2
		called[site[address]] += $3 / $2
	}
	for (i = 1; i <= nr; i++)
		if (address >= from[i] && address <= to[i]) {
			sum[whose[i]] += $3
			if (detail && whose[i] == "ours") {
				for (j = fn; j > 1 && fstart[j] > address; j--)
					;
				ran[fname[j]] += $3
			}
			break
		}
}
