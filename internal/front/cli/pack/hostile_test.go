package pack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

// This file runs every command in repositories that mean harm: whose
// configuration runs programs, whose names and texts try to control a terminal,
// whose files hold secrets. The packages below have such tests of their own;
// these see what a user would.

// commands returns every command in every format, of the work tree and of HEAD.
func commands(query string, files ...string) [][]string {
	list := [][]string{
		{"index", "--status"}, {"index"}, {"index", "--json"}, {"index", "--status", "--json"},
		{"config"}, {"config", "--explain"}, {"config", "--json"}, {"config", "--explain", "--set", "color=never"},
	}
	for _, rev := range [][]string{nil, {"--rev", "HEAD"}} {
		add := func(args ...string) { list = append(list, append(args, rev...)) }
		for _, format := range []string{"md", "xml", "json", "plain"} {
			add("pack", query, "--format", format)
			add("pack", "--budget", "0", "--format", format)
			add("pack", "--detail", "outline", "--format", format)
		}
		add("pack", query, "--detail", "outline")
		add("pack", query, "--budget", "700")
		add("pack", query, "--budget", "auto", "--model", "gpt-5")
		add("pack", query, "--set", "no-cache")
		add("search", query)
		add("search", query, "--explain")
		add("search", query, "--json", "--explain")
		add("search", "--symbols", query, "--limit", "50")
		add("search", "--symbols", query, "--json", "--limit", "50")
		for _, f := range files {
			add("show", f)
			add("show", f, "--json")
			add("pack", "--pin", f, query)
		}
	}
	for _, f := range files {
		list = append(list, []string{"tokens", f}, []string{"tokens", f, "--json"}, []string{"tokens", f, "--model", "claude-sonnet-4-5"})
	}
	return list
}

