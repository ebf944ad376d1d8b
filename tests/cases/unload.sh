#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module cannot be pulled from under the scheduler: while the patch is enabled rmmod is refused
# and all goes on working. Disabled first, it goes, and comes back knowing nothing.
#
#	enabled --rmmod--> refused, still enabled
#	        --disable--> unpatching --> disabled --rmmod--> gone
#
# timeout: 60

. lib/softaff.sh
begin 7

settled_hog
rmmod softaff 2>"$tmp/rmmod"
expect "$? != 0" 'rmmod is refused while enabled' "$(<"$tmp/rmmod")"
equal "$(state)" 'patch: enabled' 'and has changed nothing'
tell "${pid[hog]} 1"
equal "${f[on]}" 1 'the patch goes on working'
disable
equal "$? $(state)" '0 patch: disabled' 'disabled'
remove
equal "$? $(ls -d /sys/module/softaff* "$sys" "$debug" /sys/kernel/livepatch/* 2>/dev/null)" '0 ' 'then rmmod works'
load
equal "$? $(tasks)" '0 ' 'loaded again it steers nobody'
tell "${pid[hog]} 0"
equal "${f[errno]} ${f[on]}" '0 0' 'and works'
