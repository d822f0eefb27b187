package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A trap is a repository whose configuration runs a program that leaves a trace.
type trap struct {
	name string
	set  func(s *sandbox, script string) // arms the trap in the repository r
	dir  string                          // folder to open; r if empty

	// fires is a plain git command that springs the trap, which shows that the
	// trap works; empty if no common one does so without a terminal.
	fires []string
}

func config(pairs ...string) func(s *sandbox, script string) {
	return func(s *sandbox, script string) {
		s.t.Helper()
		for i := 0; i < len(pairs); i += 2 {
			s.git("r", "config", pairs[i], strings.ReplaceAll(pairs[i+1], "SCRIPT", script))
		}
	}
}

var traps = []trap{
	{name: "core.fsmonitor", set: config("core.fsmonitor", "SCRIPT"), fires: []string{"status"}},
	{name: "core.fsmonitor and a recorded token", fires: []string{"ls-files", "-s"}, set: func(s *sandbox, script string) {
		s.git("r", "update-index", "--fsmonitor")
		config("core.fsmonitor", script)(s, script)
	}},
	{name: "include.path", fires: []string{"status"}, set: func(s *sandbox, script string) {
		s.write("r/evil.inc", "[core]\n\tfsmonitor = "+script+"\n")
		config("include.path", "../evil.inc")(s, script)
	}},
	{name: "includeIf", fires: []string{"status"}, set: func(s *sandbox, script string) {
		s.write("r/evil.inc", "[core]\n\tfsmonitor = "+script+"\n")
		config("includeIf.gitdir:**/.git.path", "../evil.inc")(s, script)
	}},
	{name: "config.worktree", fires: []string{"status"}, set: func(s *sandbox, script string) {
		config("extensions.worktreeConfig", "true")(s, script)
		s.git("r", "config", "--worktree", "core.fsmonitor", script)
	}},
	{name: "diff.external", set: config("diff.external", "SCRIPT"), fires: []string{"diff"}},
	{name: "diff driver textconv", set: config("diff.evil.textconv", "SCRIPT"), fires: []string{"diff"}},
	{name: "diff driver command", set: config("diff.evil.command", "SCRIPT"), fires: []string{"diff"}},
	{name: "filter clean", set: config("filter.evil.clean", "SCRIPT"), fires: []string{"status"}},
	{name: "filter smudge", set: config("filter.evil.smudge", "SCRIPT", "filter.evil.required", "true")},
	{name: "filter process", set: config("filter.evil.process", "SCRIPT"), fires: []string{"status"}},
	{name: "core.pager", set: config("core.pager", "SCRIPT", "pager.log", "SCRIPT", "pager.ls-files", "SCRIPT", "pager.ls-tree", "true", "pager.config", "SCRIPT")},
	{name: "core.hooksPath", fires: []string{"read-tree", "HEAD"}, set: func(s *sandbox, script string) {
		for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "query-watchman"} {
			s.copyScript(script, "r/h/"+hook)
		}
		config("core.hooksPath", s.path("r/h"))(s, script)
	}},
	{name: "hooks", fires: []string{"read-tree", "HEAD"}, set: func(s *sandbox, script string) {
		for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"} {
			s.copyScript(script, "r/.git/hooks/"+hook)
		}
	}},
	{name: "core.sshCommand", set: config("core.sshCommand", "SCRIPT", "remote.origin.url", "ssh://x/y"), fires: []string{"fetch"}},
	{name: "core.gitProxy", set: config("core.gitProxy", "SCRIPT", "remote.origin.url", "git://127.0.0.1/y"), fires: []string{"fetch"}},
	{name: "credential.helper", set: config("credential.helper", "!SCRIPT", "core.askPass", "SCRIPT", "core.editor", "SCRIPT", "sequence.editor", "SCRIPT")},
	{name: "gpg.program", fires: []string{"log", "-1"}, set: func(s *sandbox, script string) {
		commit := s.git("r", "cat-file", "commit", "HEAD")
		signed := strings.Replace(commit, "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1) + "\n"
		s.git("r", "update-ref", "HEAD", s.gitIn("r", signed, "hash-object", "-t", "commit", "-w", "--stdin"))
		config("gpg.program", "SCRIPT", "gpg.openpgp.program", "SCRIPT", "gpg.ssh.program", "SCRIPT", "log.showSignature", "true")(s, script)
	}},
	{name: "aliases", set: config("alias.ls-files", "!SCRIPT", "alias.ls-tree", "!SCRIPT", "alias.log", "!SCRIPT", "alias.cat-file", "!SCRIPT",
		"alias.rev-parse", "!SCRIPT", "alias.rev-list", "!SCRIPT", "alias.check-attr", "!SCRIPT", "alias.config", "!SCRIPT", "alias.st", "!SCRIPT"),
		fires: []string{"st"}},
	{name: "core.alternateRefsCommand", set: config("core.alternateRefsCommand", "SCRIPT")},
	{name: "uploadpack hooks", set: config("uploadpack.packObjectsHook", "SCRIPT", "receive.procReceiveRefs", "x", "gc.auto", "1", "maintenance.auto", "true")},
	{name: "trace2 to a program", set: config("trace2.eventTarget", "SCRIPT", "trace2.normalTarget", "SCRIPT")},
	{name: "promisor over ext::", fires: []string{"cat-file", "-p", "HEAD:gone.txt"}, set: func(s *sandbox, script string) {
		config("extensions.partialClone", "origin", "core.repositoryformatversion", "1", "remote.origin.promisor", "true",
			"remote.origin.url", "ext::SCRIPT %S", "protocol.ext.allow", "always", "protocol.allow", "always")(s, script)
		s.lose("r", "HEAD:gone.txt")
	}},
	{name: "promisor with uploadpack", fires: []string{"cat-file", "-p", "HEAD:gone.txt"}, set: func(s *sandbox, script string) {
		s.mkdir("elsewhere")
		s.git("elsewhere", "init", "-q", "--bare")
		config("extensions.partialClone", "origin", "core.repositoryformatversion", "1", "remote.origin.promisor", "true",
			"remote.origin.url", s.path("elsewhere"), "remote.origin.uploadpack", "SCRIPT", "protocol.file.allow", "always")(s, script)
		s.lose("r", "HEAD:gone.txt")
	}},
	{name: "promisor with a remote helper", fires: []string{"cat-file", "-p", "HEAD:gone.txt"}, set: func(s *sandbox, script string) {
		config("extensions.partialClone", "origin", "core.repositoryformatversion", "1", "remote.origin.promisor", "true",
			"remote.origin.url", "ext::SCRIPT", "remote.origin.vcs", "ext", "protocol.ext.allow", "always")(s, script)
		s.lose("r", "HEAD:gone.txt")
	}},
	{name: "submodule update command", set: func(s *sandbox, script string) {
		s.write("r/.gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ../m\n\tupdate = !"+script+"\n")
		config("submodule.m.update", "!SCRIPT", "submodule.m.url", "ext::SCRIPT", "submodule.recurse", "true", "diff.submodule", "diff", "status.submoduleSummary", "true")(s, script)
	}},
	{name: "nested repository", fires: []string{"-C", "nested", "status"}, set: func(s *sandbox, script string) {
		s.init("r/nested")
		s.write("r/nested/x.txt", "x\n")
		s.git("r/nested", "config", "core.fsmonitor", script)
	}},
	{name: "submodule", fires: []string{"-C", "sub", "status"}, set: func(s *sandbox, script string) {
		s.init("r/sub")
		s.write("r/sub/x.txt", "x\n")
		s.commit("r/sub", "sub")
		s.git("r", "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		s.git("r", "commit", "-q", "-m", "submodule")
		s.git("r/sub", "config", "core.fsmonitor", script)
	}},
	{name: "filter of a submodule", fires: []string{"-C", "sub", "status"}, set: func(s *sandbox, script string) {
		s.init("r/sub")
		s.write("r/sub/x.txt", "x\n")
		s.write("r/sub/.gitattributes", "* filter=x\n")
		s.commit("r/sub", "sub")
		s.git("r", "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		s.git("r", "commit", "-q", "-m", "submodule")
		s.git("r/sub", "config", "filter.x.clean", script)
		s.git("r/sub", "config", "filter.x.process", script)
		s.write("r/sub/x.txt", "y\n")
	}},
	{name: "embedded bare repository", dir: "r/sub", fires: []string{"-C", "sub", "status"}, set: func(s *sandbox, script string) {
		s.mkdir("r/sub")
		s.git("r/sub", "init", "-q", "--bare", ".")
		s.git("r/sub", "config", "core.fsmonitor", script)
		s.git("r/sub", "config", "core.bare", "false")
		s.git("r/sub", "config", "core.worktree", ".")
	}},
	{name: "git program in the work tree", set: func(s *sandbox, script string) { s.copyScript(script, "r/git") }},
}

// newTrap makes the repository r with a file of each kind the traps wait for, and
// returns the sandbox, the script and the file that the script writes.
func newTrap(t *testing.T, tr trap) (s *sandbox, canary string) {
	t.Helper()
	s = newSandbox(t)
	canary = s.path("canary")
	s.write("script.sh", "#!/bin/sh\necho \"$0 $*\" >>'"+canary+"'\nexit 0\n")
	script := s.path("script.sh")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	s.init("r")
	s.write("r/.gitattributes", "*.txt diff=evil filter=evil text=auto\n*.go linguist-generated\n")
	s.write("r/a.txt", "one\n")
	s.write("r/b.go", "b\n")
	s.write("r/gone.txt", "gone\n")
	s.commit("r", "first")
	s.write("r/c/d.txt", "d\n")
	s.commit("r", "second")
	s.write("r/a.txt", "two\n")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(s.path("r/a.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	tr.set(s, script)
	return s, canary
}

// lose removes a loose object.
func (s *sandbox) lose(dir, name string) {
	s.t.Helper()
	s.loseID(dir, s.git(dir, "rev-parse", name))
}

func (s *sandbox) loseID(dir, id string) {
	s.t.Helper()
	if err := os.Remove(s.path(filepath.Join(dir, ".git/objects", id[:2], id[2:]))); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) copyScript(script, name string) {
	s.t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(name, string(text))
	if err := os.Chmod(s.path(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// optionNames are revisions, ids and paths that try to be something else.
var optionNames = []string{"--output=OUT", "-OOUT", "--upload-pack=OUT", "-c", "--help", "-", "--", "--end-of-options", "HEAD\n--output=OUT",
	"HEAD\x00", "HEAD --output=OUT", "\x1b]0;x\x07", "@{upstream}", "HEAD:a.txt", "HEAD..main", "^HEAD", ":/first", "main --", "", "refs/../../x"}

// exercise calls every method with everything in the repository and with the
// given names as revisions, ids, paths and attributes. It does not look at the
// results. It returns the repository, closed, or nil if it did not open.
func exercise(ctx context.Context, t *testing.T, o *Options, dir string, names ...string) *Repo {
	t.Helper()
	r, err := o.Open(ctx, dir)
	if err != nil {
		return nil
	}
	defer r.Close()
	r.Head(ctx)
	attrs := []string{"diff", "filter", "linguist-generated"}
	objects := r.Objects(ctx)
	defer objects.Close()
	var ids []string
	nop := func(Commit) error { return nil }
	for _, name := range names {
		r.Resolve(ctx, name)
		if tree, err := r.Tree(ctx, name); err == nil {
			for _, f := range tree {
				ids = append(ids, f.OID)
			}
		}
		if revs, err := r.RevList(ctx, name, 10); err == nil {
			r.Log(ctx, revs, nop)
		}
		r.Log(ctx, []string{name}, nop)
		r.LogFrom(ctx, name, 10, nop)
		r.ReadFile(name, 1000)
		objects.Read(name, 1000)
		objects.Size(name)
		r.attributes(ctx, []string{name, "a.txt"}, attrs...)
		r.attributes(ctx, []string{"a.txt"}, name)
		for _, spec := range []DiffSpec{{Rev: name}, {Rev: "HEAD..." + name}, {From: "HEAD", To: name}, {Commit: name}, {Commit: "stash@{" + name + "}"}} {
			r.Diff(ctx, spec)
		}
	}
	for _, spec := range everyDiff {
		r.Diff(ctx, spec)
	}
	var paths []string
	if files, _, err := r.WorkTree(ctx); err == nil {
		for _, f := range files {
			r.ReadFile(f.Path, 1<<20)
			paths = append(paths, f.Path)
			if f.OID != "" {
				ids = append(ids, f.OID)
			}
		}
	}
	r.attributes(ctx, paths, attrs...)
	objects.ReadAll(append(ids, names...), func(int, []byte, error) {})
	objects.Sizes(append(ids, names...), func(int, int64, error) {})
	for _, id := range ids {
		objects.Read(id, 1<<20)
		objects.Size(id)
	}
	return r
}

func TestHostileRepositoryRunsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	t.Parallel()
	for _, tr := range traps {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			s, canary := newTrap(t, tr)
			dir := "r"
			if tr.dir != "" {
				dir = tr.dir
			}
			o := s.options()
			// What the agent's environment says about git is not passed on either.
			o.Env = append(o.Env, "PATH="+s.path("r")+":"+os.Getenv("PATH"), "GIT_EXTERNAL_DIFF="+s.path("script.sh"),
				"GIT_PAGER="+s.path("script.sh"), "GIT_SSH="+s.path("script.sh"), "GIT_TRACE="+canary, "GIT_TRACE2_EVENT="+canary,
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+s.path("script.sh"),
				"GIT_CONFIG_PARAMETERS='core.fsmonitor="+s.path("script.sh")+"'", "GIT_DIR="+s.path("nowhere"), "GIT_EXEC_PATH="+s.path("r"))
			trace := s.path("trace")
			o.extraEnv = []string{"GIT_TRACE2_EVENT=" + trace}
			defer func() {
				text, err := os.ReadFile(trace)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(string(text)) {
					if strings.Contains(line, `"event":"child_start"`) || strings.Contains(line, `"event":"exec"`) {
						t.Errorf("git started a process: %s", line)
					}
				}
			}()
			opened := exercise(t.Context(), t, o, s.path(dir), "HEAD", "main")
			if dir == "r" && opened == nil {
				t.Errorf("the repository did not open: the test says nothing")
			}
			if dir != "r" {
				opened = exercise(t.Context(), t, o, s.path("r/c"), "main")
			}
			if below, err := o.Open(t.Context(), s.path("r/c")); err != nil || opened == nil || !sameCalls(below, opened) {
				t.Errorf("opened from below: %+v, %v; want %+v", below, err, opened)
			} else {
				below.Close()
			}
			if text, err := os.ReadFile(canary); err == nil {
				t.Errorf("the repository ran a program:\n%s", text)
			}
			if tr.fires == nil {
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager"}, tr.fires...)...)
			cmd.WaitDelay = time.Second
			cmd.Dir, cmd.Env = s.path("r"), s.env()
			cmd.Run()
			if _, err := os.Stat(canary); errors.Is(err, os.ErrNotExist) {
				t.Errorf("git %v did not spring the trap either: the test says nothing", tr.fires)
			}
		})
	}
}

// sameCalls reports whether two repositories start git in the same way and read the same
// folders.
func sameCalls(a, b *Repo) bool {
	return reflect.DeepEqual(a.run, b.run) && a.top == b.top && a.gitDir == b.gitDir && a.common == b.common &&
		a.format == b.format && a.shallow == b.shallow && a.partial == b.partial && a.written == b.written && a.excludes == b.excludes
}

func TestNamesAreNeverOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "a\n")
	s.commit("r", "first")
	names := optionNames
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], "OUT", s.path("out"))
	}
	if exercise(t.Context(), t, s.options(), s.path("r"), names...) == nil {
		t.Fatal("the repository did not open")
	}
	if _, err := os.Stat(s.path("out")); err == nil {
		t.Error("a name was taken for an option: git wrote a file")
	}
	r := s.open("r")
	var unknown *UnknownRevisionError
	for _, name := range names {
		if name == ":/first" { // a revision like any other
			continue
		}
		if commit, _, err := r.Resolve(t.Context(), name); !errors.As(err, &unknown) {
			t.Errorf("Resolve(%q) = %q, %v, want an UnknownRevisionError", name, commit, err)
		} else if strings.ContainsAny(err.Error(), "\x1b\x07\n\x00") {
			t.Errorf("Resolve(%q): error %q holds control characters", name, err)
		}
	}
}

