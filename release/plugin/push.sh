#!/usr/bin/env bash
# usage: release/plugin/push.sh FOLDER REPOSITORY VERSION
#
# Makes the branch main of a repository hold what is in FOLDER and nothing else, as one
# commit with a tag of the version: the marketplace and the extension that lab/release/publish
# made. What is there already is passed over. The URL must not hold a token: git's credential
# helper or GIT_ASKPASS has it.
set -euo pipefail
folder=$(cd "$1" && pwd) repository=$2 tag=v${3#v}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q "$repository" "$work"
cd "$work"
if git rev-parse -q --verify "refs/tags/$tag" >/dev/null; then
	git checkout -q "$tag"
fi
git rm -rq --ignore-unmatch .
cp -R "$folder/." .
git add -A
if git rev-parse -q --verify "refs/tags/$tag" >/dev/null; then
	if ! git diff --cached --quiet; then
		echo "push: $tag is in $repository with other files" >&2
		exit 1
	fi
	echo "push: $tag is there"
	exit
fi
git -c user.name=satchel -c user.email=release@satchel.invalid commit -q --allow-empty -m "satchel ${tag#v}"
git tag "$tag"
git push -q --atomic origin HEAD:main "$tag"
echo "push: $tag is there"
