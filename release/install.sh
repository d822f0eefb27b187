#!/bin/sh
# Installs satchel: downloads the archive of this system, checks it, and puts the
# program into a folder of yours. It needs no root, and changes nothing else.
#
#   curl -fsSL https://github.com/satchel-dev/satchel/releases/latest/download/install.sh | sh
#
#   SATCHEL_VERSION       the version, such as v1.2.0 (the latest release)
#   SATCHEL_INSTALL_DIR   the folder (~/.local/bin)
#   SATCHEL_SHA256        what the archive's SHA-256 has to be, besides what the release says
#   SATCHEL_BASE_URL      where releases are, for mirrors and tests
set -eu

base=${SATCHEL_BASE_URL:-https://github.com/satchel-dev/satchel/releases}
case $base in
https://*) protocols="=https" ;; # also where it redirects to
*) protocols="=http,https,file" ;;
esac
exist="linux and darwin, amd64 and arm64; for Windows there is install.ps1; others: go install github.com/satchel-dev/satchel/cmd/satchel@latest"

fail() {
	echo "satchel install: $*" >&2
	exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# this_system prints OS_ARCH as archives are called.
this_system() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "no archive for $(uname -s); there are: $exist" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "no archive for $(uname -s) on $(uname -m); there are: $exist" ;;
	esac
	# A shell that is translated by Rosetta says x86_64.
	if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
		arch=arm64
	fi
	echo "${os}_$arch"
}

# download writes what is at a URL into a file, whole or not at all.
download() {
	if has curl; then
		curl --proto "$protocols" --fail --silent --show-error --location --retry 2 --output "$2" "$1" 2>"$temp/why"
	elif has wget; then
		wget -q -O "$2" "$1" 2>"$temp/why"
	else
		fail "neither curl nor wget is installed"
	fi || fail "cannot download $1: $(tail -n 1 "$temp/why") (is there such a release?)"
}

# sha256 prints the sum of a file.
sha256() {
	if has sha256sum; then
		sha256sum "$1"
	elif has shasum; then
		shasum -a 256 "$1"
	elif has openssl; then
		openssl dgst -sha256 -r "$1"
	else
		fail "neither sha256sum, shasum nor openssl is installed: nothing is installed unchecked"
	fi | awk '{ print $1 }'
}

# target_folder prints where to install to.
target_folder() {
	if [ -n "${SATCHEL_INSTALL_DIR:-}" ]; then
		echo "$SATCHEL_INSTALL_DIR"
	elif [ -n "${HOME:-}" ]; then
		echo "$HOME/.local/bin"
	else
		fail "HOME is not set: say with SATCHEL_INSTALL_DIR where to install to"
	fi
}

# version_of prints the version that a program says it is, or "an unknown version".
# It has ten seconds.
version_of() {
	"$1" --version >"$temp/said" 2>/dev/null </dev/null &
	asked=$!
	(
		sleep 10
		kill -9 "$asked"
	) >/dev/null 2>&1 &
	clock=$!
	wait "$asked" 2>/dev/null || : >"$temp/said"
	kill "$clock" 2>/dev/null || true
	said=$(head -n 1 "$temp/said")
	case $said in
	"satchel "?*) echo "${said#satchel }" ;;
	*) echo "an unknown version" ;;
	esac
}

