package git

import (
	"bufio"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

func FuzzParseIndex(f *testing.F) {
	f.Add("100644 78981922613b2afb6025042ff6bd878ac1994e85 0\ta\nb\x00  ctime: 1795195706:562546194\n  mtime: 1795195706:562546194\n" +
		"  dev: 65024\tino: 10019071\n  uid: 0\tgid: 0\n  size: 2\tflags: 20004000\n")
	f.Add("100644 x 4\ta\x00")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := parseIndex(reader(text))
		if err != nil {
			return
		}
		var b strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&b, "%06o %s %d\t%s\x00  ctime: %d:%d\n  mtime: %d:%d\n  dev: 0\tino: %d\n  uid: 0\tgid: 0\n  size: %d\tflags: %x\n",
				uint32(e.mode), e.oid, e.stage, e.path, e.ctime.sec, e.ctime.nsec, e.mtime.sec, e.mtime.nsec, e.ino, e.size, e.flags)
		}
		again, err := parseIndex(reader(b.String()))
		if err != nil || len(again) != len(entries) {
			t.Fatalf("parse(print(%+v)) = %+v, %v", entries, again, err)
		}
		for i := range again {
			if again[i] != entries[i] {
				t.Fatalf("parse(print(%+v)) = %+v", entries[i], again[i])
			}
		}
	})
}

func FuzzTreeEntries(f *testing.F) {
	f.Add("100644 a\x0001234567890123456789" + "40000 b\x0001234567890123456789" + "160000 m\x0001234567890123456789")
	f.Fuzz(func(t *testing.T, text string) {
		r := &treeReader{Objects: &Objects{repo: &Repo{format: SHA1}}, known: map[string]string{"t": text}}
		length := 0
		err := r.each("t", func(e TreeEntry) {
			if e.Name == "" || !SHA1.validID(e.ID) || strings.Contains(e.Name, "\x00") {
				t.Fatalf("entry %+v of %q", e, text)
			}
			length += len(e.Name) + len(e.ID)/2 + 2
		})
		if err == nil && length > len(text) {
			t.Fatalf("%d bytes of entries in %q", length, text)
		}
	})
}

func FuzzParseAttributes(f *testing.F) {
	f.Add("a\x00diff\x00unset\x00a\x00binary\x00set\x00b\x00diff\x00unspecified\x00")
	f.Fuzz(func(t *testing.T, text string) {
		if all, err := parseAttributes(reader(text)); err == nil && text != "" && strings.Count(text, "\x00")%3 != 0 {
			t.Fatalf("parseAttributes(%q) = %v", text, all)
		}
	})
}

