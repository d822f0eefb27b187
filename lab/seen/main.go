// Seen measures what a pack need not send again to an agent that has read files: at
// the prompts of recorded sessions, the pack for that prompt with and without the
// window of the session so far.
//
//	cd lab && go run ./seen -sessions DIR -mirror CLONES
//
// DIR holds an index.jsonl, whose lines name the file of each session, its repo as
// owner/name and its format; the repository lies in CLONES/owner+name/repo and is
// read at the newest commit before the prompt. Each line that is left out is looked
// for in the bytes of the session, behind its last compaction, by other means than
// those of package seen: one that is not there fails the run.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
)

// A recorded session is a line of the index.
type recorded struct{ File, Format, Repo string }

// A point is a prompt of a session, and how many bytes there were before it.
type point struct {
	before int64
	words  string
	when   time.Time
}

// A total adds up what was measured.
type total struct {
	sessions, packs, with, plain, saved, lines, pieces, missing int
}

func main() {
	log.SetFlags(0)
	dir := flag.String("sessions", "", "the `folder` of the sessions and their index")
	mirror := flag.String("mirror", "", "the `folder` of the clones")
	budget := flag.Int("budget", 8000, "tokens of a pack")
	flag.Parse()
	list, err := os.ReadFile(filepath.Join(*dir, "index.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	var all total
	for line := range bytes.Lines(list) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			log.Fatal(err)
		}
		t, err := measure(*dir, *mirror, &r, *budget)
		if err != nil {
			log.Printf("%s: %v", r.File, err)
			continue
		}
		fmt.Printf("%-80s %s\n", r.File, t.String())
		all.add(t)
	}
	fmt.Printf("%d sessions: %s\n", all.sessions, all.String())
	if all.missing > 0 {
		log.Fatalf("%d lines were left out that are not in the window", all.missing)
	}
}

func (t *total) add(u total) {
	t.sessions++
	t.packs += u.packs
	t.with += u.with
	t.plain += u.plain
	t.saved += u.saved
	t.lines += u.lines
	t.pieces += u.pieces
	t.missing += u.missing
}

func (t *total) String() string {
	return fmt.Sprintf("%d packs, %d with lines that are seen: %d pieces, %d lines, %d of the %d tokens that the packs without show, %d lines not in the window",
		t.packs, t.with, t.pieces, t.lines, t.saved, t.plain, t.missing)
}

