# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# bash completion for softaff(1). Commands and options come from the tool's own help, so that there
# is no second list of them.

_softaff_options() # [COMMAND]
{
	softaff ${1:+"$1"} --help 2>/dev/null |
		sed -n 's/^ \(-[A-Za-z]\), \(--[a-z-]*\).*/\1\n\2/p'
}

_softaff_commands() { softaff --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^ \([a-z]*\) .*/\1/p'; }

_softaff_nodes()
{
	local node
	for node in /sys/devices/system/node/node[0-9]*; do echo "${node##*/node}"; done
}

_softaff_devices()
{
	find /sys/class/net /sys/class/infiniband /sys/class/block /sys/class/drm /sys/bus/pci/devices \
		-mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null
}

_softaff_pids() { find /proc -maxdepth 1 -name '[0-9]*' -printf '%f\n' 2>/dev/null; }

_softaff_names() { cat /proc/[0-9]*/comm 2>/dev/null | sort -u; }

_softaff_cgroups() { find /sys/fs/cgroup -type d -printf '/%P\n' 2>/dev/null; }

_softaff_columns() { softaff list --help 2>/dev/null | sed -n '/^Available/,/^$/s/^ \([a-z_]*\) .*/\1/p'; }

# Where the words of the command itself begin in "softaff run ... COMMAND": its index, or nothing
_softaff_run_command()
{
	local i node=''
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)); return ;;
		-n | --near) node=1; ((i++)) ;;
		-i | --inherit | -b | --balancing) ((i++)) ;;
		-*) ;;
		*) [[ ! $node ]] || { echo "$i"; return; }; node=1 ;;
		esac
	done
	[[ ! $node || ${COMP_WORDS[COMP_CWORD]} == -* ]] || echo "$COMP_CWORD"
}

_softaff()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words='' at
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		words="$(_softaff_commands) --help --version"
	else
		if [[ $command == run ]]; then
			at=$(_softaff_run_command)
			if [[ $at ]]; then
				if declare -F _command_offset >/dev/null && ((COMP_CWORD > at)); then
					_command_offset "$at"
				else
					mapfile -t COMPREPLY < <(compgen -c -- "$cur")
				fi
				return
			fi
		fi
		case $command:$prev in
		*:--near | run:-n | set:-n) words=$(_softaff_devices) ;;
		*:--user | *:-u) mapfile -t COMPREPLY < <(compgen -u -- "$cur"); return ;;
		*:--comm | *:-c) words=$(_softaff_names) ;;
		*:--cgroup | *:-g) words=$(_softaff_cgroups) ;;
		list:--output | list:-o)
			# Behind the last comma
			mapfile -t COMPREPLY < <(compgen -P "${cur%"${cur##*[,+]}"}" -W "$(_softaff_columns)" \
				-- "${cur##*[,+]}")
			return
			;;
		run:--inherit | run:-i) words='threads children none' ;;
		run:--balancing | run:-b) words='on off default' ;;
		*)
			if [[ $cur == -* ]]; then
				words=$(_softaff_options "$command")
			else
				case $command in
				run) words=$(_softaff_nodes) ;;
				set) ((COMP_CWORD == 2)) && words=$(_softaff_nodes) || words=$(_softaff_pids) ;;
				balancing) ((COMP_CWORD == 2)) && words='on off default'; words+=" $(_softaff_pids)" ;;
				inherit) ((COMP_CWORD == 2)) && words='threads children none default'; words+=" $(_softaff_pids)" ;;
				get | clear | show | suggest) words=$(_softaff_pids) ;;
				load) words='prctl_preferred_node= prctl_numa_balancing=' ;;
				esac
			fi
			;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _softaff softaff
