package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// The cases of TestDiff, in a little language. A line is a command:
//
//	write PATH TEXT   a file; TEXT is a Go string without its quotes
//	lines PATH N      a file of N different lines
//	link PATH TARGET  a symbolic link
//	exec PATH         sets the executable bit
//	rm PATH           removes a file or folder
//	commit MESSAGE    adds everything and commits
//	git ARGUMENTS     runs git, which may fail if the line begins with "try"
//	aged              makes the index younger than the files
//	diff SPEC         compares; the lines that follow, up to an empty one, are
//	                  the files and, after "note", the notes that are wanted
//	law GIT           git diff with these arguments counts the same tracked files
const diffCases = `
# staged, on a branch without commits
write a.txt one\ntwo\n
write b.txt other\n
git add a.txt
diff staged
added a.txt 100644 +2
law --cached

diff
added a.txt 100644 +2

diff worktree
added a.txt 100644 +2
added b.txt 100644 +1 untracked

diff untracked
added b.txt 100644 +1 untracked

# nothing staged: the work tree
write a.txt one\n
commit 1
write a.txt two\n
write new.txt new
diff
modified a.txt 100644 100644 +1 -1
added new.txt 100644 +1 untracked
law HEAD

git add a.txt
diff
modified a.txt 100644 100644 +1 -1
law --cached

# a file that is staged, and changed again since
write a.txt 1\n2\n3\n
commit 1
write a.txt 1\n2\n3\n4\n
git add a.txt
write a.txt 0\n1\n2\n3\n4\n
diff staged
modified a.txt 100644 100644 +1
law --cached

diff unstaged
modified a.txt 100644 100644 +1
law

diff worktree
modified a.txt 100644 100644 +2
law HEAD

# what is staged and then undone on disk is no difference to HEAD
write a.txt 1\n
commit 1
write a.txt 2\n
git add a.txt
write a.txt 1\n
diff worktree
law HEAD

diff unstaged
modified a.txt 100644 100644 +1 -1
law

# no difference at all
write a.txt 1\n
commit 1
aged
diff
diff HEAD..HEAD
law HEAD..HEAD

# touched, not changed
write a.txt 1\n
commit 1
write a.txt 1\n
diff unstaged
law

# deleted, staged or not
write a.txt 1\n
write b.txt 2\n2\n
commit 1
rm a.txt
git rm -q --cached b.txt
diff staged
deleted b.txt 100644 -2
law --cached

diff unstaged
deleted a.txt 100644 -1
law

diff worktree
deleted a.txt 100644 -1
deleted b.txt 100644 -2
added b.txt 100644 +2 untracked
law HEAD

# a folder in place of a file, and the reverse
write a 1\n
write d/e 2\n
commit 1
rm a
rm d
write a/x 3\n
write d 4\n
diff worktree
deleted a 100644 -1
added a/x 100644 +1 untracked
added d 100644 +1 untracked
deleted d/e 100644 -1
law HEAD

git add -A
diff staged
deleted a 100644 -1
added a/x 100644 +1
added d 100644 +1
deleted d/e 100644 -1
law --cached

# renamed, with and without changes; copied from a file that changed
lines a.txt 40
lines b.txt 50
lines c.txt 60
commit 1
git mv a.txt z/a.txt
git mv b.txt y.txt
write y.txt.add x
git rm -q --cached -f y.txt.add --ignore-unmatch
rm y.txt.add
lines y.txt 52
lines c.txt 61
lines copy.txt 60
git add -A
diff staged
modified c.txt 100644 100644 +1
copied copy.txt from c.txt 100% 100644 100644
renamed y.txt from b.txt 96% 100644 100644 +2
renamed z/a.txt from a.txt 100% 100644 100644
law --cached

git commit -q -m 2
diff HEAD^!
modified c.txt 100644 100644 +1
copied copy.txt from c.txt 100% 100644 100644
renamed y.txt from b.txt 96% 100644 100644 +2
renamed z/a.txt from a.txt 100% 100644 100644
law HEAD~ HEAD

# a rename on disk that git has not been told of
lines a.txt 40
commit 1
rm a.txt
lines b.txt 40
diff worktree
deleted a.txt 100644 -40
added b.txt 100644 +40 untracked
law HEAD

# added with intent
write a.txt 1\n
commit 1
write b.txt 2\n
git add -N b.txt
diff staged
diff unstaged
added b.txt 100644 +1
law

diff worktree
added b.txt 100644 +1
law HEAD

# modes, links, and a change of type
write run.sh a\n
write t.txt b\n
link l a.txt
commit 1
exec run.sh
rm t.txt
link t.txt run.sh
rm l
link l b.txt
diff worktree
modified l 120000 120000 +1 -1
modified run.sh 100644 100755
type changed t.txt 100644 120000 +1 -1
law HEAD

git add -A
git commit -q -m 2
diff HEAD^!
modified l 120000 120000 +1 -1
modified run.sh 100644 100755
type changed t.txt 100644 120000 +1 -1
law HEAD~ HEAD

# the executable bit where the file system has none
write run.sh a\n
commit 1
git config core.fileMode false
exec run.sh
diff worktree
law HEAD

write run.sh b\n
diff worktree
modified run.sh 100644 100644 +1 -1
law HEAD

# links where the file system has none
link l a.txt
commit 1
git config core.symlinks false
rm l
write l b.txt
diff worktree
modified l 120000 120000 +1 -1
law HEAD

# binary, by contents and by attribute
write b.bin \x00\x01
write gen.txt 1\n
write .gitattributes gen.txt -diff\n
commit 1
write b.bin \x00\x02
write gen.txt 2\n
write new.bin \x00
diff worktree
modified b.bin 100644 100644 binary
modified gen.txt 100644 100644 binary
added new.bin 100644 binary untracked
law HEAD

# attributes of folders, of the git folder, and not yet committed
write d/a.txt 1\n
write e.txt 1\n
commit 1
write d/.gitattributes *.txt -diff\n
git config x.y z
write .git/info/attributes e.txt -diff\n
write d/a.txt 2\n
write e.txt 2\n
diff worktree
added d/.gitattributes 100644 +1 untracked
modified d/a.txt 100644 100644 binary
modified e.txt 100644 100644 binary
law HEAD

# empty files
write a.txt 
commit 1
write b.txt 
rm a.txt
diff worktree
deleted a.txt 100644
added b.txt 100644 untracked
law HEAD

git add -A
diff staged
renamed b.txt from a.txt 100% 100644 100644
law --cached

# no end of line at the end of a file
write a.txt 1\n2
commit 1
write a.txt 1\n2\n
diff worktree
modified a.txt 100644 100644 +1 -1
law HEAD

# names of every kind
write "q 1\n
write back\slash 1\n
write -dash 1\n
write sp\x20ace 1\n
write new\nline 1\n
write tab\tbed 1\n
write ümlaut 1\n
write bad\xff 1\n
write b/a/b/a 1\n
commit 1
write "q 2\n
write back\slash 2\n
write -dash 2\n
write sp\x20ace 2\n
write new\nline 2\n
write tab\tbed 2\n
write ümlaut 2\n
write bad\xff 2\n
write b/a/b/a 2\n
diff worktree
modified "\"q" 100644 100644 +1 -1
modified -dash 100644 100644 +1 -1
modified b/a/b/a 100644 100644 +1 -1
modified "back\\slash" 100644 100644 +1 -1
modified "bad\xff" 100644 100644 +1 -1
modified "new\nline" 100644 100644 +1 -1
modified "sp ace" 100644 100644 +1 -1
modified "tab\tbed" 100644 100644 +1 -1
modified "ümlaut" 100644 100644 +1 -1
law HEAD

# the first commit, and one of a line of commits
write a.txt 1\n
commit 1
write a.txt 2\n
commit 2
write b.txt 3\n
commit 3
diff HEAD~2^!
added a.txt 100644 +1

diff HEAD~^!
modified a.txt 100644 100644 +1 -1
law HEAD~2 HEAD~

diff HEAD^!
added b.txt 100644 +1
law HEAD~ HEAD

diff HEAD~2..HEAD
modified a.txt 100644 100644 +1 -1
added b.txt 100644 +1
law HEAD~2..HEAD

diff HEAD..HEAD~2
modified a.txt 100644 100644 +1 -1
deleted b.txt 100644 -1
law HEAD..HEAD~2

diff HEAD~2..
modified a.txt 100644 100644 +1 -1
added b.txt 100644 +1
law HEAD~2..

# a branch that has moved on since another left it; a merge
write a.txt 1\n
commit 1
git branch old
write b.txt 2\n
commit 2
git checkout -q -b side old
write c.txt 3\n
commit 3
diff main..side
deleted b.txt 100644 -1
added c.txt 100644 +1
law main..side

diff main...side
added c.txt 100644 +1
law main...side

diff main...
added c.txt 100644 +1
law main...

git checkout -q main
git merge -q --no-ff -m merge side
diff HEAD^!
added c.txt 100644 +1
law HEAD~ HEAD

# a stash, with untracked files
write a.txt 1\n
commit 1
write a.txt 2\n
write u.txt 3\n
git stash -q -u
write a.txt 4\n
git stash -q
diff stash@{0}
modified a.txt 100644 100644 +1 -1
law stash@{0}^ stash@{0}

diff stash@{1}
modified a.txt 100644 100644 +1 -1
added u.txt 100644 +1 untracked
law stash@{1}^ stash@{1}

diff stash
modified a.txt 100644 100644 +1 -1

# a revision is compared with what is on disk and tracked, as git diff does
write a.txt 1\n2\n3\n
write gone.txt gone\n
write forgotten.txt forgotten\n
write undone.txt 1\n
write moved.txt 1\n2\n3\n4\n
commit 1
write a.txt 1\n2\n3\n4\n
write undone.txt 2\n
write later.txt later\n
commit 2
write a.txt 0\n1\n2\n3\n4\n
write undone.txt 1\n
git rm -q gone.txt
git rm -q --cached forgotten.txt
git mv moved.txt new.txt
write staged.txt some\n
git add staged.txt
write staged.txt some\nstaged\n
write meant.txt meant\n
git add -N meant.txt
write unknown.txt 1\n
diff HEAD~
modified a.txt 100644 100644 +2
deleted forgotten.txt 100644 -1
deleted gone.txt 100644 -1
added later.txt 100644 +1
added meant.txt 100644 +1
renamed new.txt from moved.txt 100% 100644 100644
added staged.txt 100644 +2
note : 2 untracked files are not shown; --untracked shows them
law HEAD~

diff HEAD~^{tree}
modified a.txt 100644 100644 +2
deleted forgotten.txt 100644 -1
deleted gone.txt 100644 -1
added later.txt 100644 +1
added meant.txt 100644 +1
renamed new.txt from moved.txt 100% 100644 100644
added staged.txt 100644 +2
note : 2 untracked files are not shown; --untracked shows them
law HEAD~^{tree}

# so it is in a conflict, and where nothing differs
write a.txt 1\n
commit 1
diff HEAD
law HEAD

git checkout -q -b side
write a.txt 2\n
commit 2
git checkout -q main
write a.txt 3\n
commit 3
try merge side
diff HEAD~
unmerged a.txt
note : a merge is in progress
note : files in conflict are not compared: satchel show PATH shows one with its markers

# a conflict
write a.txt 1\n
write b.txt 1\n
commit 1
git checkout -q -b side
write a.txt 2\n
write b.txt 2\n
commit 2
git checkout -q main
write a.txt 3\n
commit 3
try merge side
diff
unmerged a.txt
modified b.txt 100644 100644 +1 -1
note : a merge is in progress
note : files in conflict are not compared: satchel show PATH shows one with its markers

diff unstaged
unmerged a.txt
note : a merge is in progress
note : files in conflict are not compared: satchel show PATH shows one with its markers

diff worktree
unmerged a.txt
modified b.txt 100644 100644 +1 -1
note : a merge is in progress
note : files in conflict are not compared: satchel show PATH shows one with its markers

# submodules
write a.txt 1\n
write m/x 1\n
git -C m init -q --object-format=FORMAT
git -C m add x
git -C m commit -q -m m1
git -c advice.addEmbeddedRepo=false add .
git commit -q -m 1
git -C m commit -q -m m2 --allow-empty
diff worktree
modified m 160000 160000 +1 -1
law HEAD

git add m
diff staged
modified m 160000 160000 +1 -1
law --cached

git commit -q -m 2
diff HEAD^!
modified m 160000 160000 +1 -1
law HEAD~ HEAD

git rm -q --cached m
diff staged
deleted m 160000 -1
law --cached

# submodules with uncommitted changes; their untracked files are not compared
write a.txt 1\n
write m/x 1\n
git -C m init -q --object-format=FORMAT
write m/n/y 1\n
git -C m/n init -q --object-format=FORMAT
git -C m/n add y
git -C m/n commit -q -m n1
git -C m -c advice.addEmbeddedRepo=false add .
git -C m commit -q -m m1
git -c advice.addEmbeddedRepo=false add .
git commit -q -m 1
write m/new 1\n
diff worktree
write m/x 2\n
diff worktree
modified m 160000 160000 unread
note m: submodule with uncommitted changes
diff HEAD
modified m 160000 160000 unread
note m: submodule with uncommitted changes
diff staged
git -C m add x
diff unstaged
modified m 160000 160000 unread
note m: submodule with uncommitted changes
git -C m commit -q -m m2
diff worktree
modified m 160000 160000 +1 -1
law HEAD
write m/n/y 2\n
diff worktree
modified m 160000 160000 unread
note m: submodule at another commit, with uncommitted changes
git -C m/n checkout -q y
exec m/x
diff worktree
modified m 160000 160000 unread
note m: submodule at another commit, with uncommitted changes
git -C m checkout -q x
git -C m reset -q --hard HEAD~
rm m/x
diff worktree
modified m 160000 160000 unread
note m: submodule with uncommitted changes

# a submodule that is not checked out
write a.txt 1\n
git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,m
git add a.txt
git commit -q -m 1
git config submodule.m.ignore none
mkdir m
diff worktree
law HEAD

# line ends that git converts
write .gitattributes *.txt text\n*.auto text=auto\n*.raw -text\n*.eol eol=crlf\n
write a.txt 1\n2\n
write b.auto 1\n2\n
write c.raw 1\n2\n
write d.eol 1\n2\n
write e.auto 1\n2\n
commit 1
write a.txt 1\r\n2\r\n
write b.auto 1\r\n2\r\n
write c.raw 1\r\n2\r\n
write d.eol 1\r\n2\r\n
write e.auto 1\r\n3\r\n
write f.auto \x00\r\n
diff worktree
modified c.raw 100644 100644 +2 -2
modified e.auto 100644 100644 +1 -1
added f.auto 100644 binary untracked
law HEAD

# core.autocrlf, and a file that has CR LF in the index
write a.txt 1\n2\n
write b.txt 1\r\n2\r\n
commit 1
git config core.autocrlf true
write a.txt 1\r\n2\r\n
write b.txt 1\r\n2\r\n3\r\n
write c.txt 1\r\n
diff worktree
modified b.txt 100644 100644 +1
added c.txt 100644 +1 untracked
law HEAD

# $Id$, and UTF-16
write .gitattributes a.txt ident\nb.txt working-tree-encoding=UTF-16LE\nc.txt working-tree-encoding=SHIFT-JIS\n
write a.txt $Id$\n
write b.txt h\x00i\x00\n\x00
commit 1
write a.txt $Id: 1234$\n2\n
write b.txt h\x00o\x00\n\x00
diff worktree
modified a.txt 100644 100644 +1
modified b.txt 100644 100644 +1 -1
law HEAD

write c.txt x\n
diff untracked
added c.txt 100644 +1 untracked
note : unknown encoding SHIFT-JIS: 1 files are compared without conversion

# a filter is not run
write .gitattributes *.txt filter=up\n
write a.txt a\n
commit 1
git config filter.up.clean rev
write a.txt b\n
diff worktree
modified a.txt 100644 100644 +1 -1
note : filter up was not run: 1 files are compared unfiltered

# Git LFS
write .gitattributes *.bin filter=lfs -text\n
write a.bin version https://git-lfs.github.com/spec/v1\noid sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\nsize 6\n
write b.bin version https://git-lfs.github.com/spec/v1\noid sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03\nsize 6\n
commit 1
write a.bin hello\n
write b.bin hello\nworld\n
diff worktree
modified b.bin 100644 100644 +2 -2
note : Git LFS: for 2 files, only the pointers are compared

# a pipe where a file was
write a.txt 1\n
write b.txt 1\n
commit 1
rm a.txt
fifo a.txt
fifo new
write b.txt 2\n
diff worktree
modified a.txt 100644 100644 unread
modified b.txt 100644 100644 +1 -1
note a.txt: not a regular file

# a sparse checkout
write a/x 1\n
write b/y 1\n
commit 1
git sparse-checkout set --cone a
write a/x 2\n
diff worktree
modified a/x 100644 100644 +1 -1
law HEAD

# settings that would change what git prints
write .gitattributes *.go diff=golang\n*.x diff=evil\n
lines a.go 40
lines b.x 20
commit 1
lines a.go 42
lines b.x 21
git config diff.noprefix true
git config diff.mnemonicPrefix true
git config diff.context 0
git config diff.interHunkContext 5
git config diff.algorithm patience
git config diff.renames false
git config diff.suppressBlankEmpty true
git config diff.orderFile .gitattributes
git config diff.submodule log
git config diff.ignoreSubmodules all
git config diff.relative true
git config diff.colorMoved zebra
git config diff.wsErrorHighlight all
git config diff.evil.binary true
git config diff.evil.xfuncname (
git config color.ui always
git config core.quotePath true
git config core.abbrev 4
git config core.whitespace trailing-space
git config diff.indentHeuristic false
diff worktree
modified a.go 100644 100644 +2
modified b.x 100644 100644 +1
`

