package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

const proxyCode = `package proxy

// DialUpstream dials the upstream of the proxy with a timeout.
func DialUpstream(address string) error { return retryWithBackoff(address) }

func retryWithBackoff(address string) error { return nil }
`

// docs packs a task and returns the documents that are shown, in order, and the
// pack.
func docs(t *testing.T, e *engine.Engine, req satchel.Request) ([]string, *satchel.Pack) {
	t.Helper()
	if req.Budget == 0 {
		req.Budget = 6000
	}
	if req.Documents == nil {
		req.Documents = &satchel.Documents{Most: 5, Depth: 1}
	}
	p, err := e.Pack(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if p.Used > req.Budget {
		t.Errorf("used %d of %d", p.Used, req.Budget)
	}
	var out []string
	for _, x := range p.Entries {
		if x.Ref.Kind == satchel.KindDoc && !slices.Contains(out, x.Ref.Path) {
			out = append(out, x.Ref.Path)
		}
	}
	return out, p
}

// scoreOf is the best score of a document's sections, shown or left out.
func scoreOf(p *satchel.Pack, path string) float64 {
	best := -1.0
	for _, x := range p.Entries {
		if x.Ref.Path == path {
			v := 0.0
			for _, r := range x.Score {
				if r.Why != "document" {
					v += r.Add
				}
			}
			best = max(best, v)
		}
	}
	for _, o := range p.Omitted {
		if o.Ref.Path == path {
			best = max(best, o.Score)
		}
	}
	return best
}

func TestDocumentRules(t *testing.T) {
	r := newRepository(t)
	same := "# %s\n\nHow the proxy is dialled with a timeout, and what happens when the upstream is slow.\n"
	r.WriteAll(map[string]string{
		"proxy/proxy.go":       proxyCode,
		"proxy/old.go":         "package proxy\n\n// LegacyTunnel is a tunnel.\nfunc LegacyTunnel() {}\n\nfunc openTunnelPool() {}\n",
		"proxy/tunnel_pool.go": "package proxy\n",
		"docs/one.md":          fmt.Sprintf(same, "Dialling") + "\nIt calls `retryWithBackoff()` in `proxy/proxy.go`.\n",
		"docs/two.md":          fmt.Sprintf(same, "Dialling") + "\nIt calls `LegacyTunnel()` and `openTunnelPool()`; see `proxy/old.go` and `proxy/tunnel_pool.go`.\n",
		"docs/linked.md":       "# Elsewhere\n\nNothing of that.\n\nSee [[ring-a]].\n",
		"docs/ring-a.md":       "# Ring A\n\nText about rings. [b](ring-b.md)\n",
		"docs/ring-b.md":       "# Ring B\n\nText about rings. [a](ring-a.md) [self](ring-b.md)\n",
		"secret/plan.md":       fmt.Sprintf(same, "Dialling the proxy timeout"),
		"CHANGELOG.md":         fmt.Sprintf(same, "Dialling the proxy timeout"),
	})
	r.Commit("all")
	r.WriteAll(map[string]string{"proxy/old.go": "package proxy\n"})
	if err := os.Remove(filepath.Join(r.Dir, "proxy/tunnel_pool.go")); err != nil {
		t.Fatal(err)
	}
	r.Commit("the tunnel goes")
	e := open(t, engine.Options{Dir: r.Dir, NoCache: true, Exclude: []string{"secret/"}})
	task := "proxy dial timeout when the upstream is slow"

	// A stale document falls below an equal fresh one, and is warned of, not left out.
	_, p := docs(t, e, satchel.Request{Task: task})
	if one, two := scoreOf(p, "docs/one.md"), scoreOf(p, "docs/two.md"); !(one > two) || two <= 0 {
		t.Errorf("fresh %v, stale %v", one, two)
	}
	_, p = docs(t, e, satchel.Request{Task: task + ", as docs/two.md says"})
	for _, x := range p.Entries {
		if want := x.Ref.Path == "docs/two.md"; x.Note.IsZero() == want {
			t.Errorf("%s has the note %q", x.Ref, x.Note)
		}
	}
	if text := rendered(t, p, "md"); !strings.Contains(text, "\nNote: this doc may be outdated; prefer the current code as source of truth.\n") {
		t.Errorf("no warning in\n%s", text)
	}

	// A linked document beats an equal unlinked one.
	_, p = docs(t, e, satchel.Request{Task: task + " [[two]]"})
	if one, two := scoreOf(p, "docs/one.md"), scoreOf(p, "docs/two.md"); !(two > one) {
		t.Errorf("linked %v, not linked %v", two, one)
	}

	// Links are followed so far and no farther, and circles end.
	for depth, want := range map[int][]string{
		0: {"docs/linked.md"}, 1: {"docs/linked.md", "docs/ring-a.md"}, 2: {"docs/linked.md", "docs/ring-a.md", "docs/ring-b.md"}, 9: {"docs/linked.md", "docs/ring-a.md", "docs/ring-b.md"},
	} {
		_, p := docs(t, e, satchel.Request{Task: "rings, see [[Linked]]", Documents: &satchel.Documents{Most: 5, Depth: depth, Linked: true}})
		var got []string
		for _, path := range []string{"docs/linked.md", "docs/one.md", "docs/ring-a.md", "docs/ring-b.md", "docs/two.md"} {
			if scoreOf(p, path) > 0 {
				got = append(got, path)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("depth %d reaches %v, want %v", depth, got, want)
		}
	}

	// What is excluded never appears, whatever it says and whoever links to it.
	got, p := docs(t, e, satchel.Request{Task: task + " [[plan]] secret/plan.md"})
	for _, x := range p.Entries {
		if strings.HasPrefix(x.Ref.Path, "secret/") {
			t.Errorf("%s is shown", x.Ref)
		}
	}
	if slices.Contains(got, "secret/plan.md") || !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool {
		return strings.Contains(n.Text, "plan, which does not exist")
	}) {
		t.Errorf("shown %v, diagnostics %v", got, p.Diagnostics)
	}

	// No more than asked for, and every file is accounted for once.
	paths := strings.Fields(r.Git("ls-files"))
	for most := range 4 {
		for _, budget := range []int{700, 2000, 6000} {
			got, p := docs(t, e, satchel.Request{Task: task, Budget: budget, Documents: &satchel.Documents{Most: most, Depth: 1}})
			if len(got) > most {
				t.Errorf("most %d: %v", most, got)
			}
			accounts(t, fmt.Sprintf("%d documents in %d tokens", most, budget), p, paths)
		}
	}
}

// The share is a target that sections stay within, and more are not forced in.
func TestDocumentShare(t *testing.T) {
	files := map[string]string{"proxy/proxy.go": proxyCode}
	for i := range 12 {
		files[fmt.Sprintf("docs/d%02d.md", i)] = fmt.Sprintf("# Proxy timeout %d\n\n%s", i, strings.Repeat(fmt.Sprintf("The proxy dials slowly, case %d of the timeout.\n", i), 30))
	}
	e := open(t, engine.Options{Dir: write(t, files), NoCache: true})
	for _, share := range []float64{0.1, 0.35, 0.8} {
		_, p := docs(t, e, satchel.Request{Task: "proxy timeout dials slowly", Budget: 4000, Documents: &satchel.Documents{Most: 5, Share: share}})
		sum := 0
		for _, x := range p.Entries {
			if x.Ref.Kind == satchel.KindDoc {
				sum += x.Tokens
			}
		}
		if float64(sum) > share*4000 {
			t.Errorf("share %v: %d tokens of documents", share, sum)
		}
	}
}

// Without the request for documents, everything is as it was.
func TestNoDocuments(t *testing.T) {
	e := open(t, engine.Options{Dir: write(t, map[string]string{"proxy/proxy.go": proxyCode, "README.md": "# App\n\nDials a proxy.\n"}), NoCache: true})
	for _, req := range memoryRequests {
		req.Task = "dial the proxy, see [[README]]"
		plain, _ := bytesOf(t, e, req)
		req.Documents = &satchel.Documents{}
		if zero, _ := bytesOf(t, e, req); zero != plain {
			t.Errorf("%+v: asking for no documents changes the pack", req)
		}
	}
}

// A scripted embedder: what it prefers comes first, and what it sees is whole.
type embedder struct {
	want string
	err  error
	seen []engine.DocText
	n    int // how often it was asked
}

func (s *embedder) Similarities(_ context.Context, _ string, sections []engine.DocText) ([]float64, error) {
	s.seen = sections
	s.n++
	out := make([]float64, len(sections))
	for i := range sections {
		if strings.Contains(sections[i].Text, s.want) {
			out[i] = 1
		}
	}
	return out, s.err
}

func TestEmbedder(t *testing.T) {
	files := map[string]string{"proxy/proxy.go": proxyCode, "a.md": "# A\n\nThe proxy is slow.\n", "b.md": "# B\n\nThe proxy is tardy.\n"}
	s := &embedder{want: "tardy"}
	dir := write(t, files)
	e := open(t, engine.Options{Dir: dir, NoCache: true, Embedder: s})
	task := satchel.Request{Task: "the proxy is slow"}
	_, p := docs(t, e, task)
	if a, b := scoreOf(p, "a.md"), scoreOf(open2(t, dir, task), "b.md"); !(scoreOf(p, "b.md") > b) || a <= 0 {
		t.Errorf("the embedder adds nothing: %v", p.Entries)
	}
	hashes := map[string]bool{}
	for _, x := range s.seen {
		hashes[x.Hash] = true
		if len(x.Hash) != 32 || x.Text == "" {
			t.Errorf("section %+v", x)
		}
	}
	if len(hashes) != len(s.seen) || len(s.seen) < 2 {
		t.Errorf("%d hashes of %d sections", len(hashes), len(s.seen))
	}
	s.err = errors.New("no such model")
	_, p = docs(t, e, task)
	if !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool { return strings.HasSuffix(n.Text, "by words alone: no such model") }) {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
}

// Whatever a pack tries, the endpoint is asked once, when it fails too: it may
// take a minute each time.
func TestEmbedderIsAskedOnce(t *testing.T) {
	r := newRepository(t)
	r.WriteAll(map[string]string{
		"a/a.go": "package a\n\nfunc OpenStore() {}\n", "a/gone.go": "package a\n\nfunc CloseStore() {}\n",
		"docs/a.md": "# A\n\nThe store: `OpenStore()`, then `CloseStore()`.\n", "docs/b.md": "# B\n\nA store is slow.\n",
	})
	r.Commit("all")
	r.Git("rm", "-q", "a/gone.go")
	r.Commit("less")
	for _, failed := range []error{nil, errors.New("no answer")} {
		s := &embedder{want: "slow", err: failed}
		e := open(t, engine.Options{Dir: r.Dir, NoCache: true, Embedder: s})
		req := satchel.Request{Task: "why the store is slow", Budget: 1000, Documents: &satchel.Documents{Most: 5}}
		p, err := e.Pack(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, n := range p.Diagnostics {
			if strings.Contains(n.Text, "words alone") {
				said++
			}
		}
		if want := map[bool]int{true: 1}[failed != nil]; s.n != 1 || said != want {
			t.Errorf("%v: asked %d times, said %d times: %v", failed, s.n, said, p.Diagnostics)
		}
		s.n = 0
		req.Budget = 20
		var over *satchel.OverflowError
		if _, err := e.Pack(context.Background(), req); !errors.As(err, &over) || s.n != 1 {
			t.Errorf("%v: too small a budget: asked %d times, %v", failed, s.n, err)
		}
	}
}

func open2(t *testing.T, dir string, req satchel.Request) *satchel.Pack {
	t.Helper()
	_, p := docs(t, open(t, engine.Options{Dir: dir, NoCache: true}), req)
	return p
}

func TestVault(t *testing.T) {
	repo := write(t, map[string]string{"proxy/proxy.go": proxyCode, "docs/b.md": "# B\n\nother\n"})
	vault := write(t, map[string]string{
		"Proxy Guide.md": "---\naliases: [Tunnel]\n---\n# Guide\n\nHow a proxy is dialled slowly.\n\n[out](../../etc/passwd.md) [b](docs/b.md)\n",
		".obsidian/x.md": "# Hidden proxy\n", "big.md": strings.Repeat("proxy slow\n", 200_000), "image.png": "x",
	})
	fsxtest.Link(t, "/etc/passwd", filepath.Join(vault, "link.md"))
	e := open(t, engine.Options{Dir: repo, NoCache: true, Vault: vault})
	got, p := docs(t, e, satchel.Request{Task: "dial slowly, see [[tunnel]]"})
	if !slices.Equal(got, []string{"vault:Proxy Guide.md"}) {
		t.Errorf("shown %v", got)
	}
	if !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool { return n.Path == "vault:big.md" }) {
		t.Errorf("nothing is said of the large file: %v", p.Diagnostics)
	}
	text := rendered(t, p, "md")
	if strings.Contains(text, "root:") || strings.Contains(text, vault) {
		t.Errorf("the pack shows what it must not:\n%s", text)
	}
	e = open(t, engine.Options{Dir: repo, NoCache: true, Vault: filepath.Join(vault, "nowhere")})
	if _, p = docs(t, e, satchel.Request{Task: "dial slowly"}); !slices.ContainsFunc(p.Diagnostics, func(n satchel.Diagnostic) bool {
		return n.Text == "the vault is left out: no such file or directory"
	}) {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
}
