#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Hostile arguments: an ordinary user calls the prctls at random, and root writes anything to the
# files, while tasks of both come and go. Nobody else's task is touched, the kernel does not complain
# (tests/run looks), and the table is whole when all is over.
#
#	user  --prctl--> victim, itself, children, kernel threads, nobody   bad commands, nodes, addresses
#	root  --write--> children, its cgroup, nobody                       every file, words in any order
#
# kernels: ends
# timeout: 120

. lib/softaff.sh
. lib/settings.sh
begin 9

group=/sys/fs/cgroup/fuzz
undo() { ! [[ -d $group ]] || await 200 rmdir "$group"; } 2>/dev/null
seed=${FUZZ_SEED:-$((SRANDOM % 1000000))}
ktap_diag "FUZZ_SEED=$seed"

user 65533
start steered "${as[@]}" hog -m 2 -n 0
start plain "${as[@]}" hog -m 2 -n 0
ready steered plain
tell "${pid[steered]} 0"
before=$(one "${pid[steered]}" node)$(one "${pid[plain]}" node)

user 65534
start one "${as[@]}" prctlfuzz 15 "$seed" "${pid[steered]}"
start two "${as[@]}" prctlfuzz 15 "$((seed + 1))" "${pid[plain]}"
start three prctlfuzz -w 15 "$((seed + 2))" "${pid[steered]}" /fuzz
for name in one two three; do await 6000 said $name calls= ; done

for name in one two; do
	figures "$(<"$tmp/$name")"
	ktap_diag "$(<"$tmp/$name")"
	expect "${f[calls]:-0} > 1000 && ${f[EPERM]:-0} > 100 && ${f[done]:-0} > 100" "user $name: refused, and its own done"
	equal "${f[told]:-}" 0 "user $name: nothing of another user's was set or read"
done
figures "$(<"$tmp/three")"
ktap_diag "$(<"$tmp/three")"
expect "${f[calls]:-0} > 300 && ${f[EINVAL]:-0} > 100 && ${f[done]:-0} > 30" 'root: nonsense refused, sense done'
equal "$before $(one "${pid[steered]}" node)$(one "${pid[plain]}" node)" '0- 0-' 'who was not theirs is where it was'

for name in one two three; do await 1000 gone "/proc/${pid[$name]}"; done
undo
# The one that is left: exits are seen at once, states of a cgroup go with it
alone() { [[ $(tasks | cut -d' ' -f1) == "${pid[steered]}" && $(<"$sys/state") == *"tasks: 1"* ]]; }
await 500 alone
equal "$(tasks | wc -l) $(grep ^tasks "$sys/state")" '1 tasks: 1' 'who has ended has left the table'
equal "$(tail -n +2 "$debug/cgroups")" '' 'and no cgroup is left in its own'
tell "${pid[steered]} none"
equal "${f[errno]} $(tasks | wc -l) $(grep ^tasks "$sys/state")" '0 0 tasks: 0' 'the last one leaves as well'
