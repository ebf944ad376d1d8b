#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Without debugfs: all that can be set can be set, and the tool shows what prctl and /proc tell.
#
# shape: blind
# kernels: ends
# timeout: 90

. lib/softaff.sh
begin 8 2>/dev/null
start hog hog -m 8
ready hog
tell "${pid[hog]} 1"
equal "${f[errno]} ${f[on]}" '0 1' 'a task is steered'
equal "$(callprctl node get "${pid[hog]}")" '0 1' 'prctl tells its node'
equal "$(softaff get "${pid[hog]}")" "${pid[hog]} 1" 'so does softaff get'
softaff list >"$tmp/list" 2>"$tmp/words"
expect "$(grep -c "^ *${pid[hog]} .* 1 " "$tmp/list") == 1" 'softaff list' "$(<"$tmp/list")"
expect "$(grep -c 'which is less' "$tmp/words") > 0" 'which says what it lacks' "$(<"$tmp/words")"
softaff show "${pid[hog]}" >"$tmp/show" 2>&1
expect "$? == 0" 'softaff show' "$(<"$tmp/show")"
softaff status >"$tmp/status"
expect "$? == 1 && $(grep -c '^debugfs *not readable' "$tmp/status") == 1" 'softaff status says it' "$(<"$tmp/status")"
unload
equal "$? $(ls -d /sys/module/softaff "$sys" 2>/dev/null)" '0 ' 'it is unloaded'
