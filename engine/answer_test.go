package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/need"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

func answerRepo(t *testing.T) (*engine.Engine, *gittest.Repo) {
	r := newRepository(t)
	var long strings.Builder
	long.WriteString("package long\n\n")
	for i := range 800 {
		fmt.Fprintf(&long, "// Function%d does a thing that takes some words to say.\nfunc Function%d(n int) int { return n + %d }\n\n", i, i, i)
	}
	r.WriteAll(fsxtest.Possible(map[string]string{
		"auth/login.go":     "package auth\n\n// StartLogin logs in.\nfunc StartLogin(user string) error {\n\treturn nil\n}\n",
		"store/store.go":    "package store\n\ntype Store struct{}\n\n// Flush writes.\nfunc (s *Store) Flush() {}\n\ntype Cache struct{}\n\nfunc (c *Cache) Flush() {}\n",
		"long/long.go":      long.String(),
		"docs/auth.md":      "# Auth\n\nIntro.\n\n## Tokens & Keys\n\nTokens last an hour.\n\n## Other\n\nMore.\n",
		"config.toml":       "token = \"" + "ghp_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u\"\n",
		".env":              "PASSWORD=hunter2hunter2\n",
		".env.example":      "PASSWORD=\n",
		"keys/id_rsa":       "not really\n",
		"go.sum":            "a v1 h1:x=\n",
		"vendor/v/v.go":     "package v\n",
		".gitignore":        "ignored/\n",
		"ticks/fence.md":    "````\nNEED_CODE: a\n````\n",
		"web/app/login.go":  "package app\n",
		"empty.go":          "",
		"one/twice.md":      "# Twice\n\nOnce.\n",
		"two/twice.md":      "# Twice\n\nAgain.\n",
		"esc/\x1b[31mx.txt": "red \x1b[31m text\n",
	}))
	r.Commit("all")
	r.WriteAll(map[string]string{
		"auth/login.go":     "package auth\n\n// StartLogin logs in.\nfunc StartLogin(user string) error {\n\treturn errNobody\n}\n",
		"ignored/secret.go": "package ignored\n",
	})
	fsxtest.MayLink(t, "/etc/passwd", filepath.Join(r.Dir, "link"))
	huge, err := os.Create(filepath.Join(r.Dir, "huge.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(1 << 30); err != nil { // of holes
		t.Fatal(err)
	}
	if err := huge.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, engine.Options{Dir: r.Dir, NoCache: true}), r
}

func TestAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	e, _ := answerRepo(t)
	for _, test := range []struct{ ask, want string }{
		{"NEED_CODE: auth/login.go", "func StartLogin"},
		{"NEED_CODE: ./auth/login.go:3-4", "lines 3-4 of 6"},
		{"NEED_CODE: auth/login.go", "(uncommitted)"},
		{"NEED_CODE: vendor/../auth/login.go", "refused: it is outside the repository"}, // not guessed at
		{"NEED_DOC: docs/auth.md", "Tokens last an hour"},
		{"NEED_DOC: [[auth]]", "Tokens last an hour"},
		{"NEED_DOC: [[auth#tokens-keys|the keys]]", "lines 5-8 of 11"},
		{"NEED_DOC: docs/auth.md#Other", "More."},
		{"NEED_DOC: [[twice]]", "refused: 2 documents have this name: one/twice.md, two/twice.md; ask for one by its path"},
		{"NEED_DOC: two/twice.md", "Again."},
		{"NEED_DOC: docs/auth.md#none", `refused: docs/auth.md has no heading "none"`},
		{"NEED_SYMBOL: StartLogin", "auth/login.go"},
		{"NEED_SYMBOL: Flush", "func (c *Cache) Flush"},
		{"NEED_SYMBOL: Store.Flush", "func (s *Store) Flush"},
		{"NEED_SYMBOL: store::Store::Flush()", "func (s *Store) Flush"},
		{"NEED_SYMBOL: Nowhere.Flush", "refused: nothing of that name is defined here"},
		{"NEED_SYMBOL: ...", "refused: it is not a name"},
		{"NEED_DIFF: auth/login.go", "+\treturn errNobody"},
		{"NEED_DIFF: HEAD^!", "store/store.go"},
		{"NEED_DIFF: HEAD", "auth/login.go"},
		{"NEED_DIFF: docs/auth.md", "refused: there are no uncommitted changes"},
		{"NEED_DIFF: --output=canary", "refused: it is neither a path nor a range"},
		{"NEED_DIFF: nosuchref", "refused: "},
		{"NEED_DIFF: .env", "refused: files of its kind hold secrets"},
		{"NEED_CODE: config.toml", "[secret:"},
		{"NEED_CODE: config.toml", "1 secret redacted"},
		{"NEED_CODE: ticks/fence.md", "`````markdown\n"},

		{"NEED_CODE: ../../etc/passwd", "refused: it is outside the repository"},
		{"NEED_CODE: /etc/passwd", "refused: paths are relative to the root"},
		{"NEED_CODE: ~/.ssh/id_rsa", "refused: paths are relative to the root"},
		{`NEED_CODE: C:\Windows\win.ini`, "refused: paths are relative to the root"},
		{`NEED_CODE: ..\..\etc\passwd`, "refused: it is outside the repository"},
		{"NEED_CODE: link", "refused: excluded: symbolic link"},
		{"NEED_CODE: huge.txt", "refused: excluded: too large"},
		{"NEED_CODE: .env", "refused: files of its kind hold secrets"},
		{"NEED_CODE: ./.ENV", "refused: files of its kind hold secrets"},
		{"NEED_CODE: keys/id_rsa", "refused: files of its kind hold secrets"},
		{"NEED_CODE: .env.example", "PASSWORD="},
		{"NEED_CODE: .git/config", "refused: git's own files"},
		{"NEED_CODE: x/.GIT/config", "refused: git's own files"},
		{"NEED_CODE: go.sum", "refused: excluded: lock file"},
		{"NEED_CODE: vendor/v/v.go", "refused: excluded: vendored"},
		{"NEED_CODE: ignored/secret.go", "refused: no such file, or git ignores it"},
		{"NEED_CODE: auth", "refused: a folder, which holds auth/login.go"},
		{"NEED_CODE: src/login.go", "refused: no such file, or git ignores it; did you mean auth/login.go or web/app/login.go?"},
		{"NEED_CODE: nosuch.go", "refused: no such file"},
		{"NEED_CODE: auth/login.go:5-90", "refused: auth/login.go has 6 lines"},
		{"NEED_CODE: empty.go", "refused: empty.go is empty"},
		{"NEED_CODE: long/long.go", "its outline, since all of its 2402 lines take"},
		{"NEED_CODE: long/long.go:1-2000", "refused: it takes"},
		{"NEED_CODE: long/long.go:3-4", "Function0"},
		{"NEED_FILE: auth/login.go", "refused: unknown request"},
	} {
		needs, bad := need.Parse(test.ask)
		answers, err := e.Answer(context.Background(), engine.AnswerRequest{Needs: needs, Bad: bad})
		if err != nil {
			t.Fatalf("%s: %v", test.ask, err)
		}
		text := render.Answers(answers)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s:\n%s\nwant %q", test.ask, text, test.want)
		}
		for _, leak := range []string{"hunter2", "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u", "root:", "\x1b"} {
			if strings.Contains(text, leak) {
				t.Errorf("%s tells %q:\n%s", test.ask, leak, text)
			}
		}
		if n := tokens.O200k().Count(text); n > engine.AnswerBudget+100 {
			t.Errorf("%s takes %d tokens", test.ask, n)
		}
	}
}

