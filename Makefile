# Every target is one line that a person could type. Tools are pinned in
# tools/go.mod, so that users of the module do not inherit them.

# What measures satchel is a module of its own, whose programs run in lab/: files
# that the caller names are told to them by absolute paths.

FUZZTIME ?= 30s
ROUNDS   ?= 1000

.PHONY: build cross vet-cross test test-lab quick oracle race race-all check subjects census golden fuzz bench eval eval-related eval-semble eval-languages train fit-relevance eval-match train-changes train-related eval-changes soak soak-trim soak-diff eval-sessions freeze record gather-sessions train-sessions test-clients test-npm test-wine site test-site

build:
	go build -o bin/satchel ./cmd/satchel

# The binaries of a release for all six systems, byte for byte, with their SHA256SUMS.
cross:
	release/build.sh bin/cross

# What other systems would compile is vetted, and all tests are linked for them, those
# of lab, too; what lab has to build with a tag is for Unix alone.
TARGETS ?= windows/amd64 windows/arm64 darwin/amd64 darwin/arm64
vet-cross:
	@for t in $(TARGETS); do \
		echo "vet and tests for $$t" && export CGO_ENABLED=0 GOOS=$${t%/*} GOARCH=$${t#*/} && \
		for m in . lab; do (cd $$m && go vet ./... && go test -c -o /dev/null ./...) || exit 1; done || exit 1; \
	done

