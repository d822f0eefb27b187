package embed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
)

// An embedServer speaks OpenAI's embeddings. Its vectors know three topics, by
// words that stand for them: a plumbing check, no measure of quality.
type embedServer struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
	fail http.HandlerFunc // instead of an answer
	long int              // numbers of a vector
}

func newEmbedServer(t *testing.T) *embedServer {
	t.Helper()
	s := &embedServer{long: 4}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k-1" {
			t.Errorf("request to %s: %v", r.URL.Path, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent = append(s.sent, q.Input...)
		if s.fail != nil {
			s.fail(w, r)
			return
		}
		var data []any
		for i, text := range q.Input {
			v := make([]float64, s.long)
			v[s.long-1] = 0.1
			for topic, words := range []string{"boat ferry ship", "bread oven dough", "money invoice price"} {
				for word := range strings.FieldsSeq(words) {
					if strings.Contains(strings.ToLower(text), word) {
						v[topic]++
					}
				}
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return s
}

// take returns what was sent since it was last called.
func (s *embedServer) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

// embedding makes a home whose configuration names the server, and a folder with
// documents. None of them holds a word of the tasks below.
func embedding(t *testing.T, table string) base.Env {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(home, ".config", "satchel", "config.toml"), table)
	put(filepath.Join(dir, "docs", "harbour.md"), "# Harbour\n\nThe ferry leaves at nine, every ship after it.\n")
	put(filepath.Join(dir, "docs", "kitchen.md"), "# Kitchen\n\nThe price list. Dough rests, then the oven. The key is "+secret+".\n")
	put(filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	return base.Env{Dir: dir, Environ: append(clitest.Isolated(home), "E_KEY=k-1")}
}

func TestEmbed(t *testing.T) {
	s := newEmbedServer(t)
	table := fmt.Sprintf("[llm.embedder]\nurl = %q\nmodel = \"e-1\"\nkey-env = \"E_KEY\"\nbatch = 1\n", s.URL)
	env := embedding(t, table)
	satchel := func(want int, args ...string) string {
		t.Helper()
		code, out, errs := suite.Run(t, env, args...)
		if code != want {
			t.Fatalf("satchel %s: exit %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
		}
		return out + errs
	}
	contains := func(text string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, p) {
				t.Errorf("no %q in\n%s", p, text)
			}
		}
	}
	const task = "main.go: a timetable for the boat"
	pack := []string{"pack", task, "--set", "docs=5", "--budget", "2000"}

	// Nothing is sent before build.
	contains(satchel(0, "embed", "build", "--dry-run"), "e-1 at "+s.URL, "2, 2 without a vector", "would send")
	contains(satchel(0, pack...), "no vectors of e-1 yet: run satchel embed build")
	satchel(0, "pack", task)
	if sent := s.take(); len(sent) != 0 {
		t.Fatalf("sent without being asked to: %q", sent)
	}

	contains(satchel(0, "embed", "build"), "2 vectors of e-1 added; 2 sections have one")
	sent := s.take()
	if len(sent) != 2 || strings.Contains(strings.Join(sent, ""), secret) {
		t.Fatalf("sent %q", sent)
	}
	contains(satchel(0, "embed", "build"), "0 vectors of e-1 added")
	if again := s.take(); len(again) != 1 || !slices.Contains(sent, again[0]) { // are its vectors still as long?
		t.Fatalf("sent again: %q", again)
	}

	// Only the task is sent now, and it finds what shares no word with it.
	out := satchel(0, append(pack, "--json")...)
	if sent := s.take(); !slices.Equal(sent, []string{task}) {
		t.Errorf("sent %q, want the task alone", sent)
	}
	contains(out, "The ferry leaves at nine")
	if strings.Contains(out, "Dough rests") {
		t.Error("the document that is unlike the task is shown")
	}

	// A secret of the task stays here.
	satchel(0, "pack", "main.go: boat "+secret, "--set", "docs=5")
	if sent := s.take(); len(sent) != 1 || strings.Contains(sent[0], secret) {
		t.Errorf("sent %q", sent)
	}

	// What goes wrong costs the meaning, not the pack.
	s.fail = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }
	contains(satchel(0, pack...), "documents are ranked by words alone: e-1: the server says 403")
	s.fail = func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }
	contains(satchel(0, pack...), "not embeddings in JSON")
	s.fail = nil

	// Another length: the old vectors stay.
	s.long = 6
	contains(satchel(0, pack...), "gives vectors of 6 numbers, and those that are kept have 4: build them again")
	if err := os.WriteFile(filepath.Join(env.Dir, "docs", "bill.md"), []byte("# Bill\n\nEvery invoice has a price.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	contains(satchel(0, "embed", "build"), "vectors of e-1 added")
	contains(satchel(0, pack...), "The ferry leaves at nine")
	contains(satchel(0, "embed", "build", "--dry-run", "--json"), `"missing": 0`, `"dimensions": 4`, `"dimensions": 6`)

	// Also when no document is new.
	s.long = 5
	contains(satchel(0, pack...), "have 6: build them again")
	contains(satchel(0, "embed", "build"), "3 vectors of e-1 added")
	if out := satchel(0, pack...); strings.Contains(out, "words alone") {
		t.Errorf("built again, and still:\n%s", out)
	}

	// A document that is new is said to lack its vector.
	if err := os.WriteFile(filepath.Join(env.Dir, "docs", "new.md"), []byte("# New\n\nNothing yet.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	contains(satchel(0, pack...), "1 of 4 sections have no vector")

	env.Environ = append(env.Environ, "E_KEY=")
	contains(satchel(base.ExitCredential, "embed", "build"), "needs a key, and E_KEY is not set")
	contains(satchel(0, pack...), "E_KEY is not set")
	home := ""
	for _, v := range env.Environ {
		if h, ok := strings.CutPrefix(v, "HOME="); ok {
			home = h
		}
	}
	if err := os.Remove(filepath.Join(home, ".config", "satchel", "config.toml")); err != nil {
		t.Fatal(err)
	}
	contains(satchel(base.ExitUsage, "embed", "build"), "no embedding model is configured")
	contains(satchel(0, "embed", "build", "--dry-run"), "nothing is sent", "kept")
	contains(satchel(base.ExitUsage, "embed", "gc"), "satchel embed gc was removed")
}

func TestEmbedFusion(t *testing.T) {
	s := newEmbedServer(t)
	for _, fusion := range []string{"sum", "rank"} {
		env := embedding(t, fmt.Sprintf("[llm.embedder]\nurl = %q\nmodel = \"e-1\"\nkey-env = \"E_KEY\"\nfusion = %q\nweight = 3\n", s.URL, fusion))
		if code, out, errs := suite.Run(t, env, "embed", "build"); code != 0 {
			t.Fatal(out, errs)
		}
		code, out, errs := suite.Run(t, env, "pack", "main.go: price of money", "--set", "docs=5", "--budget", "2000", "--json")
		if code != 0 {
			t.Fatal(out, errs)
		}
		if !strings.Contains(out, `"similar in meaning"`) {
			t.Errorf("%s: no reason says so\n%s", fusion, out)
		}
	}
}

var secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