# main runs when all of the script has arrived.
main() {
	system=$(this_system)
	dir=$(target_folder)
	temp=$(mktemp -d)
	trap 'rm -rf "$temp"' EXIT
	trap 'exit 1' HUP INT TERM

	# A folder that nothing can be put into is said before anything is downloaded.
	mkdir -p "$dir" 2>/dev/null || fail "cannot make the folder $dir; name another one with SATCHEL_INSTALL_DIR"
	dir=$(cd "$dir" && pwd)
	[ ! -d "$dir/satchel" ] || fail "$dir/satchel is a folder; name another one than $dir with SATCHEL_INSTALL_DIR"
	staged=$dir/.satchel-install-$$
	(set -C && : >"$staged") 2>/dev/null || fail "cannot write into $dir; name another folder with SATCHEL_INSTALL_DIR"
	trap 'rm -rf "$temp" "$staged"' EXIT

	if [ -n "${SATCHEL_VERSION:-}" ]; then
		tag=v${SATCHEL_VERSION#v}
		case $tag in
		*[!0-9A-Za-z.+-]*) fail "SATCHEL_VERSION is $SATCHEL_VERSION, which is no version such as v1.2.0" ;;
		esac
		download "$base/download/$tag/checksums.txt" "$temp/checksums.txt"
	else
		download "$base/latest/download/checksums.txt" "$temp/checksums.txt"
	fi
	awk '{ sub(/\r$/, "") } length($1) == 64 && NF == 2' "$temp/checksums.txt" >"$temp/sums"
	[ -s "$temp/sums" ] || fail "checksums.txt of the release is no list of SHA-256 sums: something else answered for $base"
	line=$(awk -v ending="_$system.tar.gz" 'length($1) == 64 && $2 ~ /^satchel_[0-9A-Za-z.+_-]+$/ && substr($2, length($2) - length(ending) + 1) == ending { print; exit }' "$temp/sums")
	[ -n "$line" ] || fail "the release has no archive for $system; it has: $(awk '$2 ~ /\.(tar\.gz|zip)$/ { printf "%s%s", s, $2; s = ", " }' "$temp/sums")"
	want=${line%% *}
	archive=${line##* }
	new=${archive#satchel_}
	new=v${new%"_$system.tar.gz"}
	if [ -n "${SATCHEL_VERSION:-}" ] && [ "$new" != "$tag" ]; then
		fail "$tag was asked for, and checksums.txt there is of $new"
	fi

	download "$base/download/$new/$archive" "$temp/$archive"
	got=$(sha256 "$temp/$archive")
	[ -n "$got" ] || exit 1
	[ "$got" = "$want" ] || fail "$archive has SHA-256 $got, checksums.txt says $want: it is damaged or not what was released; nothing was installed"
	if [ -n "${SATCHEL_SHA256:-}" ] && [ "$got" != "$(echo "$SATCHEL_SHA256" | awk '{ print tolower($0) }')" ]; then
		fail "$archive has SHA-256 $got, SATCHEL_SHA256 says $SATCHEL_SHA256; nothing was installed"
	fi

	# Only the bytes are taken: what is a link in the archive becomes an empty file.
	tar -xzOf "$temp/$archive" satchel >"$temp/satchel" 2>"$temp/why" || fail "cannot unpack $archive: $(tail -n 1 "$temp/why")"
	chmod 755 "$temp/satchel"
	[ "$(version_of "$temp/satchel")" = "$new" ] || fail "the program in $archive does not run here, or is not $new; nothing was installed"

	said="installed satchel $new as $dir/satchel"
	if [ -e "$dir/satchel" ]; then
		old=$(version_of "$dir/satchel")
		said="$said: $old -> $new"
		[ "$old" != "$new" ] || said="installed satchel $new again as $dir/satchel"
	fi
	# Renaming replaces a program that runs, and leaves the old one if it fails.
	if ! { cp "$temp/satchel" "$staged" && chmod 755 "$staged" && mv -f "$staged" "$dir/satchel"; }; then
		fail "cannot write $dir/satchel"
	fi
	echo "$said"

	case :${PATH:-}: in
	*:"$dir":*)
		found=$(command -v satchel || true)
		[ "$found" = "$dir/satchel" ] || echo "but the shell finds $found first: remove it, or put $dir before it in PATH"
		;;
	*)
		echo "$dir is not in PATH; add this line to the profile of your shell:"
		echo "  export PATH=\"$dir:\$PATH\""
		;;
	esac
}

main
