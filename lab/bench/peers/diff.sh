#!/usr/bin/env bash
# Compares satchel diff with git diff on changesets of one repository, in turns,
# so that both see the same machine in the same minutes.
#
#   lab/bench/peers/diff.sh REPOSITORY RANGE...
#
# REPOSITORY is a git clone; nothing of it is changed but satchel's index below
# its .git folder, which is made first. For each RANGE it prints medians over the
# rounds (ROUNDS, 5) of git diff, of git diff -M -C, which is what satchel has to
# know, of satchel's summary, and of its packing to 16k tokens. CPU is user and
# system seconds of the process and of all those that it waited for; peak is the
# largest single process among them.
set -euo pipefail

repo=$(cd "${1:?usage: diff.sh REPOSITORY RANGE...}" && pwd)
shift
rounds=${ROUNDS:-5}
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [[ ! -x /usr/bin/time ]]; then
	echo "diff.sh: GNU time is needed as /usr/bin/time" >&2
	exit 1
fi
(cd "$here" && go build -o "$tmp/satchel" ./cmd/satchel)
"$tmp/satchel" -C "$repo" index >/dev/null 2>&1

# run NAME COMMAND... appends "wall user system peak" to a file.
run() {
	/usr/bin/time -a -o "$tmp/$1" -f '%e %U %S %M' "${@:2}" >/dev/null 2>"$tmp/err" || {
		cat "$tmp/err" >&2
		exit 1
	}
}

# median FILE AWK-EXPRESSION FORMAT
median() { awk "{print $2}" "$tmp/$1" | sort -n | awk -v f="$3" '{v[NR]=$1} END {printf f, v[int((NR+1)/2)]}'; }

for range in "$@"; do
	echo "## $range: $(git -C "$repo" diff --shortstat "$range"), $(git -C "$repo" diff "$range" | wc -c) bytes"
	rm -f "$tmp"/{git,moves,summary,pack}
	for ((i = 0; i < rounds; i++)); do
		run git git -C "$repo" diff "$range"
		run moves git -C "$repo" diff -M -C "$range"
		run summary "$tmp/satchel" -C "$repo" diff "$range"
		run pack "$tmp/satchel" -C "$repo" diff "$range" --detail standard --budget 16k
	done
	echo "| job | CPU s | wall s | peak MiB | CPU beside git diff | beside -M -C | wall beside git diff |"
	echo "|---|---|---|---|---|---|---|"
	for job in git moves summary pack; do
		for peer in git moves; do
			paste -d' ' "$tmp/$job" "$tmp/$peer" | awk '{c=$6+$7; printf "%.2f %.2f\n", ($2+$3)/(c>0?c:0.01), $1/($5>0?$5:0.01)}' >"$tmp/ratio.$peer"
		done
		printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$job" "$(median "$job" '$2+$3' %.2f)" "$(median "$job" '$1' %.2f)" "$(median "$job" '$4/1024' %.0f)" \
			"$(median ratio.git '$1' %.1f)" "$(median ratio.moves '$1' %.1f)" "$(median ratio.git '$2' %.1f)"
	done
	echo
done
