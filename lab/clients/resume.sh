#!/usr/bin/env bash
# Resumes sessions that transcript.Write wrote in the real agents, offline, and
# checks what the model would have been sent: the summary, the kept prompt, the
# kept call with its result, and nothing of what the summary replaced.
#
#   LAB=DIR lab/clients/resume.sh claude pi codex
#
# DIR holds clients/{claude-latest,pi,codex} as npm installed them, and
# bin/fakeapi: a stand-in for the model APIs that takes -log FILE -portfile FILE,
# logs each request as a line with its "body", and obeys @@say TEXT@@ and
# @@tool NAME {json}@@ in the last prompt. A client that is missing is a failure.
set -u
ROOT="$(cd "$(dirname "$0")/../.." && pwd)"
LAB="${LAB:?set LAB to the folder of the clients}"
WORK="$(mktemp -d)"
FAKE=
trap '[ -n "$FAKE" ] && kill "$FAKE" 2>/dev/null; [ "${KEEP:-}" ] || rm -rf "$WORK"' EXIT
(cd "$ROOT/lab" && go build -o "$WORK/rewrite" ./clients) || exit 1
FAILED=0

die() { echo "FAIL $1: $2"; FAILED=1; }

setup() { # name: a repository, a home, a fresh API
  [ -n "$FAKE" ] && kill "$FAKE" 2>/dev/null
  W="$WORK/$1"; mkdir -p "$W/home" "$W/repo"; API="$W/api.jsonl"; : >"$API"
  [ -x "$LAB/bin/fakeapi" ] || { die "$1" "no $LAB/bin/fakeapi"; return 1; }
  "$LAB/bin/fakeapi" -log "$API" -portfile "$W/port" 2>"$W/fake.err" & FAKE=$!
  for _ in $(seq 50); do [ -s "$W/port" ] && break; sleep 0.1; done
  BASE="http://$(cat "$W/port")"
  (cd "$W/repo" && git init -q -b main && echo "package a" >a.go)
}

# check NAME: the requests of the resumed turn. Want: all of these in one body;
# and none of what was replaced.
check() {
  python3 - "$API" "$1" "$2" <<'PY' || FAILED=1
import json, sys
log, name, shrunk = sys.argv[1:]
bodies = []
for line in open(log):
    d = json.loads(line)
    b = d.get("body", d)
    bodies.append(b if isinstance(b, str) else json.dumps(b))
asked = [b for b in bodies if "RESUMED-PROMPT" in b]
if not asked:
    sys.exit(f"FAIL {name}: the resumed prompt never reached the API ({len(bodies)} requests)")
b = asked[0]
want = ["SATCHEL-SUMMARY", "SECOND-PROMPT", "SECOND-ANSWER", "THIRD-PROMPT", "SHRUNK-RESULT" if shrunk == "yes" else "package a"]
missing = [w for w in want if w not in b]
extra = [w for w in ("FIRST-PROMPT", "FIRST-ANSWER") if w in b]
twice = [w for w in ("SATCHEL-SUMMARY", "THIRD-PROMPT") if b.count(w) > 1]
if missing or extra or twice:
    sys.exit(f"FAIL {name} (shrunk: {shrunk}): missing {missing}, should be gone {extra}, doubled {twice}")
print(f"ok   {name} (shrunk: {shrunk}): {len(want)} kept, none of what was replaced")
PY
}

P1="FIRST-PROMPT @@say FIRST-ANSWER@@"
P3="THIRD-PROMPT @@say THIRD-DONE@@"
P4="RESUMED-PROMPT @@say FOURTH-DONE@@"