// measure packs for each prompt of a session.
func measure(dir, mirror string, r *recorded, budget int) (t total, err error) {
	name := filepath.Join(dir, r.File)
	data, err := os.ReadFile(name)
	if err != nil {
		return t, err
	}
	points, err := pointsOf(data)
	if err != nil {
		return t, err
	}
	clone := filepath.Join(mirror, strings.ReplaceAll(r.Repo, "/", "+"), "repo")
	cache, err := os.MkdirTemp("", "seen-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(cache)
	ctx := context.Background()
	e, err := engine.Open(ctx, &engine.Options{Dir: clone, CacheDir: filepath.Join(cache, "index")})
	if err != nil {
		return t, err
	}
	defer e.Close()
	prefix := filepath.Join(cache, filepath.Base(name))
	for _, p := range points {
		rev, err := commitBefore(clone, p.when)
		if err != nil || rev == "" {
			continue
		}
		if err := os.WriteFile(prefix, data[:p.before], 0o600); err != nil {
			return t, err
		}
		if err := t.pack(ctx, e, clone, satchel.Request{Task: p.words, Rev: rev, Budget: budget}, prefix, window(data[:p.before])); err != nil {
			return t, err
		}
	}
	return t, nil
}

// pack makes the packs of one point.
func (t *total) pack(ctx context.Context, e *engine.Engine, clone string, req satchel.Request, path string, raw []byte) error {
	plain, err := e.Pack(ctx, req)
	if err != nil {
		return err
	}
	req.Seen = path
	less, err := e.Pack(ctx, req)
	if err != nil {
		return err
	}
	t.packs++
	for i := range plain.Entries {
		t.plain += plain.Entries[i].Tokens
	}
	saved := 0
	for i := range less.Omitted {
		o := &less.Omitted[i]
		if o.Why != satchel.WhySeen {
			continue
		}
		text, err := fileLines(clone, req.Rev, o.Ref.Path)
		if err != nil {
			return err
		}
		from, to := 1, len(text)
		if o.Ref.From > 0 {
			from, to = o.Ref.From, min(o.Ref.To, len(text))
		}
		saved += repeated(plain, o.Ref.Path, text, from, to)
		t.pieces++
		for _, line := range text[from-1 : to] {
			if strings.TrimSpace(line) == "" {
				continue
			}
			t.lines++
			if !stands(raw, line) {
				t.missing++
				log.Printf("%s:%d-%d: not in the window: %q", o.Ref.Path, from, to, line)
			}
		}
	}
	if saved > 0 {
		t.with++
		t.saved += saved
	}
	return nil
}

// repeated returns how many tokens a pack spends on lines from..to of a file.
func repeated(p *satchel.Pack, path string, text []string, from, to int) (n int) {
	for i := range p.Entries {
		x := &p.Entries[i]
		if x.Ref.Path != path || x.Detail < satchel.Trimmed {
			continue
		}
		for _, l := range x.Lines {
			if a, b := max(l.From, from), min(l.To, to, len(text)); a <= b {
				n += tokens.O200k().Count(strings.Join(text[a-1:b], "\n") + "\n")
			}
		}
	}
	return n
}

// fileLines returns the lines of a file.
func fileLines(clone, rev, path string) ([]string, error) {
	b, err := exec.Command("git", "-C", clone, "show", rev+":"+path).Output()
	if err != nil {
		return nil, fmt.Errorf("show %s: %v", path, err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n"), nil
}

// pointsOf returns the prompts of a session before which something was said.
func pointsOf(data []byte) (list []point, err error) {
	_, err = transcript.Scan(bytes.NewReader(data), int64(len(data)), func(m *transcript.Message) error {
		if m.Kind != transcript.Prompt || m.Side || len(m.Spans) == 0 || m.Spans[0].Offset == 0 {
			return nil
		}
		words := ""
		for i := range m.Blocks {
			if m.Blocks[i].Type == transcript.Text {
				words += m.Blocks[i].Text + "\n"
			}
		}
		if words = session.Spoken(words); words != "" {
			list = append(list, point{m.Spans[0].Offset, words, m.Time})
		}
		return nil
	})
	return list, err
}

// commitBefore returns the newest commit before a time.
func commitBefore(clone string, when time.Time) (string, error) {
	if when.IsZero() {
		when = time.Now()
	}
	b, err := exec.Command("git", "-C", clone, "rev-list", "-1", "--before="+when.Format(time.RFC3339), "HEAD").Output()
	return strings.TrimSpace(string(b)), err
}

// compactions are what the records of compactions hold, by agent.
var compactions = [][]byte{[]byte(`"isCompactSummary":true`), []byte(`"type":"compacted"`), []byte(`"type":"compaction"`)}

// window returns the bytes of a session behind its last compaction.
func window(data []byte) []byte {
	from := 0
	for _, mark := range compactions {
		if i := bytes.LastIndex(data, mark); i > from {
			from = bytes.LastIndexByte(data[:i], '\n') + 1
		}
	}
	return data[from:]
}

// stands reports whether a line stands in a session, in any way that JSON has to
// spell it.
func stands(raw []byte, line string) bool {
	for _, escaped := range []bool{false, true} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escaped)
		if enc.Encode(line) != nil {
			return false
		}
		s := bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(b.Bytes()), []byte(`"`)), []byte(`"`))
		if bytes.Contains(raw, s) {
			return true
		}
	}
	return false
}