// TestHostileConfiguration arms everything that makes git run a program, and
// runs every command.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	h := suite.NewRepo(t)
	canary := filepath.Join(filepath.Dir(h.Dir), "canary")
	h.Write("../script.sh", "#!/bin/sh\necho \"$0 $*\" >>'"+canary+"'\nexit 0\n")
	script := filepath.Join(filepath.Dir(h.Dir), "script.sh")
	h.Write(".gitattributes", "*.txt diff=evil filter=evil\n*.go diff=other filter=other\n")
	h.Write("a.txt", "one timeout\n")
	h.Write("b.go", "package b\n\n// Timeout waits.\nfunc Timeout() {}\n")
	h.Write("gone.txt", "gone timeout\n")
	h.Commit("first timeout")
	h.Write("c.txt", "another\n")
	h.Commit("second timeout")
	gone := h.Git("rev-parse", "HEAD:gone.txt")
	h.Write("a.txt", "two timeout\n")
	h.Write("new.txt", "new timeout\n")

	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-commit"} {
		for _, name := range []string{".git/hooks/" + hook, "hooks/" + hook} {
			h.Write(name, "#!/bin/sh\necho hook "+hook+" >>'"+canary+"'\n")
		}
	}
	h.Write("git", "#!/bin/sh\necho git in the work tree >>'"+canary+"'\n")
	h.Write("evil.inc", "[core]\n\tfsmonitor = "+script+"\n")
	h.Write("Makefile", "all:\n\t"+script+"\n")
	h.Write("package.json", `{"scripts":{"preinstall":"`+script+`","test":"`+script+`"}}`)
	h.Write(".satchel.toml", "pager = \""+script+"\"\ncache-dir = \""+canary+"\"\nendpoint = \"http://localhost:1\"\n")
	if err := filepath.WalkDir(filepath.Dir(h.Dir), func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(p, "/objects/") {
			return os.Chmod(p, 0o755)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{
		{"core.fsmonitor", script}, {"core.hooksPath", "hooks"}, {"include.path", "../evil.inc"},
		{"diff.external", script}, {"diff.evil.textconv", script}, {"diff.evil.command", script}, {"diff.other.textconv", script},
		{"filter.evil.clean", script}, {"filter.evil.smudge", script}, {"filter.evil.required", "true"}, {"filter.other.process", script},
		{"core.pager", script}, {"pager.log", script}, {"pager.ls-files", script}, {"pager.status", script},
		{"core.sshCommand", script}, {"core.gitProxy", script}, {"core.editor", script}, {"core.askPass", script}, {"credential.helper", "!" + script},
		{"gpg.program", script}, {"log.showSignature", "true"},
		{"alias.ls-files", "!" + script}, {"alias.log", "!" + script}, {"alias.cat-file", "!" + script},
		{"core.alternateRefsCommand", script}, {"uploadpack.packObjectsHook", script}, {"trace2.eventTarget", canary},
		{"extensions.partialClone", "origin"}, {"core.repositoryformatversion", "1"}, {"remote.origin.promisor", "true"},
		{"remote.origin.url", "ext::" + script + " %S"}, {"remote.origin.uploadpack", script}, {"protocol.ext.allow", "always"}, {"protocol.allow", "always"},
		{"submodule.recurse", "true"}, {"submodule.m.update", "!" + script},
	} {
		h.Git("config", kv[0], kv[1])
	}
	if err := os.Remove(filepath.Join(h.Dir, ".git/objects", gone[:2], gone[2:])); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(h.Dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	os.Remove(canary) // git config may have sprung some of it

	plain := slices.Clone(h.Environ)
	h.Environ = append(h.Environ, "PATH="+h.Dir+":.:"+os.Getenv("PATH"),
		"GIT_EXTERNAL_DIFF="+script, "GIT_PAGER="+script, "GIT_SSH="+script, "GIT_ASKPASS="+script,
		"GIT_TRACE="+canary, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+script,
		"PAGER="+script)
	check := func(args ...string) {
		t.Helper()
		if text, err := os.ReadFile(canary); err == nil {
			t.Errorf("satchel %q ran a program:\n%s", args, text)
			os.Remove(canary)
		}
	}
	packed := false
	for _, args := range commands("timeout", "a.txt", "b.go", "gone.txt", "c.txt") {
		code, stdout, stderr := h.Run(args...)
		check(args...)
		packed = packed || code == 0 && args[0] == "pack" && strings.Contains(stdout, "func Timeout")
		if code == base.ExitFailed && !slices.ContainsFunc(args, func(a string) bool { return a == "gone.txt" || a == "c.txt" }) {
			t.Errorf("satchel %q: exit code %d: %s", args, code, stderr)
		}
	}
	if !packed {
		t.Error("nothing was packed: the test says nothing")
	}
	for _, rev := range []string{"--output=" + canary, "-O" + script, "--upload-pack=" + script, "ext::" + script, "HEAD:a.txt", "^HEAD", "-c"} {
		for _, args := range [][]string{{"pack", "x", "--rev=" + rev}, {"search", "x", "--rev=" + rev}, {"show", "a.txt", "--rev=" + rev}, {"show", "--", rev}} {
			if code, _, _ := h.Run(args...); code != base.ExitFailed {
				t.Errorf("satchel %q: exit code %d, want %d", args, code, base.ExitFailed)
			}
			check(args...)
		}
	}

	// The trap is a trap.
	for _, args := range [][]string{{"git", "status"}, {"git", "cat-file", "-p", gone}} {
		os.Remove(canary)
		ctx, cancel := context.WithTimeout(t.Context(), clitest.Patient) // it may wait for an answer of the script
		defer cancel()
		cmd := exec.CommandContext(ctx, "/usr/bin/env", args...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = h.Dir, plain, time.Second
		_ = cmd.Run()
		if _, err := os.Stat(canary); err != nil {
			t.Errorf("%q did not spring the trap either: the test says nothing", args)
		}
	}
}

// The characters that must not reach an output. They are written as escapes, so
// that this file shows what it is.
var controls = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://example.org\x1b\\link", "\r", "\b", "\x7f", "\v", "\f",
	"\u009b31m", "\u009d0;x\u009c", "\x9b31m", "\xff\xfe", "\xed\xa0\x80",
	"\u202e", "\u2066", "\u2069", "\u200e", "\u061c", "\u200b", "\ufeff", "\u2028", "\u2029", "\U000e0041\U000e007f",
}

// forbidden returns the first character of an output that would control a
// terminal, or the direction of text, or show nothing, after what precedes it.
func forbidden(text string) (found string, ok bool) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1,
			r < 0x20 && r != '\n' && r != '\t',
			r >= 0x7f && r < 0xa0,
			unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return text[max(0, i-40) : i+n], true
		}
		i += n
	}
	return "", false
}