func TestDiff(t *testing.T) {
	t.Parallel()
	cases := strings.Split(diffCases, "\n# ")[1:]
	if len(cases) < 30 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, format := range []Format{SHA1, SHA256} {
		for _, text := range cases {
			name, script, _ := strings.Cut(text, "\n")
			if format == SHA256 && (strings.Contains(script, "1111111111") || testing.Short()) {
				continue // an ID of the other length, or the same case again
			}
			t.Run(string(format)+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				s.init("r", "--object-format="+string(format))
				(&diffScript{s: s, dir: "r"}).run(strings.ReplaceAll(script, "FORMAT", string(format)))
			})
		}
	}
}

type diffScript struct {
	s    *sandbox
	dir  string
	r    *Repo
	last *change.Set

	stale bool // git may have changed the configuration, which is read when r is opened
}

func (x *diffScript) run(script string) {
	t, s := x.s.t, x.s
	t.Helper()
	if !executableBits && strings.Contains(script, "100755") {
		t.Skip("files have no executable bits")
	}
	lines := strings.Split(script, "\n")
	for i := 0; i < len(lines); i++ {
		command, rest, _ := strings.Cut(lines[i], " ")
		path, text, _ := strings.Cut(rest, " ")
		path = x.dir + "/" + unescape(path)
		switch command {
		case "":
		case "write":
			if runtime.GOOS == "windows" && !validPath(path) {
				t.Skipf("Windows has no file %q", path)
			}
			s.write(path, unescape(text))
		case "lines":
			var b strings.Builder
			n := 0
			fmt.Sscan(text, &n)
			for l := range n {
				fmt.Fprintf(&b, "line %d of some text\n", l)
			}
			s.write(path, b.String())
		case "link":
			s.mkdir(filepath.Dir(path))
			fsxtest.Link(t, text, s.path(path))
		case "exec":
			must(t, os.Chmod(s.path(path), 0o755))
		case "rm":
			must(t, os.RemoveAll(s.path(path)))
		case "mkdir":
			s.mkdir(path)
		case "fifo":
			fsxtest.Fifo(t, s.path(path))
		case "commit":
			s.commit(x.dir, rest)
		case "git":
			x.stale = true
			if strings.HasPrefix(rest, "mv ") {
				s.mkdir(filepath.Dir(x.dir + "/" + rest[strings.LastIndex(rest, " ")+1:]))
			}
			s.git(x.dir, strings.Fields(rest)...)
		case "try":
			x.stale = true
			s.tryGit(x.dir, strings.Fields(rest)...)
		case "aged":
			s.age(x.dir)
		case "diff":
			var want []string
			for i+1 < len(lines) && lines[i+1] != "" && !isCommand(lines[i+1]) {
				i++
				want = append(want, lines[i])
			}
			x.last = x.diff(ParseDiffSpec(rest))
			if d := cmp.Diff(describe(x.last), want); d != "" {
				t.Errorf("diff %s (-got +want):\n%s\n%s", rest, d, patchOf(x.last))
			}
		case "law":
			x.law(strings.Fields(rest))
		default:
			t.Fatalf("unknown command %q", lines[i])
		}
	}
}

