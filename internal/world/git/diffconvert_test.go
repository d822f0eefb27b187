package git

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConversionsAreGits writes every kind of contents under every attribute
// that says something about line ends, with every kind of contents in the index
// and every setting, and compares what has changed with git diff.
func TestConversionsAreGits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	contents := []string{"", "a\n", "a\r\n", "a\r\nb\n", "a\rb\r\n", "a\x00\r\n", "\x01\x02\r\n", "a\r\n\x1a", "a\r", strings.Repeat("x", 128) + "\x01\r\n", "\r\r\n"}
	attributes := []string{"x", "text", "-text", "text=auto", "text=input", "text=other", "eol=lf", "eol=crlf", "text=auto eol=crlf", "text=auto eol=lf",
		"-text eol=crlf", "crlf", "-crlf", "crlf=input", "crlf=auto", "!text", "binary", "ident", "text ident", "text=auto crlf", "crlf eol=lf"}
	for _, config := range []string{"", "core.autocrlf=true", "core.autocrlf=input", "core.autocrlf=false core.eol=crlf", "core.autocrlf=yes core.eol=lf"} {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.init("r")
			var attrs, index strings.Builder
			for i, c := range contents {
				s.write(fmt.Sprintf("blob%d", i), c)
			}
			ids := strings.Fields(s.git("r", append([]string{"hash-object", "-w", "--no-filters"}, blobs(s, len(contents))...)...))
			for a, attr := range attributes {
				fmt.Fprintf(&attrs, "a%d_* %s\n", a, attr)
				for i := range contents {
					for w, c := range contents {
						path := fmt.Sprintf("a%d_%d_%d", a, i, w)
						fmt.Fprintf(&index, "100644 %s 0\t%s\n", ids[i], path)
						s.write("r/"+path, c)
					}
				}
			}
			s.write("r/.gitattributes", attrs.String())
			s.gitIn("r", index.String(), "update-index", "--index-info")
			for _, c := range strings.Fields(config) {
				key, value, _ := strings.Cut(c, "=")
				s.git("r", "config", key, value)
			}
			set, err := s.open("r").Diff(t.Context(), DiffSpec{Source: sourceUnstaged})
			if err != nil {
				t.Fatal(err)
			}
			if len(set.Files) == 0 {
				t.Fatal("no differences")
			}
			want := s.git("r", "diff", "--numstat", "-z")
			if d := cmp.Diff(strings.Split(numstatOf(set), "\x00"), strings.Split(want, "\x00")); d != "" {
				t.Errorf("(-got +want)\n%s", d)
			}
		})
	}
}

func blobs(s *sandbox, n int) (paths []string) {
	for i := range n {
		paths = append(paths, s.path(fmt.Sprintf("blob%d", i)))
	}
	return paths
}

// TestPackFile lets git check a pack.
func TestPackFile(t *testing.T) {
	for _, format := range []Format{SHA1, SHA256} {
		s := newSandbox(t)
		s.init("r", "--object-format="+string(format))
		dir := filepath.Join(s.mkdir("p"), "pack")
		p, err := newPackFile(format, dir)
		must(t, err)
		for _, n := range []int{0, 1, 15, 16, 2047, 2048, 70000, 1 << 20} {
			data := []byte(strings.Repeat("x", n))
			must(t, p.add(packBlob, BlobID(format, data), data))
		}
		must(t, p.finish())
		cmd := exec.Command("git", "verify-pack", "-v", filepath.Join(dir, "pack.idx"))
		cmd.Dir, cmd.Env = s.path("r"), s.env()
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), " blob ") != 8 {
			t.Errorf("%s: git verify-pack: %v\n%s", format, err, out)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{"", ""},
		{"plain", "plain"},
		{"\xef\xbb\xbfé\n", "é\n"},
		{"\xef\xbb\xbf", ""},
		{"\xff\xfeh\x00i\x00", "hi"},
		{"\xfe\xff\x00h\x00i", "hi"},
		{"\xff\xfe\x3d\xd8\x00\xde", "😀"},
		{"\xfe\xff\xd8\x3d\xde\x00", "😀"},
		{"\xff\xfe\x00\x00h\x00\x00\x00", "h"},
		{"\x00\x00\xfe\xff\x00\x01\xf6\x00", "😀"},
		{"\xff\xfe\xfd\xff", "\ufffd"},

		// Invalid or cut text stays as it is.
		{"\xff\xfeh\x00i", "\xff\xfeh\x00i"},
		{"\xff\xfe\x00\xd8", "\xff\xfe\x00\xd8"},
		{"\xff\xfe\x00\xd8h\x00", "\xff\xfe\x00\xd8h\x00"},
		{"\xff\xfe\x00\xdc\x00\xd8", "\xff\xfe\x00\xdc\x00\xd8"},
		{"\x00\x00\xfe\xff\x00\x11\x00\x00", "\x00\x00\xfe\xff\x00\x11\x00\x00"},
		{"\x00\x00\xfe\xff\xff\xff\xff\xff", "\x00\x00\xfe\xff\xff\xff\xff\xff"},
		{"\x00\x00\xfe\xff\x00\x00\xd8\x00", "\x00\x00\xfe\xff\x00\x00\xd8\x00"},
		{"h\x00i\x00", "h\x00i\x00"},
		{"\xff", "\xff"},
	} {
		if got := string(Decode([]byte(tt.data))); got != tt.want {
			t.Errorf("Decode(%q) = %q, want %q", tt.data, got, tt.want)
		}
	}
}