func TestHostileText(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	h := suite.NewRepo(t)
	all := strings.Join(controls, "x")
	h.Write("plain.go", "package plain\n\n// Timeout is plain.\nfunc Timeout() {}\n")
	h.Commit("first timeout " + strings.ReplaceAll(all, "\xff", ""))
	var files []string
	for i, c := range controls {
		name := "timeout" + c + "\n" + string(rune('a'+i)) + ".go"
		if strings.Contains(name, "/") {
			name = strings.ReplaceAll(name, "/", "_")
		}
		h.Write(name, "package p // "+c+"\n\n// Timeout"+c+" waits "+c+".\nfunc Timeout(a string /* "+c+" */) string { return \""+c+"\" }\n")
		files = append(files, name)
	}
	h.Write("doc.md", "# Timeout "+all+"\n\nabout "+all+" timeouts\n\n## More "+all+"\n\ntext\n")
	h.Write("conf.yaml", "timeout: \""+all+"\"\n")
	h.Write("s.py", "class Timeout:\n    '''"+all+"'''\n    def timeout(self, a='"+all+"'):\n        pass\n")
	h.Write("big timeout"+controls[0]+".txt", strings.Repeat("x", 2<<20))
	h.Write("fence.md", "timeout\n````````\n``` ````\n]]>]]]]><![CDATA[</file>\n### forged.go blob 12345678\n")
	h.Write(".satchel.toml", "exclude = [\"never"+strings.ReplaceAll(strings.ToValidUTF8(controls[13], ""), "\n", "")+"\"]\n\"k\u202e\" = 1\n")
	h.Commit("second timeout\n\n" + strings.ReplaceAll(all, "\xff", ""))
	h.Write("untracked"+controls[0]+".go", "package u\n\nfunc Timeout"+controls[8]+"() {}\n")
	fsxtest.Link(t, "/etc/passwd", filepath.Join(h.Dir, "link"+controls[0]))
	files = append([]string{"doc.md", "s.py", "fence.md", "no" + all + "such.go"}, files...)
	list := commands("timeout", files[:12]...)
	list = append(list, []string{"search", all}, []string{"pack", all}, []string{"pack", "x", "--rev", all}, []string{"show", all}, []string{"tokens", all},
		[]string{"pack", "--pin", all}, []string{"pack", "--path", all}, []string{"config", "--budget", all}, []string{all}, []string{"pack", "--" + all},
		[]string{"pack", "--model", all, "--budget", "40%"}, []string{"pack", "--format", all}, []string{"index", "--cache-dir", filepath.Join(h.Dir, "doc.md", all)})
	for _, args := range list {
		args = slices.Clone(args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", "")
		}
		code, stdout, stderr := h.Run(args...)
		for what, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
			if found, ok := forbidden(text); ok {
				t.Errorf("satchel %q: %s holds %q", args, what, found)
			}
		}
		if code == 0 && (slices.Contains(args, "--json") || slices.Contains(args, "json")) && !json.Valid([]byte(stdout)) {
			t.Errorf("satchel %q: not JSON", args)
		}
	}
	// Lossless where programs read: the name comes back as it is.
	_, stdout, _ := h.Run("search", "timeout", "--json", "--limit", "100")
	var r struct{ Files []struct{ Path string } }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	want := "timeout\u202e\n" + string(rune('a'+13)) + ".go"
	if !slices.ContainsFunc(r.Files, func(f struct{ Path string }) bool { return f.Path == want }) {
		t.Errorf("search --json does not hold the path %q", want)
	}
}

