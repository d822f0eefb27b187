#!/usr/bin/env bash
# Runs real agents under satchel run, offline, and checks what the model would
# have been sent: the prompt with the file to edit; after it asked with a NEED_
# line, the answer in the same session and no second copy of the prompt.
#
#   LAB=DIR lab/clients/run.sh claude pi codex gemini opencode
#
# DIR holds clients/{claude-latest,pi,codex,gemini,opencode} as npm installed them,
# and bin/fakeapi: a stand-in for the model APIs that takes -log FILE -portfile FILE,
# logs each request as a line with its "body", and obeys @@say TEXT@@ and
# @@tool NAME {json}@@ in the last prompt. A client that is missing is a failure.
set -u
ROOT="$(cd "$(dirname "$0")/../.." && pwd)"
LAB="${LAB:?set LAB to the folder of the clients}"
WORK="$(mktemp -d)"
FAKE=
trap '[ -n "$FAKE" ] && kill "$FAKE" 2>/dev/null; [ "${KEEP:-}" ] && echo "kept $WORK" || rm -rf "$WORK"' EXIT
(cd "$ROOT" && go build -o "$WORK/satchel" ./cmd/satchel) || exit 1
FAILED=0

die() { echo "FAIL $1: $2"; FAILED=1; }

setup() { # name: a repository, a home, a fresh API
  [ -n "$FAKE" ] && kill "$FAKE" 2>/dev/null
  W="$WORK/$1"; mkdir -p "$W/home" "$W/repo/lib" "$W/bin"; API="$W/api.jsonl"; : >"$API"
  [ -x "$LAB/bin/fakeapi" ] || { die "$1" "no $LAB/bin/fakeapi"; return 1; }
  "$LAB/bin/fakeapi" -log "$API" -portfile "$W/port" 2>"$W/fake.err" & FAKE=$!
  for _ in $(seq 50); do [ -s "$W/port" ] && break; sleep 0.1; done
  BASE="http://$(cat "$W/port")"
  (
    cd "$W/repo" && git init -q -b main && printf 'package a\n\nfunc FirstEdit() string { return "EDIT-MARK" }\n' >a.go
    { printf 'package lib\n\n// Wanted is asked for.\nfunc Wanted() {\n'; for i in $(seq 400); do echo "	println(\"ANSWER-MARK $i\")"; done; echo "}"; } >lib/lib.go
    git add -A && git -c user.name=t -c user.email=t@example.com commit -qm init
  )
}

# The model answers the first prompt with a request; what it is sent next holds
# the answer, so that it ends. The task carries what the model is to say.
TASK='Make FirstEdit better. @@say NEED_CODE: lib/lib.go:10-12@@'

run() { # name, the environment of the agent and its command
  local name="$1" agent="$2"; shift 2
  (cd "$W/repo" && timeout 120 env -i HOME="$W/home" PATH="$W/bin:/usr/local/bin:/usr/bin:/bin" TERM=dumb LANG=C.UTF-8 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \
    "$@" "$WORK/satchel" run --task "$TASK" --edit a.go --budget 900 --rounds 2 --agent "$agent" -o "$W/record.json" ${RUN:-} -- "${CMD[@]}" >"$W/out.jsonl" 2>"$W/err.txt")
  local rc=$?
  [ $rc = 0 ] || { die "$name" "satchel run ended with $rc: $(tail -3 "$W/err.txt")"; return; }
  python3 - "$API" "$W/record.json" "$name" "${PROMPTS:-1}" <<'PY' || FAILED=1
import json, sys
log, record, name, prompts = sys.argv[1:]
bodies = []
for line in open(log):
    d = json.loads(line)
    b = d.get("body", d)
    bodies.append(b if isinstance(b, str) else json.dumps(b))
asked = [b for b in bodies if "EDIT-MARK" in b]
answered = [b for b in bodies if "ANSWER-MARK 8" in b]
r = json.load(open(record))
wrong = []
if not asked: wrong.append("the prompt never reached the API")
if not answered: wrong.append("the answer never reached the API")
if answered and answered[-1].count("EDIT-MARK") != int(prompts): wrong.append("the second round holds the prompt %d times" % answered[-1].count("EDIT-MARK"))
if len(r["rounds"]) != 2: wrong.append("%d rounds" % len(r["rounds"]))
elif not r["rounds"][0].get("session"): wrong.append("no session was named")
elif [a.get("path") for a in r["rounds"][0]["answers"]] != ["lib/lib.go"]: wrong.append("answers %s" % r["rounds"][0]["answers"])
if wrong: sys.exit(f"FAIL {name}: " + "; ".join(wrong))
print(f"ok   {name}: asked, was answered in the same session, prompts of {[x['tokens'] for x in r['rounds']]} tokens")
PY
}

