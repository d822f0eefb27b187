package assist_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// A stage is a repository with a change that is staged, and a user who has
// configured a model.
type stage struct{ *clitest.Stage }

// kinds are the protocols.
var kinds = []string{"anthropic", "openai"}

// asking are the commands that ask a model, each so that it asks nobody else.
var asking = []struct {
	name string
	args []string
}{
	{"review", []string{"review", "--check", "never"}},
	{"commit", []string{"commit", "--print"}},
	{"ask", []string{"ask", "where is Close00?"}},
}

// newStage creates a repository of some files, all of them changed and staged.
func newStage(t *testing.T, kind string, files int) *stage {
	t.Helper()
	prepared, _ := stages.LoadOrStore(files, sync.OnceValue(func() string {
		r := gittest.At(t, filepath.Join(clitest.Shared(), fmt.Sprintf("stage%d", files)))
		at := func(i int) string { return fmt.Sprintf("p%d/f%02d.go", i%3, i) }
		for i := range files {
			r.Write(at(i), fmt.Sprintf("package p%d\n\n// Close%02d closes.\nfunc Close%02d() error {\n\treturn nil\n}\n", i%3, i, i))
		}
		r.Commit("state: the files")
		for i := range files {
			r.Write(at(i), fmt.Sprintf("package p%d\n\n// Close%02d closes.\nfunc Close%02d() error {\n\tremove%02d()\n\treturn nil\n}\n", i%3, i, i, i))
		}
		r.Git("add", "-A")
		return r.Dir
	}))
	dir := filepath.Join(t.TempDir(), "r")
	if err := os.CopyFS(dir, os.DirFS(prepared.(func() string)())); err != nil {
		t.Fatal(err)
	}
	return &stage{&clitest.Stage{Repo: suite.RepoIn(t, dir), Kind: kind}}
}

// stages holds a func() string by the number of files: it creates the repository that
// [newStage] copies, and returns its folder.
var stages sync.Map

// with returns the stage with a variable in its environment.
func (s *stage) with(name, value string) *stage {
	c, r := *s.Stage, *s.Repo
	r.Environ = slices.Concat(r.Environ, []string{name + "=" + value})
	c.Repo = &r
	return &stage{&c}
}

// never fails if a text stands in a file of the home that is not the user's own
// configuration: of records, snapshots and caches, packed or not.
func (s *stage) never(texts ...string) {
	s.T.Helper()
	home := filepath.Dir(s.Dir)
	err := filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(p, "/satchel/config.toml") {
			return err
		}
		b, err := os.ReadFile(p)
		for _, text := range texts {
			if strings.Contains(string(b), text) {
				s.T.Errorf("%s holds %.12q…", p, text)
			}
		}
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	for _, text := range texts {
		for _, args := range [][]string{{"log", "show", "latest", "--raw"}, {"log", "--json"}} {
			if _, stdout, stderr := s.Asks(args...); strings.Contains(stdout+stderr, text) {
				s.T.Errorf("satchel %q shows %.12q…", args, text)
			}
		}
	}
}

// dry is the first request of a dry run.
func (s *stage) dry(args ...string) string {
	s.T.Helper()
	code, stdout, stderr := s.Asks(append(slices.Clone(args), "--dry-run", "--json")...)
	var doc struct {
		Request json.RawMessage `json:"request"`
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 {
		s.T.Fatalf("satchel %q: exit code %d, %v: %s", args, code, err, stderr)
	}
	return string(doc.Request)
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

type obj = map[string]any

// call is an answer that calls one tool.
func call(name string, input any) llmtest.Step {
	return llmtest.Step{Calls: []llmtest.Call{{Name: name, Input: encoded(input)}}}
}

// found is a finding about a line that stands in the change of a stage.
func found(i int, title string) obj {
	return obj{
		"path": fmt.Sprintf("p%d/f%02d.go", i%3, i), "side": "new", "line": 5, "end_line": 5, "quote": fmt.Sprintf("remove%02d()", i),
		"severity": "high", "confidence": 90, "category": "concurrency", "title": title,
		"trigger": "two at once", "consequence": "a page is lost", "body": "The removal comes first.", "evidence": []any{},
	}
}

// goods are answers, by command, that lack nothing.
var goods = map[string]obj{
	"review": {"summary": "Removals.", "open": []any{}, "looked_at": []any{}, "findings": []any{found(0, "It is removed too early.")}},
	"commit": {"type": "", "scope": "", "subject": "state: remove before closing", "body": "", "names": []any{}},
	"ask":    {"claims": []any{obj{"text": "It is in p0.", "cites": []any{obj{"path": "p0/f00.go", "from": 4, "to": 4, "quote": "func Close00() error {"}}}}, "not_found": []any{}},
}

// good is a step that submits what a command wants.
func good(command string) llmtest.Step { return call("submit", goods[command]) }

// always is a step that is played as often as it is asked for.
func always(s llmtest.Step) llmtest.Step {
	s.Times = -1
	return s
}