func TestHostileSecrets(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	h := suite.NewRepo(t)
	// Assembled here, so that no scanner finds them in this file.
	body := "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u"
	github := "gh" + "p_" + body
	aws := "AK" + "IA" + "Q7XW3ZL5PN2RT4VB"
	slack := "xo" + "xb-" + "284710395521-284710395522-" + body[:24]
	password := body[:17]
	pem := strings.Repeat(body+body[:28]+"\n", 6)
	h.Write("timeout.go", "// Package timeout uses "+github+" for timeouts.\npackage timeout\n\n// Timeout "+aws+" waits.\nconst Timeout = \""+github+"\"\n\nfunc TimeoutWith(key string /* "+slack+" */) {}\n\nvar timeoutURL = \"postgres://app:"+password+"@db.internal.acme.io/app\"\n")
	h.Write("timeout.py", "def timeout(token='"+github+"', key=\""+aws+"\"):\n    \"\"\"Timeout "+slack+".\"\"\"\n\n\nclass Timeout:\n    TIMEOUT_KEY = '"+github+"'\n")
	h.Write("timeout.md", "# Timeout "+github+"\n\ntimeout `"+aws+"`\n\n## Timeout "+slack+"\n\nmore\n")
	h.Write("timeout.js", "export const timeout = (token = \""+github+"\") => token;\nfunction timeoutTwo(a = '"+slack+"') {}\n")
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + pem + "-----END RSA PRIVATE " + "KEY-----\n"
	for i := range 20 { // signatures are cut to length, wherever that is
		h.Write("long"+string(rune('a'+i))+".js", "function timeoutLong(pad = '"+strings.Repeat("p", 140+5*i)+"', token = '"+github+"') {}\n")
	}
	h.Write(".env", "TIMEOUT_PASSWORD="+password+"\n")
	h.Write("timeout.pem", key)
	h.Write("timeoutkey.go", "package timeout\n\n/*\nTimeoutKey is\n"+key+"*/\nconst TimeoutKey = `"+key+"`\n\nfunc TimeoutPair(a = `"+key+"`) {}\n")
	h.Write("timeoutkey.py", "TIMEOUT_KEY = \"\"\""+key+"\"\"\"\n\n\ndef timeout_key(a=\"\"\""+key+"\"\"\"):\n    \"\"\""+key+"\"\"\"\n")
	h.Write("timeoutkey.ts", "export const timeoutKey = `"+key+"`;\nexport function timeoutPair(a: string = `"+key+"`) {\n}\n")
	h.Write("timeoutkey.md", "# Timeout key\n\n"+key+"\n\n## Timeout "+strings.ReplaceAll(key, "\n", "\\n")+"\n")
	h.Write("timeout.yaml", "timeout:\n  token: "+github+"\n  slack: "+slack+"\n")
	h.Write("Makefile", "timeout:\n\tcurl -H 'Authorization: token "+github+"' https://example.org\n")
	h.Commit("timeout with " + github)
	h.Write("later.go", "package timeout\n\nvar later = \""+aws+"\" // timeout\n")
	h.Commit("later timeout " + aws)
	h.Write("now.go", "package timeout\n\nfunc timeoutNow(a = \""+slack+"\") {\n}\n\nvar timeoutNow = \""+github+"\"\n")
	shown := false
	for _, args := range commands("timeout token key", "timeout.go", "timeout.py", "timeout.md", "timeout.js", ".env", "timeout.pem", "timeout.yaml", "later.go", "now.go", "Makefile", "timeoutkey.go", "timeoutkey.py", "timeoutkey.ts", "timeoutkey.md") {
		code, stdout, stderr := h.Run(args...)
		for _, secret := range []string{body[:12], aws, slack[:20], password} {
			for what, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
				if i := strings.Index(text, secret); i >= 0 {
					t.Errorf("satchel %q: %s holds a secret: %q", args, what, text[max(0, i-60):i+12])
				}
			}
		}
		shown = shown || code == 0 && strings.Contains(stdout, "[secret:")
	}
	if !shown {
		t.Error("nothing was redacted: the test says nothing")
	}
}

// TestHostileSecretsInChanges looks at what a diff tells of definitions that hold
// secrets: those of a patch, and those of more files than both sides are read of.
func TestHostileSecretsInChanges(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	const files = 203

	h := suite.NewRepo(t)
	token := "gh" + "p_" + "x7Kq2mVtB9sLr4WnYc6HdJ3pFzGa8RvTeQ1u"
	for i := range files {
		h.Write(fmt.Sprintf("p%03d.py", i), "TOKEN = 1\n\n\ndef timeout(a):\n    return a\n")
	}
	h.Commit("first")
	for i := range files {
		h.Write(fmt.Sprintf("p%03d.py", i), fmt.Sprintf("TOKEN = '%s'\n\n\ndef timeout(a, token=\"%s\"):\n    return a + %d\n", token, token, i))
	}
	h.Write("../all.patch", h.Git("diff")+"\n")
	h.Write("../one.patch", h.Git("diff", "--", "p007.py")+"\n")

	for _, args := range [][]string{
		{"diff", "--json"},
		{"diff", "--json", "--budget", "0"},
		{"diff", "--patch", "../all.patch", "--json"},
		{"diff", "--patch", "../one.patch", "--json"},
		{"diff", "--patch", "../one.patch", "--detail", "standard"},
		{"diff", "--detail", "summary"},
	} {
		code, stdout, stderr := h.Run(args...)
		if code != 0 {
			t.Errorf("satchel %q: exit code %d: %s", args, code, stderr)
		}
		for what, text := range map[string]string{"stdout": stdout, "stderr": stderr} {
			if i := strings.Index(text, token[:12]); i >= 0 {
				t.Errorf("satchel %q: %s holds a secret: %q", args, what, text[max(0, i-60):i+12])
			}
		}
		if slices.Contains(args, "--json") && !strings.Contains(stdout, `token=\"[secret:github-token`) {
			t.Errorf("satchel %q shows no signature: the test says nothing", args)
		}
	}
}