claude() {
  local bin="$LAB/clients/claude-latest/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
  [ -x "$bin" ] || { die claude "not installed"; return; }
  local sid="00000000-0000-4000-8000-00000000000$2"
  setup "claude$1" || return
  ask() { (cd "$W/repo" && env -i HOME="$W/home" PATH=/usr/local/bin:/usr/bin:/bin TERM=dumb LANG=C.UTF-8 ANTHROPIC_BASE_URL="$BASE" ANTHROPIC_API_KEY=fake \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \
    timeout 90 "$bin" -p "$@" --model claude-sonnet-4-5 --allowedTools Read --output-format stream-json --verbose </dev/null >>"$W/out.jsonl" 2>>"$W/err.txt"); }
  ask "$P1" --session-id "$sid"
  ask "SECOND-PROMPT @@tool Read {\"file_path\":\"$W/repo/a.go\"}@@ @@say SECOND-ANSWER@@" --resume "$sid"
  ask "$P3" --resume "$sid"
  local f; f="$(find "$W/home" -name "$sid.jsonl" | head -1)"
  [ -n "$f" ] || { die claude "wrote no session"; return; }
  "$WORK/rewrite" $1 "$f" "$W/new" && cp "$W/new" "$f" || { die claude "rewrite failed"; return; }
  : >"$API"
  ask "$P4" --resume "$sid"
  check claude "$3"
}

pi() {
  local bin="$LAB/clients/pi/node_modules/@mariozechner/pi-coding-agent/dist/cli.js"
  [ -f "$bin" ] || { die pi "not installed"; return; }
  setup "pi$1" || return
  mkdir -p "$W/home/.pi/agent"
  echo "{\"providers\":{\"fake\":{\"baseUrl\":\"$BASE/v1\",\"api\":\"openai-completions\",\"apiKey\":\"fake\",\"models\":[{\"id\":\"m\",\"contextWindow\":200000}]}}}" >"$W/home/.pi/agent/models.json"
  ask() { (cd "$W/repo" && env -i HOME="$W/home" PATH=/usr/local/bin:/usr/bin:/bin TERM=dumb LANG=C.UTF-8 PI_OFFLINE=1 \
    timeout 60 node "$bin" --offline -p --mode json --provider fake --model m --session "$W/s.jsonl" "$1" </dev/null >>"$W/out.jsonl" 2>>"$W/err.txt"); }
  ask "$P1"
  ask "SECOND-PROMPT @@tool read {\"path\":\"a.go\"}@@ @@say SECOND-ANSWER@@"
  ask "$P3"
  [ -s "$W/s.jsonl" ] || { die pi "wrote no session"; return; }
  "$WORK/rewrite" $1 "$W/s.jsonl" "$W/new" && cp "$W/new" "$W/s.jsonl" || { die pi "rewrite failed"; return; }
  : >"$API"
  ask "$P4"
  check pi "$3"
}

codex() {
  local bin="$LAB/clients/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
  [ -x "$bin" ] || { die codex "not installed"; return; }
  setup "codex$1" || return
  local home="$W/home/.codex"; mkdir -p "$home"
  cat >"$home/config.toml" <<T
model = "gpt-5-codex"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "$BASE/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."$W/repo"]
trust_level = "trusted"
T
  ask() { (cd "$W/repo" && env -i HOME="$W/home" CODEX_HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin TERM=dumb FAKE_KEY=fake \
    timeout 60 "$bin" exec "$@" </dev/null >>"$W/out.jsonl" 2>>"$W/err.txt"); }
  ask --json "$P1"
  ask resume --last --json "SECOND-PROMPT @@tool exec_command {\"cmd\":\"cat a.go\"}@@ @@say SECOND-ANSWER@@"
  ask resume --last --json "$P3"
  local f; f="$(find "$home/sessions" -name 'rollout-*.jsonl' 2>/dev/null | head -1)"
  [ -n "$f" ] || { die codex "wrote no session"; return; }
  "$WORK/rewrite" $1 "$f" "$W/new" && cp "$W/new" "$f" || { die codex "rewrite failed"; return; }
  : >"$API"
  ask resume --last --json "$P4"
  check codex "$3"
}

[ $# -gt 0 ] || set -- claude pi codex
for c in "$@"; do
  "$c" "" 1 no
  "$c" -shrink 2 yes
done
exit $FAILED
