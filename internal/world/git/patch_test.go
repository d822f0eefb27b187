package git

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/change"
)

// patchCases are texts and what is read from them: a line for each file and
// note, as describe writes them, or an error. In the text, § is a CR.
var patchCases = []struct{ name, text, want string }{
	{"nothing", "", ""},
	{"white space", " \n\n", ""},
	{"no patch", "hello\nworld\n", "error patch line 1: no patch found: want the output of git diff or another unified diff"},
	{"git", `diff --git a/x b/x
index 1111111..2222222 100644
--- a/x
+++ b/x
@@ -1,2 +1,3 @@ func f()
 a
-b
+c
+d
@@ -9 +10 @@
-e
+f
`, "modified x 100644 100644 +3 -2"},
	{"git, without prefixes", `diff --git x/y x/y
--- x/y
+++ x/y
@@ -1 +1 @@
-a
+b
`, "modified x/y +1 -1"},
	{"git, other prefixes", `diff --git i/x w/x
--- i/x
+++ w/x
@@ -1 +1 @@
-a
+b
diff --git old/y z new/y z
old mode 100644
new mode 100755
`, "modified x +1 -1\nmodified \"y z\" 100644 100755"},
	{"git, reversed", `diff --git b/a/x a/a/x
--- b/a/x
+++ a/a/x
@@ -1 +1 @@
-a
+b
`, "modified a/x +1 -1"},
	{"new, deleted, empty", `diff --git a/n b/n
new file mode 100755
index 0000000..e69de29
diff --git a/d b/d
deleted file mode 100644
index 2222222..0000000
--- a/d
+++ /dev/null
@@ -1 +0,0 @@
-x
`, "deleted d 100644 -1\nadded n 100755"},
	{"renames and copies", `diff --git a/old name b/new name
similarity index 91%
rename from old name
rename to new name
--- a/old name	
+++ b/new name	
@@ -1 +1 @@
-a
+b
diff --git a/c b/d
similarity index 100%
copy from c
copy to d
diff --git "a/q\"1" "b/q\303\2742"
rename old "q\"1"
rename new "q\303\2742"
`, "copied d from c 100%\nrenamed \"new name\" from \"old name\" 91% +1 -1\nrenamed \"qü2\" from \"q\\\"1\" 0%"},
	{"names", `diff --git "a/tab\tbed" "b/tab\tbed"
old mode 100644
new mode 100755
diff --git a/-x b/-x
--- a/-x
+++ b/-x
@@ -0,0 +1 @@
+a
diff --git a/b b/b b/b b/b
old mode 100644
new mode 100755
diff --git "a/new\nline" "b/new\nline"
deleted file mode 120000
`, "modified -x +1\nmodified \"b b/b\" 100644 100755\ndeleted \"new\\nline\" 120000\nmodified \"tab\\tbed\" 100644 100755"},
	{"binary", `diff --git a/b.bin b/b.bin
index 1111111..2222222 100644
Binary files a/b.bin and b/b.bin differ
diff --git a/c.bin b/c.bin
index 1111111..2222222 100644
GIT binary patch
literal 3
KcmZQzWMT#Y01f~L

literal 2
JcmZQzWB>pF0{{R3

diff --git a/d b/d
--- a/d
+++ b/d
@@ -1 +1 @@
-a
+b
`, "modified b.bin 100644 100644 binary\nmodified c.bin 100644 100644 binary\nmodified d +1 -1"},
	{"type change", `diff --git a/l b/l
deleted file mode 100644
--- a/l
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/l b/l
new file mode 120000
--- /dev/null
+++ b/l
@@ -0,0 +1 @@
+y
\ No newline at end of file
`, "type changed l 100644 120000 +1 -1"},
	{"unmerged", "* Unmerged path a b\n* Unmerged path \"q\\\"\"\n", "unmerged \"a b\"\nunmerged \"q\\\"\""},
	{"merge", `diff --cc a.txt
index 1111111,2222222..3333333
--- a/a.txt
+++ b/a.txt
@@@ -1,3 -1,3 +1,3 @@@
  same
- one
 -two
++three
  end
diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-a
+b
`, "modified a.txt +1 -2 elided 56\nmodified x +1 -1\nnote a.txt: a merge (diff --cc): its lines are counted, not shown"},
	{"mail", `From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001
From: A <a@example.com>
Date: Tue, 14 Nov 2023 22:13:20 +0000
Subject: [PATCH 1/2] diff the differ

--- not a header
Text.
---
 x | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/x b/x
index 1111111..2222222 100644
--- a/x
+++ b/x
@@ -1 +1 @@
-- a
+- b
-- 
2.39.5

From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001
Subject: [PATCH 2/2] again

---
diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-- b
+- c
-- 
2.39.5

`, "modified x 100644 100644 +1 -1\nmodified x +1 -1\nnote x: changed more than once in this patch"},
	{"plain", `Only in new: z
diff -ru old/x.c new/x.c
--- old/x.c	2024-01-02 03:04:05.000000000 +0100
+++ new/x.c	2024-01-02 03:04:05.000000000 +0100
@@ -1,2 +1,2 @@
 a
-b
+c
--- y.c
+++ y.c
@@ -1,1 +1,1 @@
-a
+b
--- z.go.orig	2024-01-02 03:04:05 +0000
+++ z.go	2024-01-02 03:04:05 +0000
@@ -0,0 +1 @@
+b
Binary files old/i.png and new/i.png differ
`, "modified i.png binary\nmodified x.c +1 -1\nmodified y.c +1 -1\nmodified z.go +1"},
	{"plain, new and deleted", `--- /dev/null
+++ b/n
@@ -0,0 +1 @@
+a
--- old/d	2024-01-02 03:04:05.5 +0000
+++ new/d	1970-01-01 01:00:00.000000000 +0100
@@ -1 +0,0 @@
-a
`, "added n +1\ndeleted old/d -1"},
	{"svn", `Index: a.c
===================================================================
--- a.c	(revision 1)
+++ a.c	(working copy)
@@ -1 +1 @@
-a
+b
`, "modified a.c +1 -1"},
	{"CR LF contents", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a§\n-b§\n+c§\n", "modified x +1 -1"},
	{"CR LF everywhere", "diff --git a/x b/x§\nold mode 100644§\nnew mode 100755§\n--- a/x§\n+++ b/x§\n@@ -1,3 +1,3 @@§\n a§\n§\n-b§\n+c§\n",
		"modified x 100644 100755 +1 -1"},
	{"cut space of an empty line", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "modified x +1 -1"},
	{"no end of the last line", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c",
		"modified x +1 -1\nnote : the patch ends without a line end: its last line may be cut off"},
	{"invalid UTF-8", "--- a/\xff\n+++ b/\xff\n@@ -1 +1 @@\n-\xff\n+\xfe\n", `modified "\xff" +1 -1`},
	{"contents that look like headers", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n--- a/y\n-diff --git a/z b/z\n+++ b/y\n+@@ -1 +1 @@\n @@ -1 +1 @@\n", "modified x +2 -2"},
	{"dissimilar", "diff --git a/x b/x\ndissimilarity index 90%\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "modified x 100644 100644 +1 -1"},

	{"ends inside a hunk", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n", "error patch line 5: x: ends inside a hunk, after 1 of its lines: 1 old and 1 new lines are missing"},
	{"ends after a heading", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n", "error patch line 3: x: ends inside a hunk, after 0 of its lines: 2 old and 2 new lines are missing"},
	{"too few lines", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\ndiff --git a/y b/y\n",
		"error patch line 5: x: want a line of the hunk, which starts with a space, +, - or \\; 1 old and 1 new lines are missing"},
	{"too many lines", "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n a\n b\n", "error patch line 5: x: the hunk has more lines than its heading"},
	{"bad heading", "--- a/x\n+++ b/x\n@@ -1,x +1 @@\n a\n", "error patch line 3: x: malformed heading of a hunk"},
	{"huge heading", "--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n a\n", "error patch line 3: x: malformed heading of a hunk"},
	{"hunk without a file", "@@ -1 +1 @@\n-a\n+b\n", "error patch line 1: hunk without the names of its files before it"},
	{"no new name", "diff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-a\n+b\n", "error patch line 2: want a line with +++ and the new name after this one"},
	{"ends in a header", "diff --git a/x b/x\n--- a/x\n", "error patch line 2: want a line with +++ and the new name after this one"},
	{"names that cannot be told apart", "diff --git a b c d\nold mode 100644\n", "error patch line 1: ambiguous file names"},
	{"half a rename", "diff --git a/x b/y\nrename from x\n", "error patch line 1: rename or copy with one name only"},
	{"bad mode", "diff --git a/x b/x\nnew file mode 99\n", "error patch line 2: malformed mode"},
	{"bad quotes", "diff --git a/x b/x\n--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n", "error patch line 2: malformed name"},
	{"binary without contents", "diff --git a/x b/x\nGIT binary patch\n", "error patch line 2: x: binary patch without contents"},
	{"binary cut off", "diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n", "error patch line 4: x: ends inside a binary patch"},
	{"merge cut off", "diff --cc x\n@@@ -1 -1 +1 @@@\n- a\n", "error patch line 3: x: ends inside a hunk"},
	{"nothing on both sides", "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "error patch line 2: both sides are /dev/null"},
}

func TestParsePatch(t *testing.T) {
	for _, c := range patchCases {
		set, err := ParsePatch(strings.NewReader(strings.ReplaceAll(c.text, "§", "\r")), Keep{})
		var got string
		if err != nil {
			got = "error " + err.Error()
			if _, ok := errors.AsType[*PatchError](err); !ok {
				t.Errorf("%s: %T, want a *PatchError", c.name, err)
			}
		} else {
			got = strings.Join(describe(set), "\n")
		}
		if d := cmp.Diff(got, c.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", c.name, d)
		}
	}
}

func TestParsePatchHunks(t *testing.T) {
	set, err := ParsePatch(strings.NewReader(patchCases[3].text), Keep{})
	must(t, err)
	f := set.Files[0]
	want := []change.Hunk{
		{OldFrom: 1, OldLines: 2, NewFrom: 1, NewLines: 3, Section: "func f()", Body: " a\n-b\n+c\n+d\n", Added: 2, Removed: 1},
		{OldFrom: 9, OldLines: 1, NewFrom: 10, NewLines: 1, Body: "-e\n+f\n", Added: 1, Removed: 1},
	}
	if d := cmp.Diff(f.Hunks, want); d != "" {
		t.Errorf("hunks (-got +want):\n%s", d)
	}
	if got, want := f.Header, patchCases[3].text[:strings.Index(patchCases[3].text, "@@")]; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got := string(f.AppendPatch(nil)); got != patchCases[3].text {
		t.Errorf("written again:\n%s", got)
	}
}

// errBroken is what a reader says that breaks.
var errBroken = errors.New("broken")

func TestParsePatchReadError(t *testing.T) {
	for _, text := range []string{"", "x\n", "diff --git a/x b/x\n--- a/x\n", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n"} {
		in := io.MultiReader(strings.NewReader(text), brokenReader{})
		if _, err := ParsePatch(in, Keep{}); !errors.Is(err, errBroken) {
			t.Errorf("%q and then a broken reader: %v", text, err)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// TestParsePatchMemory reads absurd texts with little memory.
func TestParsePatchMemory(t *testing.T) {
	mega := bytes.Repeat([]byte("x"), 1<<20)
	repeat := func(n int) io.Reader {
		var parts []io.Reader
		for range n {
			parts = append(parts, bytes.NewReader(mega))
		}
		return io.MultiReader(parts...)
	}
	head := "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+"
	for _, c := range []struct {
		name string
		in   io.Reader
		want string
	}{
		{"a line of 200 MB in a hunk", io.MultiReader(strings.NewReader(head), repeat(200), strings.NewReader("\n")), "modified x +1 elided 209715216"},
		{"a line of 200 MB before", io.MultiReader(repeat(200), strings.NewReader("\n"+head+"y\n")), "modified x +1"},
		{"a line of 200 MB in a header", io.MultiReader(strings.NewReader("diff --git a/x b/x\nold mode "), repeat(200)), "error patch line 2: header too long"},
		{"a header without an end", io.MultiReader(strings.NewReader("diff --git a/x b/x\n"), strings.NewReader(strings.Repeat("old mode 100644\n", 1<<18))),
			"error patch line 65537: header too long"},
		{"a first line without an end", io.MultiReader(strings.NewReader("diff --git "), repeat(200)), "error patch line 1: line longer than 65536 bytes in a header"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		set, err := ParsePatch(c.in, Keep{})
		runtime.ReadMemStats(&after)
		var got string
		if err != nil {
			got = "error " + err.Error()
		} else {
			got = strings.Join(describe(set), "\n")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
			t.Errorf("%s: allocates %d MiB", c.name, used>>20)
		}
	}
}

// FuzzParsePatch checks that reading never panics, that counts are those of the
// lines that are held, that reading with less memory counts the same, and that
// what is read and written is read again as the same.
func FuzzParsePatch(f *testing.F) {
	for _, c := range patchCases {
		f.Add([]byte(strings.ReplaceAll(c.text, "§", "\r")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := ParsePatch(bytes.NewReader(text), Keep{})
		small, err2 := ParsePatch(bytes.NewReader(text), Keep{MaxPatch: 1})
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%v with patches, %v without", err, err2)
		}
		if err != nil {
			if _, ok := errors.AsType[*PatchError](err); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(set.Files) != len(small.Files) {
			t.Fatalf("%d files with patches, %d without", len(set.Files), len(small.Files))
		}
		for i, f := range set.Files {
			if g := small.Files[i]; g.Path != f.Path || g.Added != f.Added || g.Removed != f.Removed {
				t.Fatalf("%+v with its patch, %+v without", f, g)
			}
			added, removed := 0, 0
			for _, h := range f.Hunks {
				a, r := 0, 0
				for line := range strings.Lines(h.Body) {
					switch line[0] {
					case '+':
						a++
					case '-':
						r++
					}
				}
				if a != h.Added || r != h.Removed {
					t.Fatalf("hunk %+v counts +%d -%d", h, a, r)
				}
				added, removed = added+a, removed+r
			}
			if f.Status != change.TypeChanged && f.Elided == 0 && (added != f.Added || removed != f.Removed) {
				t.Fatalf("%s: +%d -%d in hunks, +%d -%d in all", f.Path, added, removed, f.Added, f.Removed)
			}
		}
		written := patchOf(set)
		if len(written) == 0 || len(set.Diagnostics) > 0 || text[len(text)-1] != '\n' {
			return // files without patches, or in another order
		}
		for i := range set.Files[1:] { // without the text between them, these would be one
			if len(set.Files[i].Hunks) == 0 && strings.HasPrefix(set.Files[i+1].Header, "--- ") {
				return
			}
		}
		again, err := ParsePatch(bytes.NewReader(written), Keep{})
		if err != nil {
			t.Fatalf("written again, cannot be read: %v\n%s", err, written)
		}
		if d := cmp.Diff(patchOf(again), written); d != "" {
			t.Fatalf("read and written again (-got +want):\n%s", d)
		}
	})
}

// FuzzPatchNames checks that git's quoting can be undone.
func FuzzPatchNames(f *testing.F) {
	for _, n := range []string{"a", "a b", "q\"", "\\", "\t\n\x01\x7f", "\xff", "ü", "b b/b"} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		unquoteName(name)
		headerNames(name)
		sideName(name)
		if name == "" || strings.IndexByte(name, 0) >= 0 {
			return
		}
		q := quoteName("a/" + name)
		got := q
		if q[0] == '"' {
			var rest string
			var ok bool
			if got, rest, ok = unquoteName(q); !ok || rest != "" {
				t.Fatalf("unquoteName(%q) = %q, %q, %v", q, got, rest, ok)
			}
		}
		if got != "a/"+name {
			t.Fatalf("quoted as %s, unquoted as %q, want %q", q, got, "a/"+name)
		}
		from, to, ok := headerNames(q + " " + quoteName("b/"+name))
		if from, to := stripPrefixes(from, to); len(name) < 4000 && (!ok || from != name || to != name) {
			t.Fatalf("headerNames of %q = %q, %q, %v", name, from, to, ok)
		}
	})
}