# resumed: a trimmed copy of the session that the first run left, gone on with.
resumed() { # name, the session, tokens less than it has, the environment of the agent
  local agent="$1" session="$2" budget="$3" before; shift 3
  [ -n "$session" ] || { die "$agent" "wrote no session"; return; }
  before="$(sha256sum "$session")"
  : >"$API"
  # It holds the prompt of the first run, too: whole, or its two ends.
  PROMPTS="${WHOLE:-2}" RUN="--resume $session --resume-budget $budget" run "$agent --resume" "$agent" "$@"
  [ "$before" = "$(sha256sum "$session")" ] || die "$agent --resume" "the session itself was changed"
  [ "$(tail -1 "$API" | grep -o 'Make FirstEdit better' | wc -l)" -ge 2 ] || die "$agent --resume" "the task of the first run is gone"
  grep -q 'tokens of messages are left of' "$W/err.txt" || die "$agent --resume" "the session was not trimmed"
  grep -q 'Context: ' "$W/err.txt" || die "$agent --resume" "no line of pressure: $(tail -2 "$W/err.txt")"
}

claude() {
  local bin="$LAB/clients/claude-latest/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
  [ -x "$bin" ] || { die claude "not installed"; return; }
  setup claude || return
  CMD=("$bin" -p --output-format stream-json --verbose --model claude-sonnet-4-5)
  run claude claude ANTHROPIC_BASE_URL="$BASE" ANTHROPIC_API_KEY=fake CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1
  resumed claude "$(find "$W/home/.claude/projects" -name '*.jsonl' | head -1)" 1000 ANTHROPIC_BASE_URL="$BASE" ANTHROPIC_API_KEY=fake CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1
}

pi() {
  local bin="$LAB/clients/pi/node_modules/@mariozechner/pi-coding-agent/dist/cli.js"
  [ -f "$bin" ] || { die pi "not installed"; return; }
  setup pi || return
  mkdir -p "$W/home/.pi/agent"
  echo "{\"providers\":{\"fake\":{\"baseUrl\":\"$BASE/v1\",\"api\":\"openai-completions\",\"apiKey\":\"fake\",\"models\":[{\"id\":\"m\",\"contextWindow\":200000}]}}}" >"$W/home/.pi/agent/models.json"
  CMD=(node "$bin" --offline -p --mode json --provider fake --model m)
  run pi pi PI_OFFLINE=1
}

codex() {
  local bin="$LAB/clients/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
  [ -x "$bin" ] || { die codex "not installed"; return; }
  setup codex || return
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
  CMD=("$bin" exec --json -)
  run codex codex CODEX_HOME="$home" FAKE_KEY=fake
  resumed codex "$(find "$home/sessions" -name 'rollout-*.jsonl' | head -1)" 1000 CODEX_HOME="$home" FAKE_KEY=fake
}

gemini() {
  local bin="$LAB/clients/gemini/node_modules/@google/gemini-cli/bundle/gemini.js"
  [ -f "$bin" ] || { die gemini "not installed"; return; }
  setup gemini || return
  mkdir -p "$W/home/.gemini"
  echo '{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"disableAutoUpdate":true}}' >"$W/home/.gemini/settings.json"
  CMD=(node "$bin" -m gemini-2.5-flash --output-format stream-json --approval-mode yolo)
  local env=(NO_COLOR=1 GOOGLE_GEMINI_BASE_URL="$BASE" GEMINI_API_KEY=fake GEMINI_CLI_NO_RELAUNCH=1 GEMINI_CLI_TRUST_WORKSPACE=true)
  run gemini gemini "${env[@]}"
  WHOLE=1 resumed gemini "$(find "$W/home/.gemini/tmp" -name 'session-*.jsonl' | head -1)" 700 "${env[@]}"
}

opencode() {
  local bin; bin="$(find -L "$LAB/clients/opencode/node_modules/opencode-linux-x64/bin" -type f 2>/dev/null | head -1)"
  [ -x "$bin" ] || { die opencode "not installed"; return; }
  setup opencode || return
  cat >"$W/repo/opencode.json" <<J
{"model":"fake/fake-model","small_model":"fake/fake-model","autoupdate":false,"share":"disabled",
 "provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":"$BASE/v1","apiKey":"fake"},"models":{"fake-model":{"name":"Fake","tool_call":true,"limit":{"context":200000,"output":8000}}}}},
 "permission":{"*":"allow"}}
J
  CMD=("$bin" run --format json)
  run opencode opencode XDG_CONFIG_HOME="$W/home/.config" XDG_DATA_HOME="$W/home/.local/share" XDG_CACHE_HOME="$W/home/.cache" \
    OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1
}

[ $# -gt 0 ] || set -- claude pi codex gemini opencode
for c in "$@"; do "$c"; done
exit $FAILED