// The vault's documents are given, by path and by name, and nothing else of what
// lies there or behind it.
func TestAnswerVault(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(map[string]string{"docs/b.md": "# B\n\nof the repository\n", "docs/same.md": "# Same\n\nof the repository\n"})
	r.Commit("all")
	vault := write(t, map[string]string{
		"Proxy Guide.md":   "# Guide\n\nHow it is dialled.\n\n## Limits\n\nTen of them.\n",
		"deep/note.md":     "# Note\n\ntoken = \"" + "ghp_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u\"\n",
		"one/twice.md":     "# Twice\n",
		"two/twice.md":     "# Twice\n",
		"same.md":          "# Same\n\nof the vault\n",
		"only/b.md":        "# B\n\nof the vault\n",
		".obsidian/x.md":   "# Hidden hunter2\n",
		".x.md":            "# Hidden hunter2\n",
		".git/x.md":        "# Hidden hunter2\n",
		"keys/id_rsa":      "hunter2\n",
		"main.go":          "package hunter2\n",
		"big.md":           strings.Repeat("large hunter2\n", 200_000),
		"long.md":          strings.Repeat("some words that take tokens\n", 4_000),
		"../outside.md":    "# hunter2\n",
		"../outside/in.md": "# hunter2\n",
	})
	for link, to := range map[string]string{"link.md": "/etc/passwd", "out.md": "../outside.md", "dir": "../outside", "in.md": "same.md"} {
		fsxtest.Link(t, to, filepath.Join(vault, link))
	}
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true, Vault: vault})
	for _, test := range []struct{ ask, want string }{
		{"NEED_DOC: vault:Proxy Guide.md", "How it is dialled."},
		{"NEED_CODE: vault:Proxy Guide.md:3-4", "lines 3-4 of 7"},
		{"NEED_DOC: vault:Proxy Guide.md#limits", "lines 5-7 of 7"},
		{"NEED_DOC: [[Proxy Guide]]", "Ten of them."},
		{"NEED_DOC: [[proxy guide#Limits]]", "lines 5-7 of 7"},
		{"NEED_DOC: vault:Proxy Guide.md#none", `refused: vault:Proxy Guide.md has no heading "none"`},
		{"NEED_DOC: vault:Proxy Guide.md#limits:1-2", "refused: want a section or lines, not both"},
		{"NEED_DOC: vault:Proxy Guide.md:5-90", "refused: vault:Proxy Guide.md has 7 lines"},
		{"NEED_DOC: vault:deep/note.md", "1 secret redacted"},
		{"NEED_DOC: [[twice]]", "refused: 2 documents have this name: vault:one/twice.md, vault:two/twice.md; ask for one by its path"},
		{"NEED_DOC: [[same]]", "of the repository"}, // which comes first
		{"NEED_DOC: vault:same.md", "of the vault"},
		{"NEED_DOC: vault:b", "of the vault"},
		{"NEED_DOC: vault:docs/b.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:nosuch.md", "refused: no such document in the vault"},
		{"NEED_DOC: nosuch.md", "refused: no such file, or git ignores it"},
		{"NEED_DOC: vault:big.md", "refused: "},
		{"NEED_DOC: vault:long.md", "ask for fewer lines"},
		{"NEED_DOC: vault:../outside.md", "refused: it is outside"},
		{"NEED_DOC: vault:/etc/passwd", "refused: paths are relative"},
		{"NEED_DOC: vault:dir/in.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:link.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:out.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:in.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:.obsidian/x.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:.x.md", "refused: no such document in the vault"},
		{"NEED_DOC: vault:.git/x.md", "refused: git's own files"},
		{"NEED_DOC: vault:keys/id_rsa", "refused: files of its kind hold secrets"},
		{"NEED_DOC: vault:main.go", "refused: no such document in the vault"},
		{"NEED_DOC: vault:", "refused: no such document in the vault"},
	} {
		needs, bad := need.Parse(test.ask)
		answers, err := e.Answer(context.Background(), engine.AnswerRequest{Needs: needs, Bad: bad})
		if err != nil {
			t.Fatalf("%s: %v", test.ask, err)
		}
		text := render.Answers(answers)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s:\n%.600s\nwant %q", test.ask, text, test.want)
		}
		for _, leak := range []string{"hunter2", "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u", "root:", vault} {
			if strings.Contains(text, leak) {
				t.Errorf("%s tells %q:\n%.600s", test.ask, leak, text)
			}
		}
	}

	// What has been shown is not shown again, and without a vault there is none.
	needs, _ := need.Parse("NEED_DOC: vault:same.md\nNEED_DOC: vault:same.md:1\n")
	answers, err := e.Answer(context.Background(), engine.AnswerRequest{Needs: needs})
	if err != nil || len(answers) != 2 || answers[1].Refused != "it is shown above already, under vault:same.md" {
		t.Errorf("%+v, %v", answers, err)
	}
	e = open(t, engine.Options{Dir: r.Dir, NoCache: true})
	answers, err = e.Answer(context.Background(), engine.AnswerRequest{Needs: needs[:1]})
	if err != nil || len(answers) != 1 || answers[0].Refused != "no vault is configured" {
		t.Errorf("%+v, %v", answers, err)
	}
}

