#!/usr/bin/env bash
# The second step of the action: writes what was asked for into a file, and a summary
# of it onto the page of the run.
#
# Everything that comes from outside (inputs, the names of branches and files, what
# satchel says) is an argument in quotes or data in a file, never a part of a command,
# and never a line that the runner reads as one: what is printed is between
# stop-commands and its token.
set -euo pipefail

satchel=$RUNNER_TEMP/satchel/bin/satchel
work=$(mktemp -d "$RUNNER_TEMP/satchel/run.XXXXXX")

# A summary has a mebibyte, of all steps together. This leaves room for others.
most=400000

say() {
	local token
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	echo "::stop-commands::$token"
	cat
	printf '\n::%s::\n' "$token" # at the beginning of a line, however the last one ended
}

fail() {
	echo "::error::satchel: $1"
	exit 1
}

# base prints the commit that HEAD is compared with: the one that was named, what the
# pull request goes to, or the commit before.
base() {
	local name
	for name in "$INPUT_BASE" "${GITHUB_BASE_REF-}"; do
		[[ -n $name ]] || continue
		[[ $name != -* ]] || return 1
		git rev-parse --quiet --verify --end-of-options "refs/remotes/origin/$name^{commit}" 2>/dev/null && return
		git rev-parse --quiet --verify --end-of-options "$name^{commit}" 2>/dev/null && return
		return 1
	done
	git rev-parse --quiet --verify 'HEAD^1^{commit}' 2>/dev/null
}

# run runs satchel, and ends the step with what it said if it fails.
run() {
	local out=$1 code=0
	shift
	"$satchel" "$@" >"$out" 2>"$work/said" || code=$?
	say <"$work/said"
	[[ $code == 0 ]] || fail "$1 ended with exit code $code: $(tail -n 1 "$work/said" | tr -d '\r' | tr '%' ' ')"
}

case $INPUT_MODE in
pack | diff | review-context) ;;
*) fail "the input mode is pack, diff or review-context" ;;
esac
[[ $INPUT_BUDGET =~ ^[0-9]+([.][0-9]+)?[kKmM]?$ ]] || fail "the input budget is a number of tokens, such as 16k"

# A checkout of one commit has nothing to compare with: that is said, not guessed.
if [[ $INPUT_MODE != pack ]]; then
	from=$(base) || fail "there is nothing to compare with: check out with fetch-depth: 0, or name a base that is there"
	[[ -n $(git merge-base "$from" HEAD 2>/dev/null) ]] || fail "the base and HEAD have no common commit here: check out with fetch-depth: 0"
fi
printf '%s' "$INPUT_TASK" >"$work/task"

task=()
[[ ! -s $work/task ]] || task=(--task-file "$work/task")

if [[ $INPUT_MODE == pack ]]; then
	[[ -s $work/task ]] || fail "the mode pack needs a task"
	file=$work/pack.md
	run "$file" pack "${task[@]}" --budget "$INPUT_BUDGET" --format md
else
	run "$work/summary" diff --base "$from" --task "$INPUT_TASK" --format md
	if [[ $INPUT_MODE == diff ]]; then
		file=$work/diff.patch
		run "$file" diff --base "$from" --task "$INPUT_TASK" --detail standard --budget "$INPUT_BUDGET"
	else
		file=$work/review-context.md
		: >"$file"
		# Bash 3 takes an empty array for a variable that is not set.
		[[ ! -s $work/summary ]] || run "$file" pack --diff "$from...HEAD" ${task[@]+"${task[@]}"} --budget "$INPUT_BUDGET" --format md
	fi
fi

"$satchel" tokens --json "$file" >"$work/tokens" 2>/dev/null || true
tokens=$(sed -n 's/^ *"tokens": \([0-9]*\),*$/\1/p' "$work/tokens" | head -n 1)

{
	echo "### satchel: $INPUT_MODE"
	echo
	if [[ -s $work/summary ]]; then
		head -c "$most" "$work/summary"
		echo
	elif [[ $INPUT_MODE != pack ]]; then
		echo "Nothing changed."
		echo
	fi
	if [[ $INPUT_MODE != diff && -s $file ]]; then
		# A fence that no line of the pack closes.
		fence=$(LC_ALL=C awk -F '[^`]+' -v fence='````' '{ for (i = 1; i <= NF; i++) if (length($i) >= length(fence)) fence = $i "`" } END { print fence }' "$file")
		echo "<details><summary>${tokens:-?} tokens for an agent, as in the artefact</summary>"
		echo
		echo "$fence"
		head -c "$most" "$file"
		echo
		echo "$fence"
		echo
		echo "</details>"
	fi
} >>"$GITHUB_STEP_SUMMARY"

{
	echo "file=$file"
	echo "tokens=${tokens:-0}"
} >>"$GITHUB_OUTPUT"
