package assist_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kballard/go-shellquote"
	"golang.org/x/tools/txtar"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// An assistFixture is one of testdata/assist/*.txtar: a command line, the files of a
// commit (old/…), the staged files after it (new/…), and what a model is made to say
// (script.jsonl) as long as nobody has asked a real one.
type assistFixture struct {
	name, script string
	args         []string
	repo         *gittest.Repo
	home         string
}

func openFixture(t *testing.T, file string) *assistFixture {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &assistFixture{name: strings.TrimSuffix(file, ".txtar"), home: t.TempDir(), repo: gittest.New(t)}
	lines := strings.Split(strings.TrimSpace(string(a.Comment)), "\n")
	if f.args, err = shellquote.Split(lines[len(lines)-1]); err != nil {
		t.Fatal(err)
	}
	before, after := map[string]string{}, map[string]string{}
	for _, x := range a.Files {
		if name, ok := strings.CutPrefix(x.Name, "old/"); ok {
			before[name] = string(x.Data)
		} else if name, ok := strings.CutPrefix(x.Name, "new/"); ok {
			after[name] = string(x.Data)
		} else {
			f.script = string(x.Data)
		}
	}
	f.repo.WriteAll(before)
	f.repo.Commit("state: a lock")
	f.repo.WriteAll(after)
	f.repo.Git("add", "-A")
	return f
}

// run runs the command; what it wrote stands below the exit code.
func (f *assistFixture) run(t *testing.T, environ []string, variable string) string {
	t.Helper()
	env := base.Env{Dir: f.repo.Dir, Environ: append(environ, variable), Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	code, out, errs := run(t, env, append(slices.Clone(f.args), "--set", "snapshot=false")...)
	if code != base.ExitOK && code != 6 && code != 7 {
		t.Errorf("%s: exit code %d\n%s", f.name, code, errs)
	}
	return fmt.Sprintf("exit %d\n%s", code, out)
}

func (f *assistFixture) environ() []string {
	return append(clitest.Isolated(f.home), "LLM_KEY="+llmtest.Key)
}

// TestAssistRuns replays every recorded run of a fixture: the requests are those of
// then, and so is what is written. With -update the answers of each record are given
// to the requests of now, and recorded anew: the diff is the review of a prompt.
func TestAssistRuns(t *testing.T) {
	fixtures, err := filepath.Glob("testdata/assist/*.txtar")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range fixtures {
		name := strings.TrimSuffix(file, ".txtar")
		runs, err := filepath.Glob(name + ".*run.jsonl")
		if *clitest.Update && len(runs) == 0 {
			runs = []string{name + ".run.jsonl"}
		}
		if err != nil || len(runs) == 0 {
			t.Fatalf("%s: no run is recorded: %v", file, err)
		}
		for _, record := range runs {
			t.Run(filepath.Base(record), func(t *testing.T) {
				f := openFixture(t, file)
				if *clitest.Update {
					f.again(t, record)
				}
				full, err := filepath.Abs(record)
				if err != nil {
					t.Fatal(err)
				}
				got := f.run(t, f.environ(), "SATCHEL_REPLAY="+full)
				wants := strings.TrimSuffix(record, "run.jsonl") + "want"
				if *clitest.Update {
					if err := os.WriteFile(wants, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(wants)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(string(want), got); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
			})
		}
	}
}

// again records a run anew, from the answers of the old record, or from the script if
// there is none.
func (f *assistFixture) again(t *testing.T, record string) {
	t.Helper()
	at := llm.RecordedEndpoint{Kind: "anthropic", Model: "claude-sonnet-4-5", URL: "http://127.0.0.1:1"}
	var steps []llmtest.Step
	old, err := os.ReadFile(record)
	if err == nil {
		p, err := llm.ReadRecord(bytes.NewReader(old))
		if err != nil {
			t.Fatal(err)
		}
		at = p.Header.Endpoints[p.Header.Top]
		for _, trip := range p.Trips() {
			if trip.Status == 200 {
				steps = append(steps, llmtest.Step{Body: string(trip.Answer())})
			}
		}
	} else if steps, err = llmtest.ParseScript(f.script); err != nil || len(steps) == 0 {
		t.Fatalf("%s: neither a record nor a script: %v", f.name, err)
	}
	s := llmtest.Serve(steps...)
	defer s.Close()
	f.configure(t, fmt.Sprintf("[llm.default]\nurl = %q\nkind = %q\nmodel = %q\nkey-env = \"LLM_KEY\"\nwindow = %d\nmax-tokens = %d\n", s.URL, at.Kind, at.Model, max(at.Window, 200_000), max(at.MaxTokens, 8192)))
	f.record(t, f.environ(), record, at.URL)
}

func (f *assistFixture) configure(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(f.home, ".config", "satchel")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// record records a run into a file; url, if any, takes the place of the servers'.
func (f *assistFixture) record(t *testing.T, environ []string, file, url string) {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "run.jsonl")
	f.run(t, environ, "SATCHEL_RECORD="+raw)
	text, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var head llm.RecordHeader
	if err := json.Unmarshal(first, &head); err != nil {
		t.Fatal(err)
	}
	for name, at := range head.Endpoints {
		if url != "" {
			at.URL = url
		}
		head.Endpoints[name] = at
	}
	head.Command = f.args
	first, err = json.Marshal(&head)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(append(first, '\n'), rest...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAssistRecord asks the model of the user's own configuration about every fixture,
// if SATCHEL_RECORD names these runs: make record. TestAssistRuns -update then writes
// what is wanted of them.
func TestAssistRecord(t *testing.T) {
	name := os.Getenv("SATCHEL_RECORD")
	if name == "" {
		t.Skip("SATCHEL_RECORD names no runs")
	}
	fixtures, err := filepath.Glob("testdata/assist/*.txtar")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range fixtures {
		f := openFixture(t, file)
		f.record(t, os.Environ(), f.name+"."+name+".run.jsonl", "")
	}
}
