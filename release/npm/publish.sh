#!/usr/bin/env bash
# usage: release/npm/publish.sh FOLDER      the npm folder that lab/release/publish made
#
# Publishes the packages of the platforms, waits until each can be had, and then the
# wrapper: published before them it would install without a program, and say so. A
# version that is there already with the same bytes is passed over, so that a release
# that broke off can be run again; with other bytes it is an error.
#
# In GitHub Actions npm 11.5.1 or newer, on Node 22.14 or newer, logs in by OIDC (trusted publishing, which needs
# "permissions: id-token: write" and each of the seven packages told of this workflow on
# npmjs.com) and adds provenance by itself. A package has to exist for that: the first
# version of each is published with a token. Tried against a registry on this machine
# (make test-npm), with a token; not yet against npmjs.com, nor with OIDC.
set -euo pipefail
cd "$1"
wait=${WAIT:-300} # seconds for a package to be had after it was published

value() { node -p 'require(process.argv[1])[process.argv[2]]' "$PWD/$1/package.json" "$2"; }

integrity() { npm pack --dry-run --json "./$1" | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8"))[0].integrity'; }

# have prints the integrity of NAME@VERSION in the registry, or nothing. The newest
# answer is asked for: npm keeps that a version is missing, too.
have() { npm view --prefer-online "$1" dist.integrity 2>/dev/null || true; }

publish() {
	local name version tag ours theirs until
	name=$(value "$1" name) version=$(value "$1" version)
	case $version in *-*) tag=next ;; *) tag=latest ;; esac
	ours=$(integrity "$1")
	theirs=$(have "$name@$version")
	if [ -z "$theirs" ]; then
		npm publish --tag "$tag" "./$1"
	elif [ "$theirs" != "$ours" ]; then
		echo "publish: $name@$version is there with other bytes ($theirs, ours $ours)" >&2
		exit 1
	fi
	until=$((SECONDS + wait))
	while [ "$(have "$name@$version")" != "$ours" ]; do
		if [ $SECONDS -ge $until ]; then
			echo "publish: $name@$version cannot be had after $wait s" >&2
			exit 1
		fi
		sleep 2
	done
	echo "publish: $name@$version is there"
}

platforms=(satchel-*/)
[ ${#platforms[@]} = 6 ] || { echo "publish: ${#platforms[@]} packages of platforms in $PWD, want 6" >&2; exit 1; }
versions=$(for dir in "${platforms[@]}" satchel/; do value "$dir" version; done | sort -u)
[ "$(wc -l <<<"$versions")" = 1 ] || { echo "publish: several versions:" "${versions//$'\n'/, }" >&2; exit 1; }

for dir in "${platforms[@]}"; do
	publish "${dir%/}"
done
publish satchel
