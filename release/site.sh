#!/bin/sh
# Makes the site of all released versions: the pages of each tag, by the program that
# stands in it. The newest comes last, since each writes the list of those that are there.
#
#   release/site.sh FOLDER     which must not exist, or be empty
set -eu

[ $# = 1 ] || { echo "usage: release/site.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -z "$(ls -A "$folder")" ] || { echo "release/site.sh: $folder is not empty" >&2; exit 1; }

cd "$(dirname "$0")/.."
tags=$(git -c versionsort.suffix=- tag --list 'v[0-9]*' --sort=version:refname)
[ -n "$tags" ] || { echo "release/site.sh: no version is tagged" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"; git worktree prune' EXIT
for tag in $tags; do
	git worktree add --quiet --detach "$work/$tag" "$tag"
	(cd "$work/$tag/lab" && go run ./release/site -version "$tag" -out "$folder")
done
