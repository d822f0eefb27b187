#!/usr/bin/env bash
# Lets real clients talk to satchel mcp, offline, and checks what they and the model
# get: the agents Claude Code and Codex, the MCP Inspector and the TypeScript library.
#
#   LAB=DIR lab/clients/mcp.sh claude codex inspector mcpsdk
#
# DIR holds clients/{claude-latest,codex,inspector,mcpsdk} as npm installed them,
# and bin/fakeapi as resume.sh says. A client that is missing is a failure.
set -u
ROOT="$(cd "$(dirname "$0")/../.." && pwd)"
LAB="${LAB:?set LAB to the folder of the clients}"
WORK="$(mktemp -d)"
PIDS=
trap '[ -n "$PIDS" ] && kill $PIDS 2>/dev/null; [ "${KEEP:-}" ] && echo "kept $WORK" || rm -rf "$WORK"' EXIT
mkdir -p "$WORK/bin"
(cd "$ROOT" && go build -o "$WORK/bin/satchel" ./cmd/satchel) || exit 1
BASEPATH="$WORK/bin:/usr/local/bin:/usr/bin:/bin"
FAILED=0

ok() { echo "ok   $1: $2"; }
die() { echo "FAIL $1: $2"; FAILED=1; }

setup() { # name: a repository with a long file, a home, a fresh API, and a server that records what it hears
  W="$WORK/$1"; mkdir -p "$W/home" "$W/repo"; API="$W/api.jsonl"; : >"$API"; WIRE="$W/wire.jsonl"; : >"$WIRE"
  [ -x "$LAB/bin/fakeapi" ] || { die "$1" "no $LAB/bin/fakeapi"; return 1; }
  "$LAB/bin/fakeapi" -log "$API" -portfile "$W/port" 2>"$W/fake.err" & PIDS="$PIDS $!"
  for _ in $(seq 50); do [ -s "$W/port" ] && break; sleep 0.1; done
  BASE="http://$(cat "$W/port")"
  (cd "$W/repo" && git init -q -b main && python3 - >greet.go <<'PY'
print("package greet\n")
for i in range(900):
    print(f"// Greet{i} says hello, number {i}.\nfunc Greet{i}() string {{ return \"hello {i}\" }}\n")
PY
  git -c user.name=t -c user.email=t@example.com add -A && git -c user.name=t -c user.email=t@example.com commit -qm init)
  printf '#!/bin/sh\ntee -a %s | %s mcp | tee -a %s.out\n' "$WIRE" "$WORK/bin/satchel" "$WIRE" >"$W/server"; chmod +x "$W/server"
}

# reached NAME METHOD: the client opened with METHOD, and the answer to its call, as
# it went over the wire, stands whole in the next request to the model.
reached() {
  python3 - "$API" "$WIRE" "$1" "$2" <<'PY' || FAILED=1
import json, sys
api, wire, name, method = sys.argv[1:]
heard = [json.loads(l) for l in open(wire) if l.strip()]
methods = [m.get("method") for m in heard]
if not methods or methods[0] != method:
    sys.exit(f"FAIL {name}: it opened with {methods[:3]}, want {method}")
if method == "server/discover" and "initialize" in methods:
    sys.exit(f"FAIL {name}: it went back to the handshake")
texts = []
for l in open(wire + ".out"):
    r = json.loads(l).get("result") or {}
    if "structuredContent" in r:
        sys.exit(f"FAIL {name}: an answer has a structure")
    texts += [c["text"] for c in r.get("content", [])]
if not texts:
    sys.exit(f"FAIL {name}: no tool was called: {methods}")
def strings(v):
    if isinstance(v, str):
        yield v
        try: w = json.loads(v)
        except ValueError: return
        if isinstance(w, (dict, list)): yield from strings(w)
    elif isinstance(v, dict):
        for x in v.values(): yield from strings(x)
    elif isinstance(v, list):
        for x in v: yield from strings(x)
seen = [s for l in open(api) for s in strings(json.loads(l))]
for t in texts:
    if not any(t in s for s in seen):
        sys.exit(f"FAIL {name}: an answer of {len(t)} characters did not reach the model whole")
print(f"ok   {name}: {method}; answers of {[len(t) for t in texts]} characters reached the model whole")
PY
}