# Tests build as release/build.sh does, so that all share one build cache, and keep their
# files in memory where a system has 6 GB of it to spare. What an interrupted run left
# there goes after an hour.
MEMORY := $(shell d=/dev/shm/satchel-$$(id -u); [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END {print $$4}')" -gt 6000000 ] 2>/dev/null && \
	! mount | grep -q ' /dev/shm .*noexec' && mkdir -p $$d && find $$d -mindepth 1 -maxdepth 1 -mmin +60 -exec rm -rf {} + && echo $$d)
test test-lab quick: export CGO_ENABLED = 0
test test-lab quick: export GOFLAGS = -trimpath -buildvcs=false
test test-lab quick: export GOGC = 400
race race-all: export CGO_ENABLED = 1
ifneq ($(MEMORY),)
test test-lab quick race: export TMPDIR = $(MEMORY)
endif

# All tests of the product, and of its architecture and exported names. -count=1 is for
# tests that read tags or files of another module, which go test does not compare when it
# reuses results. The linter vets.
test:
	go test -vet=off -timeout 20m ./...
	go test -vet=off -count=1 -run '^TestSchemas$$' ./internal/front/cli
	cd lab && go test -vet=off -count=1 ./archtest ./release/api

# The other tests of the programs that measure satchel and make its packages.
test-lab:
	cd lab && go test -vet=off $$(go list ./... | grep -v -e /archtest -e /release/) && go test -vet=off -count=1 $$(go list ./release/... | grep -v /api)

# The loop while working: all tests except those that take about a second or more.
quick:
	go test -vet=off -short ./...

# The outliner against tree-sitter, whose grammars take a C compiler.
oracle:
	cd lab && go test -tags oracle ./oracle/...

# The race detector over the tests whose goroutines share memory, and over commands whose
# readers work in parallel.
RACING = Concurrent|Canceled|WhileRead|Retired|AtOnce|SameView|ReadTexts|Objects|ReadAll|Killed|Silence|Walkers|WorkTreeStates|StraysAre|KindsOfRepository|Fetch$$|DiffKeep
race:
	go test -vet=off -race -run '$(RACING)' ./tokens ./internal/world/git ./internal/store/index ./internal/code/outline
	go test -vet=off -race ./internal/world/llm
	go test -vet=off -race -run '^(TestCancel|TestPartsShare|TestReplays)$$' ./internal/front/cli/assist

# All tests of all packages that run work in parallel; part of .ci/release. The limits on
# allocations of code/outline do not hold here: the race detector empties pools.
race-all: race
	go test -vet=off -race ./tokens ./internal/world/git ./internal/store/... ./internal/front/mcp ./internal/assist/... ./engine
	go test -vet=off -race -timeout 60m ./internal/front/cli/...

check:
	.ci/run

# Commits since SINCE whose subject is not "package: words" of at most 60 characters. It never fails.
SINCE ?= HEAD~20
subjects:
	@git log --no-merges --format='%h %s' $(SINCE).. | awk '{ s = substr($$0, index($$0, " ") + 1) } length(s) > 60 || s !~ /^[a-z][a-z0-9\/., -]*: [a-z]/'

# How large the house is, and what in it nobody needs; lab/census has more views.
census:
	cd lab && go run ./census

# Rewrite every golden file, then look at the diff.
golden:
	go test $$(grep -rl --include='*_test.go' --exclude-dir=lab 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
	cd lab && go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
	git diff --stat

# Every Fuzz target for FUZZTIME.
fuzz:
	grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | while IFS=: read -r file fn; do go test -C "$$(dirname "$$file")" -run='^$$' -fuzz="^$${fn#func }\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=10x || exit 1; done

# Compares with the previous run, kept in lab/out.
bench:
	mkdir -p lab/out && touch lab/out/new.txt && mv lab/out/new.txt lab/out/old.txt
	go test -run='^$$' -bench=. -benchmem -count=10 ./... | tee lab/out/new.txt
	go tool -modfile=tools/go.mod benchstat lab/out/old.txt lab/out/new.txt

# Tasks with known answers (JSON lines) over the repositories below MIRROR, as OWNER+NAME/repo.
eval:
	mkdir -p lab/out
	cd lab && go run ./eval -tasks $(abspath $(TASKS)) -mirror $(abspath $(MIRROR)) -out out/predictions.jsonl

# The public code-search benchmark in SEMBLE, a clone of https://github.com/MinishLab/semble, over its repositories below MIRROR.
eval-semble:
	cd lab && go run ./semble -bench $(abspath $(SEMBLE)) -mirror $(abspath $(MIRROR))

# Repositories whose commits are trained on and never tested; they teach the first pass.
COMMITS ?= golang/tools,google/go-github,charmbracelet/crush,Aider-AI/aider,tailscale/tailscale,hashicorp/terraform,SWE-agent/SWE-agent,qodo-ai/pr-agent,FiloSottile/age,sourcegraph/zoekt,modelcontextprotocol/go-sdk,badlogic/pi-mono,FasterXML/jackson-databind,rogpeppe/go-internal,hyperb1iss/git-iris,yamadashy/repomix,rust-lang/rust-analyzer
TRAIN = cd lab && go run ./train -tasks $(abspath $(TASKS)),train/tasks/history.jsonl -mirror $(abspath $(MIRROR)) -commits $(COMMITS)

# Recomputes the committed weights, byte for byte from the same tasks and repositories.
train:
	$(TRAIN) -mode fit -out ../rank/weights.go

# How each language's tasks are ranked by weights that never saw their repository.
eval-languages:
	$(TRAIN) -mode cv

# Recomputes when a match is strong, after each change of weights or signals, and what all programs say.
fit-relevance:
	cd lab && go run ./train/relevance -tasks $(abspath $(TASKS)) -mirror $(abspath $(MIRROR)) -out ../rank/relevance_weights.go -background ../rank/background.bin

# How many tasks are strong, weak or no match in their own repository and in another one, and what has nothing to do with either.
eval-match:
	cd lab && go run ./train/relevance -tasks $(abspath $(TASKS)) -mirror $(abspath $(MIRROR))

# How well the files of a change are ordered, on commits of the dev lines of REPOS (a pass, a tab, OWNER/NAME).
eval-changes:
	cd lab && go run ./train/changes -repos $(abspath $(REPOS)) -mirror $(abspath $(MIRROR)) -pass dev

# How well the tests of a change and the files that change with it are found; needs the repositories of lab/related/repos.txt.
eval-related:
	cd lab && go run ./related -mirror $(abspath $(MIRROR))

# Recomputes the committed weights of what belongs to a change, from the half "learn" of these repositories.
train-related:
	cd lab && go run ./related -mirror $(abspath $(MIRROR)) -mode fit -out ../rank/related_weights.go

# Recomputes the committed weights of the default profile of changes, from commits of the train lines of REPOS.
train-changes:
	cd lab && go run ./train/changes -repos $(abspath $(REPOS)) -mirror $(abspath $(MIRROR)) -pass train -each 80 -n 0 -mode fit -out ../rank/changes_weights.go

# The tests with random rounds, ROUNDS of them: kills of writers of the index, the notes
# and the snapshots, interrupted reviews, and laws.
soak:
	SATCHEL_SOAK_ROUNDS=$(ROUNDS) go test $$(grep -rl --include='*_test.go' SATCHEL_SOAK_ROUNDS . --exclude-dir=lab | xargs -n1 dirname | sort -u | grep -vx ./trim) -count=1 -timeout=12h -v

# ROUNDS made-up conversations, from FROM on, against the laws of trim; a million take some two hours.
FROM ?= 0
soak-trim:
	SATCHEL_SOAK_ROUNDS=$(ROUNDS) SATCHEL_SOAK_FROM=$(FROM) go test ./trim -run TestSoak -count=1 -timeout=24h -v

# What trim keeps of the sessions of GATHERED, each repository by weights of the others; PACKERS='-packer "NAME=cmd:…"' adds a command.
eval-sessions:
	cd lab && go run ./sessions -dir $(abspath $(GATHERED)) -split dev,more -mode cv -packer full,ours $(PACKERS)
# Into GATHERED, the sessions of SESSIONS (a folder with index.jsonl) and others of the repositories (below MIRROR) that hold them; then the weights, learned from all of these.
GATHERED      ?= lab/out/sessions
SESSION_REPOS ?= DRMacIver/claude-reliability PackmindHub/context-evaluator blackgirlbytes/entire-token-costs-benchmark-tests entireio/skills japer-technology/github-minimum-intelligence japer-technology/gitopenclaw
gather-sessions:
	cd lab && go run ./sessions -dir $(abspath $(SESSIONS)) -mode gather -mirror $(abspath $(MIRROR)) -repos "$(SESSION_REPOS)" -out $(abspath $(GATHERED))
train-sessions:
	cd lab && go run ./sessions -dir $(abspath $(GATHERED)) -split dev,more -mode fit -out ../trim/reuse/weights.go

# The outputs of bin/satchel on eight repositories below MIRROR and the sessions of GATHERED, against committed digests; FREEZE='-keep FOLDER' keeps them.
freeze: build
	cd lab && go run ./freeze -satchel ../bin/satchel -mirror $(abspath $(MIRROR)) -sessions $(abspath $(GATHERED)) $(FREEZE)

# Compares 500 commits of the repositories REPOS, a PATH list of git folders, with git diff and git apply.
soak-diff:
	SATCHEL_SOAK_REPOS=$(REPOS) go test ./internal/world/git -run TestDiffSoak -count=1 -timeout=1h -v

# The acceptance tests with the real agents, offline against a stand-in for the model APIs: pinned versions, installed by npm (2 GB) into CLIENTS.
CLIENTS ?= $(HOME)/.cache/satchel-clients/clients
ONLY    ?=
test-clients:
	cd lab && go run ./clients/accept -lab $(abspath $(CLIENTS)) -install -only '$(ONLY)'

# The npm packages with real clients (npm 10, 11 and 12, pnpm, Yarn) against a registry on this machine, all installed by npm (400 MB); fails without npm.
test-npm:
	cd lab && go test -tags npm -count=1 -timeout=20m -v ./release/publish

# The tests as programs for Windows, under Wine 10, with the git.exe and sh.exe below WINGIT; PACKAGES='./trim ./pack' are those alone.
test-wine:
	.ci/wine $(abspath $(WINGIT)) $(PACKAGES)

# The documentation as static pages in lab/out/site; fails if a link or an anchor leads nowhere.
SITE_VERSION ?= devel
site:
	cd lab && go run ./release/site -version $(SITE_VERSION) -out out/site

# Its pages in Chromium: widths, search, navigation, contrast. SHOTS=FOLDER keeps pictures.
test-site:
	cd lab && go test -tags browser -count=1 ./release/site

# What the model of your own [llm.default] says of the fixtures in internal/front/cli/assist/testdata/assist, recorded as NAME to be replayed by tests: look at the diff. It costs money.
NAME ?= mine
record:
	SATCHEL_RECORD=$(NAME) go test ./internal/front/cli/assist -run TestAssistRecord -count=1 -v && go test ./internal/front/cli/assist -run TestAssistRuns -count=1 -update
