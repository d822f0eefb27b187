package git

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEverydayRepository(t *testing.T) {
	for _, format := range []Format{SHA1, SHA256} {
		t.Run(string(format), func(t *testing.T) {
			s := newSandbox(t)
			s.init("r", "--object-format="+string(format))
			s.write("r/a.go", "package a\n")
			s.write("r/d/e/b.txt", "b\n")
			s.write("r/.gitignore", "*.log\n")
			first := s.commit("r", "first\n\nbody")
			s.write("r/d/c.txt", "c\n")
			second := s.commit("r", "second")
			s.write("r/a.go", "package a // changed\n")
			s.write("r/new.txt", "new\n")
			s.write("r/noise.log", "x\n")
			// An index that is written later than the files makes them trusted.
			s.age("r")

			r := s.open("r/d")
			ctx := t.Context()
			if r.Dir() != s.path("r") || r.CommonDir() != s.path("r/.git") || r.Format() != format {
				t.Errorf("Dir, CommonDir, Format = %q, %q, %q", r.Dir(), r.CommonDir(), r.Format())
			}
			head, err := r.Head(ctx)
			if head != second || err != nil {
				t.Errorf("Head = %q, %v, want %q", head, err, second)
			}
			files, diags, err := r.WorkTree(ctx)
			if err != nil || len(diags) != 0 {
				t.Fatalf("WorkTree: %v, diagnostics %v", err, diags)
			}
			blob := func(text string) string { return BlobID(format, []byte(text)) }
			got := summary(files)
			want := []string{
				".gitignore 100644 clean " + blob("*.log\n"),
				"a.go 100644 changed",
				"d/c.txt 100644 clean " + blob("c\n"),
				"d/e/b.txt 100644 clean " + blob("b\n"),
				"new.txt 100644 untracked",
			}
			if d := cmp.Diff(got, want); d != "" {
				t.Errorf("WorkTree (-got +want):\n%s", d)
			}
			tree, err := r.Tree(ctx, "HEAD")
			wantTree := []TreeFile{
				{".gitignore", ModeFile, blob("*.log\n"), 6},
				{"a.go", ModeFile, blob("package a\n"), 10},
				{"d/c.txt", ModeFile, blob("c\n"), 2},
				{"d/e/b.txt", ModeFile, blob("b\n"), 2},
			}
			if d := cmp.Diff(tree, wantTree); d != "" || err != nil {
				t.Errorf("Tree: %v (-got +want):\n%s", err, d)
			}
			revs, err := r.RevList(ctx, "main", 10)
			if d := cmp.Diff(revs, []string{second, first}); d != "" || err != nil {
				t.Errorf("RevList: %v\n%s", err, d)
			}
			wantLog := []Commit{
				{second, []string{first}, 1700000000, "second\n", []string{"d/c.txt"}},
				{first, nil, 1700000000, "first\n\nbody\n", []string{".gitignore", "a.go", "d/e/b.txt"}},
			}
			var log []Commit
			keep := func(c Commit) error { log = append(log, c); return nil }
			if err := r.Log(ctx, revs, keep); err != nil || !cmp.Equal(log, wantLog) {
				t.Errorf("Log: %v (-got +want):\n%s", err, cmp.Diff(log, wantLog))
			}
			log = nil
			if err := r.LogFrom(ctx, "HEAD", 0, keep); err != nil || !cmp.Equal(log, wantLog) {
				t.Errorf("LogFrom: %v (-got +want):\n%s", err, cmp.Diff(log, wantLog))
			}

			o := r.Objects(ctx)
			defer o.Close()
			data, err := o.Read(blob("c\n"), 100)
			if string(data) != "c\n" || err != nil {
				t.Errorf("Read = %q, %v", data, err)
			}
			if _, err = o.Read(blob("absent"), 100); !errors.Is(err, ErrMissing) {
				t.Errorf("Read of a missing object: %v, want ErrMissing", err)
			}
			var tooLarge *TooLargeError
			if _, err = o.Read(blob("c\n"), 1); !errors.As(err, &tooLarge) {
				t.Errorf("Read over the limit: %v, want a TooLargeError", err)
			}
			var all []string
			err = o.ReadAll([]string{blob("b\n"), blob("absent"), "-x", blob("c\n")}, func(i int, data []byte, err error) {
				if err != nil {
					all = append(all, "error")
				} else {
					all = append(all, string(data))
				}
			})
			if d := cmp.Diff(all, []string{"b\n", "error", "error", "c\n"}); d != "" || err != nil {
				t.Errorf("ReadAll: %v\n%s", err, d)
			}
			data, err = r.ReadFile("a.go", 100)
			if string(data) != "package a // changed\n" || err != nil {
				t.Errorf("ReadFile = %q, %v", data, err)
			}
		})
	}
}

// summary shows a listing in a line a file.
func summary(files []WorkFile) []string {
	var out []string
	for _, f := range files {
		line := strings.ToValidUTF8(f.Path, "?") + " " + modeName(f.Mode)
		switch {
		case f.Conflict:
			line += " conflict"
		case f.Sparse:
			line += " sparse " + f.OID
		case f.Clean:
			line += " clean " + f.OID
		case f.Untracked:
			line += " untracked"
		default:
			line += " changed"
		}
		out = append(out, line)
	}
	return out
}