claude() {
  local bin="$LAB/clients/claude-latest/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
  [ -x "$bin" ] || { die claude "not installed"; return; }
  setup claude || return
  printf '{"mcpServers":{"satchel":{"type":"stdio","command":"%s","args":[]}}}' "$W/server" >"$W/mcp.json"
  (cd "$W/repo" && env -i HOME="$W/home" PATH="$BASEPATH" TERM=dumb LANG=C.UTF-8 ANTHROPIC_BASE_URL="$BASE" ANTHROPIC_API_KEY=fake \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1 \
    timeout 180 "$bin" -p 'go @@tool mcp__satchel__pack {"task":"say hello","budget":1000}@@ @@tool mcp__satchel__pack {"task":"say hello, number 7"}@@ @@tool mcp__satchel__read {"path":"greet.go","budget":20000}@@' \
    --model claude-sonnet-4-5 --output-format stream-json --verbose --mcp-config "$W/mcp.json" --strict-mcp-config --allowedTools 'mcp__satchel__*' </dev/null >"$W/out.jsonl" 2>"$W/err.txt")
  reached claude server/discover
}

codex() {
  local bin="$LAB/clients/codex/node_modules/.bin/codex"
  [ -x "$bin" ] || { die codex "not installed"; return; }
  setup codex || return
  mkdir -p "$W/codex"
  cat >"$W/codex/config.toml" <<T
model = "gpt-5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "read-only"
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
[mcp_servers.satchel]
command = "$W/server"
[projects."$W/repo"]
trust_level = "trusted"
T
  (cd "$W/repo" && env -i HOME="$W/home" CODEX_HOME="$W/codex" PATH="$BASEPATH" TERM=dumb LANG=C.UTF-8 FAKE_KEY=fake \
    timeout 180 "$bin" exec --json 'go @@tool mcp__satchel::pack {"task":"say hello","budget":1000}@@ @@tool mcp__satchel::pack {"task":"say hello, number 7"}@@' </dev/null >"$W/out.jsonl" 2>"$W/err.txt")
  reached codex initialize
}

inspector() {
  local bin="$LAB/clients/inspector/node_modules/.bin/mcp-inspector"
  [ -x "$bin" ] || { die inspector "not installed"; return; }
  setup inspector || return
  (cd "$W/repo" && timeout 60 "$bin" --cli "$WORK/bin/satchel" mcp --method tools/list) >"$W/list" 2>"$W/err.txt"
  (cd "$W/repo" && timeout 60 "$bin" --cli "$WORK/bin/satchel" mcp --method tools/call --tool-name search --tool-arg query=greet) >"$W/call" 2>>"$W/err.txt"
  if grep -q '"name": "pack"' "$W/list" && grep -q 'greet.go' "$W/call"; then ok inspector "lists and calls"; else die inspector "$(head -c 300 "$W/err.txt" "$W/list" "$W/call")"; fi
}

mcpsdk() {
  [ -d "$LAB/clients/mcpsdk/node_modules/@modelcontextprotocol/sdk" ] || { die mcpsdk "not installed"; return; }
  setup mcpsdk || return
  cat >"$LAB/clients/mcpsdk/satchel-trial.mjs" <<'J'
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
const c = new Client({ name: "trial", version: "0" })
await c.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp"], env: { PATH: process.env.PATH, HOME: process.env.HOME } }))
const { tools } = await c.listTools()
const r = await c.callTool({ name: "search", arguments: { query: "greet" } })
const bad = await c.callTool({ name: "search", arguments: { nope: 1 } })
const f = await c.readResource({ uri: "satchel://file/greet.go:1-2" })
console.log(tools.map((t) => t.name).join(","), r.content[0].text.includes("greet.go"), bad.isError, JSON.stringify(f.contents[0].text))
await c.close()
J
  local got; got="$(cd "$W/repo" && HOME="$W/home" timeout 60 node "$LAB/clients/mcpsdk/satchel-trial.mjs" "$WORK/bin/satchel" 2>&1)"
  [ "$got" = 'diff,pack,read,search,session true true "package greet\n\n"' ] && ok mcpsdk "lists, calls and reads" || die mcpsdk "$got"
}

[ $# -gt 0 ] || { echo "usage: LAB=DIR lab/clients/mcp.sh claude codex inspector mcpsdk" >&2; exit 2; }
for c in "$@"; do "$c"; done
exit $FAILED