func TestEmbeddedBareRepository(t *testing.T) {
	s := newSandbox(t)
	s.init("r")
	s.write("r/a.txt", "a\n")
	s.commit("r", "a")
	s.mkdir("r/sub")
	s.git("r/sub", "init", "-q", "--bare", ".")
	for _, dir := range []string{"r/sub", "r/sub/objects", "r/.git", "r/.git/objects"} {
		r, err := s.options().Open(t.Context(), s.path(dir))
		if err == nil {
			t.Errorf("Open(%s) opened %q, %q", dir, r.Dir(), r.gitDir)
		}
		if strings.HasPrefix(dir, "r/sub") && !errors.Is(err, errEmbeddedBare) {
			t.Errorf("Open(%s): %v, want ErrEmbeddedBare", dir, err)
		}
	}
	// Seen from outside it is a folder of untracked files.
	files, _, err := s.open("r").WorkTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(summary(files), "\n"); !strings.Contains(got, "sub/HEAD 100644 untracked") {
		t.Errorf("WorkTree = %s, want the files of sub", got)
	}
}

func TestWorkTreeElsewhere(t *testing.T) {
	s := newSandbox(t)
	s.write("home/secret.txt", "secret\n")
	s.init("home/r")
	for _, worktree := range []string{"../..", s.home, "/"} {
		s.git("home/r", "config", "core.worktree", worktree)
		r, err := s.options().Open(t.Context(), s.path("home/r/.git/.."))
		if !errors.Is(err, errWorkTreeElsewhere) {
			if err == nil {
				t.Errorf("core.worktree=%s opened %q", worktree, r.Dir())
			} else {
				t.Errorf("core.worktree=%s: %v, want ErrWorkTreeElsewhere", worktree, err)
			}
		}
		s.git("home/r", "config", "--unset", "core.worktree")
	}
}
