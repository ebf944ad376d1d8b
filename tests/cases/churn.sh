#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The table of tasks is read again and again while thousands of told tasks are born and die under
# inherit=children: every line of it is whole, and nothing of them is left.
#
#	told, --fork, clone--> told --exit--> ...    thousands
#	readers: pid tgid node ... comm, 14 columns           all well-formed
#
# CHURN=N has that many born, instead of 2000.
#
# kernels: ends
# timeout: 1200

. lib/softaff.sh
. lib/settings.sh
begin 6
enough=${CHURN:-2000}

echo children >"$sys/inherit"
# shellcheck disable=SC2016 # the inner shell's
for name in a b; do
	start $name bash -c 'echo $$ 1 >/sys/kernel/softaff/preferred_node; exec births -b'
done
nap 1
before=$(counter inherited)
figures "$(awk -v file="$debug/tasks" -v stats="$debug/stats" -v enough=$((before + enough)) -v limit=$((enough / 100 + 40)) '
	function bad(why) { if (!wrong++) print "# " why ": " $0 >"/dev/stderr" }
	function born(  line, n) {
		while ((getline line <stats) > 0)
			if (line ~ /^inherited /) n = substr(line, 11) + 0
		close(stats)
		return n
	}
	BEGIN {
		end = systime() + limit
		while (systime() < end && (reads % 10 || born() < enough)) {
			reads++
			for (n = 0; (getline <file) > 0; n++) {
				if (NF != 14)
					bad("columns")
				else if (!n) {
					if ($1 $14 != "pidcomm") bad("head")
				} else if ($0 !~ /^[0-9]+ [0-9]+ -?[0-9]+ -?[0-9]+ [01] [0-3] [0-9]+\.[0-9] [0-9]+ [0-9]+ [a-z]+ (task|cgroup|cpuset|none) (default|on|off) (default|threads|children|none) /)
					bad("form")
				else if ($7 > 100)
					bad("share")
			}
			lines += n
			most = n > most ? n : most
			close(file)
		}
		print "reads=" reads " lines=" lines " most=" most " wrong=" wrong + 0
	}')"

# By a shell too, whose read takes more than a line and would seek back to its end
lines=0 wrong=0
for _ in {1..40}; do
	while read -r line; do
		((++lines))
		[[ $line =~ ^([0-9]+\ [0-9]+\ |pid\ tgid\ ).*\ (default|threads|children|none|inherit)\ [^\ ]+$ ]] || ((++wrong))
	done <"$debug/tasks"
done
expect "lines > 400 && wrong == 0" 'and every line that a shell reads' "$wrong of $lines"
born=$(($(counter inherited) - before))
expect "born >= enough" 'thousands are born told' "$born"
expect "f[wrong] == 0" 'every line of the table is whole' \
	"${f[wrong]} of ${f[lines]} lines in ${f[reads]} reads, at most ${f[most]} in one"
expect "f[reads] > 10 && f[lines] > 20 * f[reads]" 'and there were some' "${f[lines]} lines in ${f[reads]} reads"
equal "$(counter inherit_failed)" 0 'none was born without for lack of memory'
echo threads >"$sys/inherit"
stop a b
nap 1
equal "$(tail -n +2 "$debug/tasks")" '' 'and none is left when they have gone'