func TestAnswerLimits(t *testing.T) {
	e, _ := answerRepo(t)
	var needs []need.Need
	for i := range 1000 {
		needs = append(needs, need.Need{Kind: need.Code, Locator: "long/long.go", From: 3*i%2000 + 1, To: 3*i%2000 + 40})
	}
	answers, err := e.Answer(context.Background(), engine.AnswerRequest{Needs: needs, More: 7})
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != engine.MostAnswers+1 {
		t.Errorf("%d answers, want %d", len(answers), engine.MostAnswers+1)
	}
	if last := answers[len(answers)-1]; last.Ask != "987 more requests" || !strings.Contains(last.Refused, "at most 20") {
		t.Errorf("the last is %+v", last)
	}
	sum := 0
	for _, a := range answers {
		sum += a.Tokens
	}
	if sum > engine.AnswerBudget {
		t.Errorf("%d tokens, want at most %d", sum, engine.AnswerBudget)
	}
	// What is shown is not shown again; no answers and no tokens mean none.
	one := []need.Need{{Kind: need.Code, Locator: "auth/login.go"}, {Kind: need.Code, Locator: "auth/login.go", From: 2, To: 3}}
	answers, err = e.Answer(context.Background(), engine.AnswerRequest{Needs: one})
	if err != nil || answers[0].Refused != "" || !strings.Contains(answers[1].Refused, "shown above already") {
		t.Errorf("asked twice: %+v, %v", answers, err)
	}
	answers, err = e.Answer(context.Background(), engine.AnswerRequest{Needs: one[:1], Most: -1})
	if err != nil || len(answers) != 1 || answers[0].Refused == "" {
		t.Errorf("none may be answered: %+v, %v", answers, err)
	}
	answers, err = e.Answer(context.Background(), engine.AnswerRequest{Needs: one[:1], Budget: -1})
	if err != nil || len(answers) != 1 || answers[0].Refused == "" {
		t.Errorf("no token is left: %+v, %v", answers, err)
	}
}

func TestPrompt(t *testing.T) {
	e, _ := answerRepo(t)
	task := "StartLogin fails\n\nIt prints ghp_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u."
	for _, budget := range []int{900, 2000, 6000} {
		req := engine.PromptRequest{
			Request: satchel.Request{Task: task, Edit: []string{"auth/login.go", "auth/new.go"}, Budget: budget},
			Build:   "go build ./...", Test: "go test ./...", Round: 1, Rounds: 3,
		}
		p, err := e.Prompt(context.Background(), req)
		if err != nil {
			t.Fatalf("budget %d: %v", budget, err)
		}
		if p.Tokens > budget {
			t.Errorf("budget %d: %d tokens", budget, p.Tokens)
		}
		for _, want := range []string{"# Task", "StartLogin fails", "- auth/login.go\n", "- auth/new.go (to be created)", "go build ./...", "go test ./...", "func StartLogin", "    NEED_CODE: ", "2 more times"} {
			if !strings.Contains(p.Text, want) {
				t.Errorf("budget %d: the prompt does not say %q:\n%s", budget, want, p.Text)
			}
		}
		if strings.Contains(p.Text, "x7Kq2mVtB9s") {
			t.Error("the prompt tells a secret of the task")
		}
		if needs, bad := need.Parse(p.Text); len(needs)+len(bad) > 0 {
			t.Errorf("who repeats the prompt asks for %v %v", needs, bad)
		}
		// The next round begins alike.
		req.Pack, req.Round, req.Said = p.Pack, 2, "I want more."
		req.Answers = []render.Answer{{Ask: "NEED_CODE: x", Refused: "no such file"}}
		q, err := e.Prompt(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(p.Text, "\nYou may ask")
		if !strings.HasPrefix(q.Text, first) || !strings.Contains(q.Text, "refused: no such file") || !strings.Contains(q.Text, "I want more.") {
			t.Errorf("the second round:\n%s", q.Text)
		}
		req.Resumed, req.Round = true, 3
		if q, err = e.Prompt(context.Background(), req); err != nil || strings.Contains(q.Text, "# Context") || !strings.Contains(q.Text, "last round") {
			t.Errorf("resumed: %v\n%s", err, q.Text)
		}
	}
}

// What answers NEED_DIFF applies, whatever ends the lines of a file.
func TestAnswerDiffApplies(t *testing.T) {
	r := newRepository(t)
	r.Git("config", "core.autocrlf", "false")
	r.Write("a.txt", "one\r\ntwo\r\nthree\r\n")
	r.Commit("all")
	r.Write("a.txt", "one\r\n2\r\nthree\r\n")
	needs, _ := need.Parse("NEED_DIFF: a.txt")
	answers, err := open(t, engine.Options{Dir: r.Dir, NoCache: true}).Answer(t.Context(), engine.AnswerRequest{Needs: needs})
	if err != nil || len(answers) != 1 || answers[0].Refused != "" {
		t.Fatalf("%+v, %v", answers, err)
	}
	r.Git("checkout", "-q", "a.txt")
	r.Input(answers[0].Text.String(), "apply")
	if b, err := os.ReadFile(filepath.Join(r.Dir, "a.txt")); err != nil || string(b) != "one\r\n2\r\nthree\r\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}
