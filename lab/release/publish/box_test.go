//go:build npm

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// tools is the folder with the clients and the registry, in the versions that testdata
// names.
var tools string

// limit is how long one command may take.
const limit = 3 * time.Minute

// installTools installs them once for each state of that list.
func installTools() error {
	list, err := os.ReadFile("testdata/tools/package.json")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(list)
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	tools = filepath.Join(cache, "satchel-npm-tools", hex.EncodeToString(sum[:8]))
	done := filepath.Join(tools, "installed")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tools, "package.json"), list, 0o644); err != nil {
		return err
	}
	cmd := exec.Command("npm", "install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund")
	cmd.Dir = tools
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return os.WriteFile(done, nil, 0o644)
}

// tool is the path of a file that installTools installed.
func tool(name string) string {
	return filepath.Join(tools, "node_modules", filepath.FromSlash(name))
}

// A box is a home that knows no registry but the one of these tests.
type box struct {
	t    *testing.T
	home string
	path []string // before PATH
	vars []string
}

func newBox(t *testing.T, registry string) *box {
	b := &box{t: t, home: filepath.Join(t.TempDir(), "a home")}
	if err := os.MkdirAll(b.home, 0o755); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(registry, "http:")
	b.write(".npmrc", "registry="+registry+"\n"+host+":_authToken=nobody\nupdate-notifier=false\nfund=false\naudit=false\n")
	b.vars = []string{"HOME=" + b.home, "USERPROFILE=" + b.home, "NPM_CONFIG_REGISTRY=" + registry, "NPM_CONFIG_USERCONFIG=" + filepath.Join(b.home, ".npmrc"), "NPM_CONFIG_GLOBALCONFIG=" + filepath.Join(b.home, "none"),
		"NPM_CONFIG_CACHE=" + filepath.Join(b.home, ".npm"), "XDG_CACHE_HOME=" + filepath.Join(b.home, ".cache"), "XDG_CONFIG_HOME=" + filepath.Join(b.home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(b.home, ".local/share"), "XDG_STATE_HOME=" + filepath.Join(b.home, ".local/state"), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "CI=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"YARN_NPM_REGISTRY_SERVER=" + registry, "YARN_UNSAFE_HTTP_WHITELIST=127.0.0.1", "YARN_ENABLE_TELEMETRY=0", "YARN_ENABLE_GLOBAL_CACHE=0", "YARN_ENABLE_IMMUTABLE_INSTALLS=0", "YARN_NPM_MINIMAL_AGE_GATE=0"}
	return b
}

// write writes a file below the home.
func (b *box) write(name, text string) {
	b.t.Helper()
	name = filepath.Join(b.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

// dir makes a folder below the home and returns its path.
func (b *box) dir(name string) string {
	b.t.Helper()
	name = filepath.Join(b.home, name)
	if err := os.MkdirAll(name, 0o755); err != nil {
		b.t.Fatal(err)
	}
	return name
}

// command prepares a command in a folder, with nothing of npm's settings outside.
func (b *box) command(dir string, argv ...string) *exec.Cmd {
	b.t.Helper()
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToLower(v), "=")
		return strings.HasPrefix(name, "npm_") || strings.HasPrefix(name, "yarn_") || strings.HasPrefix(name, "pnpm_") || strings.HasPrefix(name, "git_")
	})
	path := strings.Join(append(slices.Clone(b.path), os.Getenv("PATH")), string(os.PathListSeparator))
	ctx, cancel := context.WithTimeout(b.t.Context(), limit)
	b.t.Cleanup(cancel)
	program := argv[0]
	if !strings.ContainsRune(program, filepath.Separator) {
		for _, d := range filepath.SplitList(path) {
			if found, err := exec.LookPath(filepath.Join(d, program)); err == nil {
				program = found
				break
			}
		}
	}
	cmd := exec.CommandContext(ctx, program, argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(env, b.vars...), "PATH="+path)
	cmd.WaitDelay = 10 * time.Second // a child that outlives it may hold its streams
	return cmd
}

// A result is how a command ended.
type result struct {
	out, err string
	code     int
}

func (b *box) run(dir, stdin string, argv ...string) result {
	b.t.Helper()
	cmd := b.command(dir, argv...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatalf("%q: %v", argv, err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// must runs a command that has to succeed.
func (b *box) must(dir string, argv ...string) string {
	b.t.Helper()
	r := b.run(dir, "", argv...)
	if r.code != 0 {
		b.t.Fatalf("%q ended with %d\n%s%s", argv, r.code, r.out, r.err)
	}
	return r.out
}

// startRegistry starts verdaccio with no other registry behind it and returns its
// address.
func startRegistry(dir string) (registry string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := l.Addr().String()
	_ = l.Close()
	config := filepath.Join(dir, "verdaccio.yaml")
	err = os.WriteFile(config, []byte(`storage: ./storage
max_body_size: 200mb
uplinks: {}
packages:
  '**':
    access: $all
    publish: $all
web: {enable: false}
log: {type: file, path: verdaccio.log, level: info}
`), 0o644)
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command("node", tool("verdaccio/bin/verdaccio"), "--config", config, "--listen", address)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() { _ = cmd.Process.Kill(); <-ended }
	registry = "http://" + address + "/"
	for until := time.Now().Add(time.Minute); time.Now().Before(until); {
		if r, err := http.Get(registry + "-/ping"); err == nil {
			_ = r.Body.Close()
			return registry, stop, nil
		}
		select {
		case <-ended:
			return "", nil, fmt.Errorf("verdaccio ended: %s", said.String())
		case <-time.After(100 * time.Millisecond):
		}
	}
	stop()
	return "", nil, fmt.Errorf("verdaccio does not answer: %s", said.String())
}

// build builds a Go program as a release does.
func build(dir, out string, p platform) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.goos, "GOARCH="+p.goarch)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build for %s: %w\n%s", p, err, text)
	}
	return nil
}

// here is the platform that the tests run on.
func here() platform {
	at := slices.IndexFunc(platforms, func(p platform) bool { return p.goos == runtime.GOOS && p.goarch == runtime.GOARCH })
	return platforms[at]
}
