#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a newcomer does, with the packages that "make packages" has left in build/packages: install,
# run a program at home, see it, steer a server by rule, restart it, remove everything.
#
#	dpkg -i --> load --> run, list, top --> rule, restart --> dpkg -P --> nothing left
#
# by name: needs make packages before, and eight minutes, as gcc runs in the guest
# timeout: 1500

. lib/softaff.sh

packages=(../build/packages/*.deb)
if [[ ! -e ${packages[0]} ]]; then
	ktap_diag 'no packages: make packages'
	exit 4
fi
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
rules=/etc/softaff/rules.d
ktap_plan 12
trap 'stop "${!pid[@]}"; rm -rf "$tmp"' EXIT

# step COMMAND...: its output is shown where it fails
step()
{
	local out
	out=$("${@:2}" 2>&1)
	ktap_ok $? "$1" "$out"
}

# What is there of it besides what the packages bring
left()
{
	ls -d /usr/bin/softaff /usr/src/softaff* /var/lib/dkms/softaff /etc/softaff /lib/modules/*/updates/dkms/softaff* \
		/usr/lib/*/libsoftaff* /sys/module/softaff* 2>/dev/null
}

dkms remove softaff/0.1.0 --all >/dev/null 2>&1
rm -rf /usr/src/softaff-0.1.0 /usr/lib/libsoftaff* /usr/lib/pkgconfig/libsoftaff*
hash -r
step 'install' dpkg -i "${packages[@]}"
softaff=/usr/bin/softaff
step 'load' $softaff load
step 'status' $softaff status
start hog $softaff run 1 -- hog -m 2
await 1000 said hog ready
equal "$($softaff list -rno pid,node | grep "^${pid[hog]} ")" "${pid[hog]} 1" 'run and list: at home'
equal "$($softaff top -n 1 | sed -n "s/^ *\(${pid[hog]}\) *hog *\([0-9]*\).*/\1 \2/p")" "${pid[hog]} 1" 'top shows it'
mkdir -p $rules
echo 'comm=redis-server node=1' >$rules/redis.conf
start server redis-server --port 7000 --save ''
await 500 said server 'Ready to accept'
start service $softaff apply --follow
await 500 said service following
equal "$($softaff get "${pid[server]}")" "${pid[server]} 1" 'a server that runs is steered by rule'
stop server
start server redis-server --port 7000 --save ''
await 500 said server 'Ready to accept'
equal "$($softaff get "${pid[server]}")" "${pid[server]} 1" 'and after its restart'
stop service
step 'the module does not keep the packages from being upgraded' dpkg -i "${packages[@]}"
equal "$(state)" 'patch: enabled' 'and what is loaded stays'
stop server hog
rm $rules/redis.conf
step 'remove' dpkg -P softaff softaff-dkms libsoftaff-dev libsoftaff1 softaff-dbgsym libsoftaff1-dbgsym
equal "$(left)" '' 'nothing is left'
equal "$(ls -d /sys/kernel/livepatch/softaff "$sys" 2>/dev/null)" '' 'nor in the kernel'
trap - EXIT
rm -rf "$tmp"
ktap_done