func TestParseUserConfig(t *testing.T) {
	out := strings.Join([]string{
		"system", "safe.directory\n/opt/*", "global", "core.excludesfile\n~/ignore", "global", "safe.directory\n", "global", "safe.directory\n/a\nb",
		"local", "safe.directory\n*", "local", "core.excludesfile\n/repo/ignore", "local", "remote.origin.promisor\ntrue", "worktree", "remote.x.promisor", "",
	}, "\x00")
	u, excludes := parseUserConfig([]byte(out))
	if d := cmp.Diff(u.safe, []string{"/opt/*", "", "/a\nb"}); d != "" || excludes != "/repo/ignore" || !u.partial {
		t.Errorf("parseUserConfig = %+v, %q\n%s", u, excludes, d)
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü":                   "plain ü",
		"a\nb\tc":                   "a b c",
		"\x1b[31m\x07\x7f\u0085":    "\uFFFD[31m\uFFFD\uFFFD\uFFFD",
		"\u202egpj\u2066\U000E0041": "\uFFFDgpj\uFFFD\uFFFD",
		"\xff\x9b":                  "\uFFFD",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestValidPath(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "a/b": true, "...": true, ".gitignore": true, "a/.github/x": true, "-x": true, "\n": true, "\xff": true, "..a": true, ".git2": true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false, "a/..": false, "../a": false, "a/./b": false,
		".git": false, ".GIT/x": false, "a/.Git/x": false, "a\x00b": false,
	} {
		if got := validPathOn(path, false); got != want {
			t.Errorf("validPathOn(%q, false) = %v", path, got)
		}
		if !want && validPathOn(path, true) {
			t.Errorf("validPathOn(%q, true) = true", path)
		}
	}
}

// What is a name elsewhere may be another file, a stream or a device on Windows.
func TestValidPathOnWindows(t *testing.T) {
	for path, want := range map[string]bool{
		"a": true, "a/b.go": true, ".gitignore": true, "a/.github/x": true, ".git2": true, "a b/c d": true, " a": true, "\xff": true,
		"git~2": true, "git~10": true, "console.go": true, "auxiliary/x": true, "x.aux": true, "x/a.nul.c": true,
		"com": true, "com0": true, "COM10": true, "lpt": true, "lpt.c": true, "1": true, "a1": true,
		`a\b`: false, `..\a`: false, `a/..\..\b`: false, `.git\config`: false, "C:": false, "C:/a": false, "a:b": false, "a/.git::$INDEX_ALLOCATION/x": false,
		"a.": false, "a ": false, "a./b": false, "a /b": false, "...": false, ".. /a": false, ".git.": false, ".GIT /x": false, ".git. .": false,
		"git~1": false, "GIT~1/config": false, "a/Git~1": false, "a/.Git/x": false, "git~1.": false,
		"a*": false, "lpt*": false, "a?b": false, "<a": false, "a>": false, "a|b": false, `"a"`: false, "a\nb": false, "a/\x01": false, "\x7f": true, "lpt0": false, "LPT0.c/x": false,
		"con": false, "PRN": false, "aux.c": false, "src/Aux.h": false, "nul": false, "NUL.tar.gz": false, "nul .txt": false,
		"com1": false, "COM9.c": false, "lpt1/x": false, "Lpt9": false, "com\u00b2": false, "CONIN$": false, "conout$.x": false,
	} {
		if got := validPathOn(path, true); got != want {
			t.Errorf("validPathOn(%q, true) = %v", path, got)
		}
	}
	for path, want := range map[string]string{"src/aux.c": "on Windows", "../a": "leaves the work tree", ".git/x": "own folder"} {
		if got := whyNotPath(path); !strings.Contains(got, want) {
			t.Errorf("whyNotPath(%q) = %q, want %q in it", path, got, want)
		}
	}
}

func FuzzValidPath(f *testing.F) {
	for _, p := range []string{"a/b", "../a", "a/../b", "/a", ".git/x", "a//b", "a/."} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if validPathOn(p, true) && !validPathOn(p, false) {
			t.Fatalf("%q is a path on Windows alone", p)
		}
		if validPath(p) && (!filepath.IsLocal(p) || path.Clean(p) != p || strings.Contains("/"+strings.ToLower(p)+"/", "/.git/")) {
			t.Fatalf("validPath(%q) = true", p)
		}
	})
}

func FuzzRefuseRev(f *testing.F) {
	for _, rev := range append([]string{"HEAD", "v1.0^{commit}", "a b"}, optionNames...) {
		f.Add(rev)
	}
	f.Fuzz(func(t *testing.T, rev string) {
		if refuseRev(rev) == "" && (rev == "" || rev[0] == '-' || strings.ContainsAny(rev, "\n\r\x00\x1b")) {
			t.Fatalf("refuseRev(%q) lets it pass", rev)
		}
	})
}

func TestEncodeIndex(t *testing.T) {
	for _, format := range []Format{SHA1, SHA256} {
		s := newSandbox(t)
		s.init("r", "--object-format="+string(format))
		var files []TreeFile
		var want []string
		for i := range 20 { // every length of padding
			path := fmt.Sprintf("%02d", i) + strings.Repeat("x", i)
			files = append(files, TreeFile{Path: path, Mode: ModeFile, OID: BlobID(format, []byte(path))})
			want = append(want, "100644 "+BlobID(format, []byte(path))+" 0\t"+path)
		}
		index, err := encodeIndex(format, files)
		if err != nil {
			t.Fatal(err)
		}
		s.write("r/.git/index", string(index))
		if d := cmp.Diff(strings.Split(s.git("r", "ls-files", "--stage"), "\n"), want); d != "" {
			t.Errorf("%s: git reads another index (-got +want):\n%s", format, d)
		}
	}
}

// TestExplain: the reason of git and ssh is kept, and their general advice is not.
func TestExplain(t *testing.T) {
	const said = "ssh: connect to host h port 22: Connection refused\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n"
	const want = "ssh: connect to host h port 22: Connection refused; Could not read from remote repository"
	if got := explain(said); got != want {
		t.Errorf("explain(%q) = %q, want %q", said, got, want)
	}
}