func isCommand(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"write", "law", "diff", "git", "rm", "commit", "lines"}, word)
}

func unescape(text string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		i++
		switch text[i] {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'x':
			var c byte
			fmt.Sscanf(text[i+1:i+3], "%x", &c)
			out = append(out, c)
			i += 2
		default:
			out = append(out, '\\', text[i])
		}
	}
	return string(out)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *diffScript) diff(spec DiffSpec) *change.Set {
	x.s.t.Helper()
	if x.r == nil || x.stale {
		x.r, x.stale = x.s.open(x.dir), false
	}
	set, err := x.r.Diff(x.s.t.Context(), spec)
	if err != nil {
		x.s.t.Fatal(err)
	}
	return set
}

// law checks the tracked files of the last set against git diff.
func (x *diffScript) law(args []string) {
	t := x.s.t
	t.Helper()
	tracked := *x.last
	tracked.Files = slices.DeleteFunc(slices.Clone(tracked.Files), func(f change.File) bool { return f.Untracked })
	want := x.s.git(x.dir, append([]string{"diff", "--numstat", "-z", "-M", "-C"}, args...)...)
	if d := cmp.Diff(numstatOf(&tracked), want); d != "" {
		t.Errorf("git diff --numstat %q counts otherwise (-got +want):\n%s", args, d)
	}
	text := x.s.git(x.dir, append([]string{"-c", "core.quotePath=off", "diff", "--full-index", "-M", "-C"}, args...)...)
	if got := strings.TrimSuffix(string(patchOf(&tracked)), "\n"); got != text {
		t.Errorf("git diff %q prints otherwise: %s", args, firstDifference([]byte(got), []byte(text)))
	}
	parsed, err := ParsePatch(bytes.NewReader(patchOf(x.last)), Keep{})
	must(t, err)
	if d := cmp.Diff(patchOf(parsed), patchOf(x.last)); d != "" {
		t.Errorf("read and written again (-got +want):\n%s", d)
	}
}

