# Every target is one line that a person could type. Tools are pinned in
# tools/go.mod, so that users of the module do not inherit them.

FUZZTIME ?= 30s
ROUNDS   ?= 1000

.PHONY: build test race check golden fuzz bench eval frame train fit-relevance eval-match train-changes eval-changes soak soak-trim soak-diff eval-sessions gather-sessions train-sessions test-clients tune-docs

build:
	go build -o bin/satchel ./cmd/satchel

test:
	go test ./...

# The packages in which goroutines or processes meet, without the longest tests.
race:
	go test -race -short ./tokens ./internal/git ./internal/index ./internal/outline ./internal/state ./internal/mcp ./engine

check:
	.ci/run

# Rewrite every golden file, then look at the diff.
golden:
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
	git diff --stat

# Every Fuzz target for FUZZTIME.
fuzz:
	grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | while IFS=: read -r file fn; do go test "$$(dirname "$$file")" -run='^$$' -fuzz="^$${fn#func }\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x || exit 1; done

# Compares with the previous run, kept in bench/out.
bench:
	mkdir -p bench/out && touch bench/out/new.txt && mv bench/out/new.txt bench/out/old.txt
	go test -run='^$$' -bench=. -benchmem -count=10 ./... | tee bench/out/new.txt
	go tool -modfile=tools/go.mod benchstat bench/out/old.txt bench/out/new.txt

# Tasks with known answers (JSON lines) over the repositories below MIRROR, as OWNER+NAME/repo.
eval:
	go run ./eval -tasks $(TASKS) -mirror $(MIRROR) -out bench/out/predictions.jsonl

# What of packs of 8,000 tokens is headings, fences and receipt; fails above 4 %.
frame:
	go run ./eval/frame -tasks $(TASKS) -mirror $(MIRROR) -most 0.04

# Repositories whose commits are trained on, besides the tasks.
COMMITS ?= golang/tools,google/go-github,charmbracelet/crush,Aider-AI/aider,tailscale/tailscale,hashicorp/terraform,SWE-agent/SWE-agent,qodo-ai/pr-agent,FiloSottile/age,sourcegraph/zoekt,modelcontextprotocol/go-sdk,badlogic/pi-mono,FasterXML/jackson-databind,rogpeppe/go-internal,hyperb1iss/git-iris,yamadashy/repomix

# Recomputes the committed weights, byte for byte from the same tasks and repositories.
train:
	go run ./eval/train -tasks $(TASKS) -mirror $(MIRROR) -commits $(COMMITS) -mode fit -out rank/weights.go

# Recomputes when a match is strong, after each change of weights or signals, and what all programs say.
fit-relevance:
	go run ./eval/relevance -tasks $(TASKS) -mirror $(MIRROR) -out rank/relevance_weights.go -background rank/background.bin

# How many tasks are strong, weak or no match in their own repository and in another one, and what has nothing to do with either.
eval-match:
	go run ./eval/relevance -tasks $(TASKS) -mirror $(MIRROR)

# How well the files of a change are ordered, on commits of the dev lines of REPOS (a pass, a tab, OWNER/NAME).
eval-changes:
	go run ./eval/changes -repos $(REPOS) -mirror $(MIRROR) -pass dev
	go run ./eval/changes -repos $(REPOS) -mirror $(MIRROR) -pass dev -mode partners

# Recomputes the committed weights of the default profile of changes, from commits of the train lines of REPOS.
train-changes:
	go run ./eval/changes -repos $(REPOS) -mirror $(MIRROR) -pass train -each 80 -n 0 -mode fit -out rank/changes_weights.go

# The crash tests with ROUNDS kills instead of 50: of index, notes and snapshots.
soak:
	SATCHEL_SOAK_ROUNDS=$(ROUNDS) go test ./internal/index ./internal/state ./internal/archive -run TestKill -count=1 -timeout=12h -v

# ROUNDS made-up conversations, from FROM on, against the laws of trim; a million take some two hours.
FROM ?= 0
soak-trim:
	SATCHEL_SOAK_ROUNDS=$(ROUNDS) SATCHEL_SOAK_FROM=$(FROM) go test ./trim -run TestSoak -count=1 -timeout=24h -v

# How well trim keeps what the sessions of GATHERED used next, each repository by weights of the others.
eval-sessions:
	go run ./eval/sessions -dir $(GATHERED) -split dev,more -mode cv
# Into GATHERED, the sessions of SESSIONS (a folder with index.jsonl) and others of the repositories (below MIRROR) that hold them; then the weights, learned from all of these.
GATHERED      ?= bench/out/sessions
SESSION_REPOS ?= DRMacIver/claude-reliability PackmindHub/context-evaluator blackgirlbytes/entire-token-costs-benchmark-tests entireio/skills japer-technology/github-minimum-intelligence japer-technology/gitopenclaw
gather-sessions:
	go run ./eval/sessions -dir $(SESSIONS) -mode gather -mirror $(MIRROR) -repos "$(SESSION_REPOS)" -out $(GATHERED)
train-sessions:
	go run ./eval/sessions -dir $(GATHERED) -split dev,more -mode fit -out internal/reuse/weights.go

# Compares 500 commits of the repositories REPOS, a PATH list of git folders, with git diff and git apply.
soak-diff:
	SATCHEL_SOAK_REPOS=$(REPOS) go test ./internal/git -run TestDiffSoak -count=1 -timeout=1h -v

# The acceptance tests with the real agents, offline against a stand-in for the model APIs: pinned versions, installed by npm (2 GB) into CLIENTS.
CLIENTS ?= $(HOME)/.cache/satchel-clients/clients
ONLY    ?=
test-clients:
	go run ./bench/clients/accept -lab $(CLIENTS) -install -only '$(ONLY)'

# What the embeddings of MODEL at URL (any server of OpenAI's /v1/embeddings) may count in the ranking of documents. Public documents are sent there.
tune-docs:
	go run ./eval/docs -mirror $(MIRROR) -mode tune -url $(URL) -model $(MODEL)
