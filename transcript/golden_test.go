package transcript

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRead reads testdata/read/*.txtar. Each holds a session and what is read of
// it: what Read returns, then, marked with "~", what only Scan gives. Every law
// of the package is checked on each of them too.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(ar.Files) == 0 || ar.Files[0].Name != "session" {
				t.Fatal("want a file session first")
			}
			data := ar.Files[0].Data
			laws(t, data)
			got := golden(t, data)
			if *update {
				ar.Files = []txtar.File{ar.Files[0], {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(ar.Files) != 2 {
				t.Fatal("want two files, session and want: run with -update")
			}
			if d := cmp.Diff(string(ar.Files[1].Data), got); d != "" {
				t.Errorf("read (-want +got):\n%s", d)
			}
		})
	}
}

// golden says what Read and Scan find in a session.
func golden(t *testing.T, data []byte) string {
	t.Helper()
	s, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s id=%s dir=%s branch=%s version=%s model=%s window=%d\n", s.Format, s.ID, s.Dir, s.Branch, s.Version, s.Model, s.Window)
	if s.Title != "" {
		fmt.Fprintf(&b, "title %s\n", s.Title)
	}
	if !s.Started.IsZero() {
		fmt.Fprintf(&b, "from %s to %s\n", s.Started.Format(stamp), s.Ended.Format(stamp))
	}
	fmt.Fprintf(&b, "records=%d skipped=%d compactions=%d earlier=%d\n", s.Records, s.Skipped, s.Compactions, s.Earlier)
	for _, text := range s.System {
		fmt.Fprintf(&b, "system %q\n", text)
	}
	for _, n := range s.Diagnostics {
		fmt.Fprintf(&b, "note %s\n", n.Text)
	}
	for i := range s.Messages {
		say(&b, "", &s.Messages[i])
	}
	if _, err := Scan(bytes.NewReader(data), int64(len(data)), func(m *Message) error {
		if !m.Sent {
			say(&b, "~ ", m)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return b.String()
}

// say writes one message: who, of what kind, from which bytes; then its blocks.
func say(b *strings.Builder, mark string, m *Message) {
	fmt.Fprintf(b, "%s%s %s", mark, m.Role, m.Kind)
	if m.Side {
		b.WriteString(" side")
	}
	if m.Kept {
		b.WriteString(" kept")
	}
	if m.ID != "" {
		fmt.Fprintf(b, " id=%s", m.ID)
	}
	if u := m.Usage; u != nil {
		fmt.Fprintf(b, " usage=%d+%d+%d→%d(%d)", u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	}
	for _, s := range m.Spans {
		fmt.Fprintf(b, " @%d+%d", s.Offset, s.Length)
	}
	b.WriteByte('\n')
	for i := range m.Blocks {
		x := &m.Blocks[i]
		fmt.Fprintf(b, "%s  %s", mark, x.Type)
		if x.Name != "" {
			fmt.Fprintf(b, " %s", x.Name)
		}
		if x.ID != "" {
			fmt.Fprintf(b, " id=%s", x.ID)
		}
		if x.Native != "" {
			fmt.Fprintf(b, " native=%s", x.Native)
		}
		if x.Input != nil {
			fmt.Fprintf(b, " %s", x.Input)
		}
		if x.Text != "" {
			fmt.Fprintf(b, " %q", x.Text)
		}
		if x.Failed {
			b.WriteString(" failed")
		}
		if x.Opaque > 0 {
			fmt.Fprintf(b, " opaque=%d", x.Opaque)
		}
		if x.Images > 0 {
			fmt.Fprintf(b, " images=%d", x.Images)
		}
		b.WriteByte('\n')
	}
}

// laws checks what holds for the bytes of any session, and returns what Read returns.
func laws(t *testing.T, data []byte) (*Session, error) {
	t.Helper()
	size := int64(len(data))
	s, err := Read(bytes.NewReader(data), size)
	if err != nil {
		return s, err
	}
	inside := func(m *Message) {
		for _, sp := range m.Spans {
			if sp.Offset < 0 || sp.Length <= 0 || sp.Offset+sp.Length > size {
				t.Errorf("span %v is not within the %d bytes of the file", sp, size)
			}
		}
		if len(m.Blocks) == 0 {
			t.Errorf("%s message without blocks", m.Kind)
		}
	}
	for i := range s.Messages {
		inside(&s.Messages[i])
		if !s.Messages[i].Sent {
			t.Errorf("message %d of Read is not marked as sent", i)
		}
	}
	// Read may begin with an answer (its prompt is lost); else what is read is
	// what a provider accepts.
	if len(s.Messages) > 0 && s.Messages[0].Role == User {
		if err := Valid(s.Messages); err != nil {
			t.Errorf("read messages are not valid: %v", err)
		}
	}

	// Scan = Read on what is sent, but for the order of what a compaction kept.
	var sent []Message
	s2, err := Scan(bytes.NewReader(data), size, func(m *Message) error {
		inside(m)
		if m.Sent {
			sent = append(sent, *m)
			if m.Kept {
				sent[len(sent)-1].Usage = nil
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Scan: %v, but Read read it", err)
	}
	key := func(m *Message) string {
		var b strings.Builder
		say(&b, "", m)
		return b.String()
	}
	var a, b []string
	for i := range s.Messages {
		a = append(a, key(&s.Messages[i]))
	}
	for i := range sent {
		b = append(b, key(&sent[i]))
	}
	slices.Sort(a)
	slices.Sort(b)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("Scan does not give what Read returns (-read +scan):\n%s", d)
	}
	bare := *s
	bare.Messages = nil
	if d := cmp.Diff(&bare, s2); d != "" {
		t.Errorf("Scan's session is not Read's (-read +scan):\n%s", d)
	}
	return s, nil
}