// describe writes a set with one line for each file and note.
func describe(set *change.Set) (lines []string) {
	name := func(p string) string {
		if q := fmt.Sprintf("%q", p); q != `"`+p+`"` || strings.ContainsAny(p, " ü") {
			return q
		}
		return p
	}
	for _, f := range set.Files {
		line := string(f.Status) + " " + name(f.Path)
		if f.OldPath != "" {
			line += fmt.Sprintf(" from %s %d%%", name(f.OldPath), f.Similarity)
		}
		if f.Status != change.Unmerged {
			for _, m := range []uint32{f.OldMode, f.NewMode} {
				if m != 0 {
					line += " " + modeName(Mode(m))
				}
			}
		}
		if f.Binary {
			line += " binary"
		}
		if f.Added > 0 {
			line += fmt.Sprintf(" +%d", f.Added)
		}
		if f.Removed > 0 {
			line += fmt.Sprintf(" -%d", f.Removed)
		}
		if f.Untracked {
			line += " untracked"
		}
		if f.Unread != "" && f.Status != change.Unmerged {
			line += " unread"
			for _, h := range f.Hunks {
				line += " " + strings.ReplaceAll(h.Body, "\n", "|")
			}
		}
		if f.Elided > 0 {
			line += fmt.Sprintf(" elided %d", f.Elided)
		}
		lines = append(lines, line)
	}
	for _, n := range set.Diagnostics {
		lines = append(lines, "note "+n.Path+": "+n.Text)
	}
	return lines
}

// tryGit runs git, which may fail.
func (s *sandbox) tryGit(dir string, args ...string) {
	cmd := s.command(dir, args...)
	_ = cmd.Run()
}
