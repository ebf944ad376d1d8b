# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the scripts of the test machine share; sourced, never run.
#
# The cache, which every checkout may share, since nothing in it changes once it has its name:
#
#   root-SUITE.HASH/           a Debian root with its kernels        (image)
#   layer-KVER.HASH/           what dkms and gcc added for one tree  (install)
#   start-KVER.HASH/          its vmlinux and initramfs           (boot)
#   kernel-FLAVOUR.HASH/      a kernel that is not Debian's       (build-kernel)

set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C

vm=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck disable=SC2034 # used by those who source this
tree=$(readlink -f "$vm/../..")
cache=${SOFTAFF_CACHE:-/var/cache/softaff}
mkdir -p "$cache"
# complaints KVER: what a kernel says that must not be said in any run. Of the data races that KCSAN
# finds, in all of the kernel, those count that softaff has a part in.
complaints()
{
	local bug=BUG
	[[ $1 != *-kcsan ]] || bug='BUG( at|: (KCSAN: .*\[softaff|KF|[^K]))'
	echo "WARNING|$bug|Oops|Call Trace|general protection|Kernel panic|UBSAN"
}

# slower KVER: how many times longer everything takes on a debug kernel
slower() { case $1 in *-debug) echo 6 ;; *-kcsan) echo 5 ;; *) echo 1 ;; esac; }

say() { echo "${0##*/}: $*" >&2; }
die() { say "$*"; exit 1; }

# apt ARGUMENT...: apt-get, quietly; one at a time, as not all of its locks can be waited for
apt()
{
	DEBIAN_FRONTEND=noninteractive flock "$cache/lock-apt" \
		apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >&2 </dev/null
}

# need PACKAGE...: install what is missing here
need()
{
	local pkg missing=()
	for pkg; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$pkg" 2>/dev/null) == installed ]] ||
			missing+=("$pkg")
	done
	((${#missing[@]})) || return 0
	say "installing ${missing[*]}"
	apt install --no-install-recommends "${missing[@]}" 2>/dev/null ||
		{ apt update && apt install --no-install-recommends "${missing[@]}"; }
}

# digest: a short name for what is on stdin
digest() { sha256sum | cut -c1-12; }

# publish TMP FINAL: give a finished directory or file its name, and forget ones long unused
publish()
{
	mv -T "$1" "$2"
	find "$cache" -mindepth 1 -maxdepth 1 -name "${2##*/}" -prune -o -mindepth 1 -maxdepth 1 \
		-mtime +6 -name "$(basename "${2%.*}").*" -exec rm -rf --one-file-system {} +
}

# kernels [IMAGE...]: every kernel of these roots, oldest first, as lines "KVER SUITE ROOT"; makes the roots
kernels()
{
	local roots root suite kver
	roots=$("$vm/image" "$@")
	for root in $roots; do
		suite=${root##*/root-}
		for kver in "$root"/usr/lib/modules/*; do
			echo "${kver##*/} ${suite%.*} $root"
		done
	done | sort -V
}

# pick NAME: the last of such lines that a version, series or SERIES-FLAVOUR names
pick()
{
	awk -v n="$1" '
		{ series = $1; sub(/^[0-9]+[.][0-9]+/, "&\n", series); sub(/\n.*/, "", series) }
		{ flavour = match($1, /-(cloud|rt)-/) ? substr($1, RSTART, RLENGTH - 1) : "" }
		$1 == n || series flavour == n { l = $0 }
		END { if (l) print l }'
}

# every_kernel: of every series that the archive holds, in each flavour
every_kernel() { kernels bookworm-all trixie-all; }

# find_kernel NAME: set kver and root for oldest, newest, a series such as 6.12, SERIES-cloud, SERIES-rt,
# or a full version; for SERIES-FLAVOUR, which build-kernel makes, set built as well
find_kernel()
{
	local list line='' series
	# shellcheck disable=SC2031 # no subshell here
	if [[ $1 == *-@(names|clang|debug|kcsan) ]]; then
		series=$(cut -d. -f1,2 <<<"${1%-*}")
		find_kernel "$series"
		built=$("$vm/build-kernel" "${1##*-}" "$series")
		kver=$(basename "$built"/root/usr/lib/modules/*)
		return
	fi
	built=''
	list=$(kernels)
	case $1 in
	oldest) line=$(sed -n 1p <<<"$list") ;;
	newest) line=$(sed -n '$p' <<<"$list") ;;
	*)
		line=$(pick "$1" <<<"$list")
		[[ $line ]] || { list=$(every_kernel); line=$(pick "$1" <<<"$list"); }
		;;
	esac
	[[ $line ]] || die "no kernel $1; there are:"$'\n'"$list"
	# shellcheck disable=SC2034 # the caller's
	read -r kver _ root <<<"$line"
}
