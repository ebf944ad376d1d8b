# SPDX-License-Identifier: GPL-2.0
# base.CASE.svg of each case's first round: a strip for each policy, with the tasks' nodes as lines, one
# step up being node 1, and the share of the first task's pages on node 1 as an area.

BEGIN { FS = ","; height = 70; width = 600 }
NR == 1 || $6 == "" || $3 != 1 { next }
{
	if (!(($1) in cases)) cases[$1]
	# the account begins anew within a case that is followed twice: shown one behind the other
	s = $1 SUBSEP $2 SUBSEP $4
	t = $6 + shift[s]
	if (t < last[s]) { shift[s] = last[s]; t = $6 + shift[s] }
	last[s] = t
	if (!(($1, $2) in strip)) { strip[$1, $2] = n[$1]++; name[$1, n[$1] - 1] = $2 }
	x = 80 + t * width / 6000
	top = strip[$1, $2] * height + 30
	if ($4 == "pages") area[s] = area[s] sprintf(" %.1f,%.1f", x, top + 45 - $5 * 0.4)
	else {
		y = top + 40 - ($5 == 1 ? 30 : 0) - substr($4, 6) * 2
		line[s] = line[s] sprintf(" %.1f,%.1f", x, y)
	}
	if (!(s in first)) first[s] = x
	end[s] = x
	base_of[s] = top + 45
}
END {
	for (c in cases) {
		file = base "." c ".svg"
		printf "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n", width + 100, n[c] * height + 40 >file
		printf "<text x='5' y='15'>%s: lines are tasks, up is home; the area is pages at home; 100 px are a second</text>\n", c >file
		for (i = 0; i < n[c]; i++) printf "<text x='5' y='%d'>%s</text>\n", i * height + 55, name[c, i] >file
		for (s in area) { split(s, w, SUBSEP); if (w[1] == c)
			printf "<polygon fill='#cde' points='%.1f,%.1f%s %.1f,%.1f'/>\n", first[s], base_of[s], area[s], end[s], base_of[s] >file }
		for (s in line) { split(s, w, SUBSEP); if (w[1] == c)
			printf "<polyline fill='none' stroke='#c40' points='%s'/>\n", line[s] >file }
		print "</svg>" >file
		close(file)
	}
}
