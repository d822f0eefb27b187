package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// planted are keys of kinds that providers document, and of nobody. They are put
// together here so that they stand in no file.
var planted = []string{
	"ghp_" + "x7Kq2mVb9TzR4wYc8" + "LhN3sJd6FgP1aQe5uHo",
	"AKIA" + "Q7ZX3MNB5KRT2WYL",
}

// An arm is one way in which a repository makes git run a program. The program
// is a script of the arm's name, which says in the canary who ran it.
type arm struct {
	name   string
	config []string // keys and values; SCRIPT is the script of the arm

	// fires is a plain git command that springs it; nil if none does without a
	// terminal.
	fires []string
}

var arms = []arm{
	{"fsmonitor", []string{"core.fsmonitor", "SCRIPT"}, []string{"status"}},
	{"include", []string{"include.path", "../evil.inc"}, []string{"diff", "--", "x.inc"}},
	{"includeif", []string{"includeIf.gitdir:**/.git.path", "../evil.incif"}, []string{"diff", "--", "x.incif"}},
	{"external", []string{"diff.external", "SCRIPT"}, []string{"diff", "--", "x.txt"}},
	{"textconv", []string{"diff.evil.textconv", "SCRIPT"}, []string{"diff", "--no-ext-diff", "--", "x.txt"}},
	{"command", []string{"diff.command.command", "SCRIPT"}, []string{"diff", "--", "x.cmd"}},
	{"clean", []string{"filter.evil.clean", "SCRIPT", "filter.evil.smudge", "SCRIPT"}, []string{"diff", "--", "x.txt"}},
	{"process", []string{"filter.process.process", "SCRIPT"}, []string{"diff", "--", "x.proc"}},
	{"hooks", []string{"core.hooksPath", "SCRIPT.d"}, []string{"read-tree", "HEAD"}},
	{"pager", []string{"core.pager", "SCRIPT", "pager.log", "SCRIPT", "pager.diff", "SCRIPT", "core.editor", "SCRIPT", "sequence.editor", "SCRIPT"}, nil},
	{"alias", []string{"alias.st", "!SCRIPT", "alias.log", "!SCRIPT", "alias.ls-files", "!SCRIPT", "alias.ls-tree", "!SCRIPT", "alias.cat-file", "!SCRIPT", "alias.rev-parse", "!SCRIPT", "alias.diff", "!SCRIPT"}, []string{"st"}},
	{"gpg", []string{"gpg.program", "SCRIPT", "gpg.ssh.program", "SCRIPT", "log.showSignature", "true", "commit.gpgsign", "true", "tag.gpgsign", "true"}, []string{"log", "-1"}},
	{"credential", []string{"credential.helper", "!SCRIPT", "core.askPass", "SCRIPT", "core.gitProxy", "SCRIPT", "core.alternateRefsCommand", "SCRIPT"}, nil},
	{"ext", []string{"core.repositoryformatversion", "1", "extensions.partialClone", "origin", "remote.origin.promisor", "true", "remote.origin.url", "ext::SCRIPT %S",
		"protocol.allow", "always", "protocol.ext.allow", "always", "protocol.file.allow", "always"}, []string{"cat-file", "-p", "HEAD:gone.txt"}},
	{"uploadpack", []string{"remote.two.promisor", "true", "remote.two.url", "/", "remote.two.uploadpack", "SCRIPT"}, []string{"cat-file", "-p", "HEAD:gone.txt"}},
	{"ssh", []string{"remote.three.promisor", "true", "remote.three.url", "ssh://example.invalid/x", "core.sshCommand", "SCRIPT"}, []string{"cat-file", "-p", "HEAD:gone.txt"}},
	{"submodule", []string{"submodule.m.update", "!SCRIPT", "submodule.m.url", "ext::SCRIPT", "submodule.recurse", "true", "status.submoduleSummary", "true"}, nil},
}

// armed makes the repository of a box one that is out for harm: every arm is set,
// a blob of HEAD is missing, HEAD is signed, and files, names and messages hold
// control sequences and keys.
func (b *box) armed() error {
	if err := b.armedFiles(); err != nil {
		return err
	}
	for _, h := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman", "query-watchman"} {
		if err := b.armScript("hooks.d/"+h, "hooks"); err != nil {
			return err
		}
	}
	for _, a := range arms {
		if err := b.armScript(a.name, a.name); err != nil {
			return err
		}
	}
	if err := b.armConfig(); err != nil {
		return err
	}
	if err := b.write(answer, "package proxy\n\n"+armedText+"func retryWithBackoff() { _ = 1 }\n"); err != nil {
		return err
	}
	return b.touch()
}

var armedText = "// retryWithBackoff retries with backoff: login times out behind a proxy.\nconst token = \"" + planted[0] + "\" // \x1b[31m\u202e\x07\n"

// armPath is where the script of an arm is.
func (b *box) armPath(name string) string { return filepath.Join(b.dir, "arms", name) }

// armScript writes the script of an arm. It records who is among its ancestors:
// agents run git themselves, which is not satchel's doing. Filters pass their input
// on; what stands in for a remote must not wait for any.
func (b *box) armScript(name, arm string) error {
	const script = `#!/bin/sh
{
	p=$$
	printf 'arm %%s:' %[1]s
	while [ "$p" -gt 1 ]; do
		printf ' < '; tr '\0\n' '  ' </proc/$p/cmdline
		p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status)
	done
	echo
} >>%[2]s
%[3]s`
	then := ""
	if arm == "clean" || arm == "include" || arm == "includeif" {
		then = "cat\n"
	}
	if err := os.MkdirAll(filepath.Dir(b.armPath(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(b.armPath(name), fmt.Appendf(nil, script, arm, b.canary(), then), 0o755)
}

// armedFiles commits the files, and then takes a blob and a file away.
func (b *box) armedFiles() error {
	for _, f := range [][2]string{
		{answer, "package proxy\n\n" + armedText + "func retryWithBackoff() {}\n"},
		{".gitattributes", "* diff=evil filter=evil\n*.cmd diff=command\n*.proc filter=process\n*.inc filter=include\n*.incif filter=includeif\n"},
		{"evil\x1b[2J.go", "package evil\n"},
		{"x.txt", "x\n"}, {"x.cmd", "x\n"}, {"x.proc", "x\n"}, {"x.inc", "x\n"}, {"x.incif", "x\n"},
		{"gone.txt", "login retries behind a proxy, and is gone\n"},
		{"keys.sh", "# the proxy of the login\nexport AWS_ACCESS_KEY_ID=" + planted[1] + "\n"},
		{".gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ../m\n\tupdate = !" + b.armPath("submodule") + "\n"},
	} {
		if err := b.write(f[0], f[1]); err != nil {
			return err
		}
	}
	if err := b.git("add", "-A"); err != nil {
		return err
	}
	if err := b.git("commit", "-qm", "login times out \x1b]0;owned\x07"); err != nil {
		return err
	}
	if err := b.sign(); err != nil {
		return err
	}

	id, err := exec.Command("git", "-C", b.repo, "rev-parse", "HEAD:gone.txt").Output()
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(b.repo, ".git/objects", string(id[:2]), strings.TrimSpace(string(id[2:])))); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(b.repo, "gone.txt")); err != nil {
		return err
	}
	if err := b.write("evil.inc", "[filter \"include\"]\n\tclean = "+b.armPath("include")+"\n"); err != nil {
		return err
	}
	return b.write("evil.incif", "[filter \"includeif\"]\n\tclean = "+b.armPath("includeif")+"\n")
}

// armConfig sets the arms in the repository's configuration, as a file, since git
// itself would run some of it.
func (b *box) armConfig() error {
	var config strings.Builder
	for _, a := range arms {
		for i := 0; i < len(a.config); i += 2 {
			section, key := a.config[i][:strings.LastIndexByte(a.config[i], '.')], a.config[i][strings.LastIndexByte(a.config[i], '.')+1:]
			if name, sub, ok := strings.Cut(section, "."); ok {
				section = name + ` "` + sub + `"`
			}
			fmt.Fprintf(&config, "[%s]\n\t%s = %q\n", section, key, strings.ReplaceAll(a.config[i+1], "SCRIPT", b.armPath(a.name)))
		}
	}
	f, err := os.OpenFile(filepath.Join(b.repo, ".git/config"), os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(config.String())
	return err
}

// touch makes git compare the files that wait for a driver.
func (b *box) touch() error {
	for _, name := range []string{"x.txt", "x.cmd", "x.proc", "x.inc", "x.incif"} {
		if err := b.write(name, fmt.Sprintln("changed", time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// sign gives HEAD a signature, which nobody has to believe.
func (b *box) sign() error {
	commit, err := exec.Command("git", "-C", b.repo, "cat-file", "commit", "HEAD").Output()
	if err != nil {
		return err
	}
	hash := exec.Command("git", "-C", b.repo, "hash-object", "-t", "commit", "-w", "--stdin")
	hash.Stdin = bytes.NewReader(bytes.Replace(commit, []byte("\n\n"), []byte("\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"), 1))
	id, err := hash.Output()
	if err != nil {
		return err
	}
	return b.git("update-ref", "HEAD", strings.TrimSpace(string(id)))
}

// canary is the file that says what ran.
func (b *box) canary() string { return filepath.Join(b.dir, "canary") }

// sprung shows that the arms work: plain git is run, and each arm that can fire
// has to.
func (t *trial) sprung(b *box) (n int) {
	for _, a := range arms {
		if a.fires == nil {
			continue
		}
		_ = os.Remove(b.canary())
		if err := b.touch(); err != nil {
			panic(notRun{err.Error()})
		}
		git := []string{"20", "git", "-C", b.repo}
		if a.name != "fsmonitor" { // it would say that nothing has changed
			git = append(git, "-c", "core.fsmonitor=false")
		}
		cmd := exec.Command("timeout", append(git, a.fires...)...)
		cmd.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		_ = cmd.Run() // it fails, most often
		text, _ := os.ReadFile(b.canary())
		if !bytes.Contains(text, []byte("arm "+a.name+":")) {
			t.fail("git %s does not run %s, so that nothing is tested", strings.Join(a.fires, " "), a.name)
			continue
		}
		n++
	}
	_ = os.Remove(b.canary())
	return n
}

// harmless checks that nothing which the repository configures was run by
// satchel; with alone, by nobody, since no agent was started.
func (t *trial) harmless(b *box, who string, alone bool) {
	text, err := os.ReadFile(b.canary())
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if alone || strings.Contains(line, t.satchel+" ") {
			t.fail("%s: satchel ran what the repository configures: %.300s", who, line)
			return
		}
	}
}

// clean checks what satchel said: no control characters, as bytes or as JSON, and
// no key.
func (t *trial) clean(who string, said []byte) {
	bad := func(s string) bool { return strings.ContainsAny(s, "\x1b\x07\u009b\u202e") }
	t.want(!bad(string(said)), "%s: satchel says control characters: %.200q", who, said)
	for line := range bytes.Lines(said) {
		for _, s := range texts(line) {
			t.want(!bad(s), "%s: satchel says control characters as JSON: %.200q", who, s)
		}
	}
	for _, key := range planted {
		t.want(!bytes.Contains(said, []byte(key)), "%s: satchel says a key", who)
	}
}

// hostile has satchel work alone, and then an agent with it, in a repository that
// is out for harm.
func (t *trial) hostile(b *box, a asked) {
	_ = os.Remove(b.canary())
	t.installed(b, a.name)
	for _, args := range [][]string{
		{"pack", task, "--budget", "3000"}, {"pack", task, "--rev", "HEAD", "--budget", "3000"}, {"diff"}, {"diff", "HEAD", "--json"}, {"search", "login proxy gone", "--json"},
		{"show", answer}, {"status"}, {"doctor"}, {"snapshot", "take", answer}, {"show", "keys.sh"},
	} {
		r := b.satchel(args...)
		t.clean(a.name+", satchel "+strings.Join(args, " "), slices.Concat(r.out, r.err))
	}
	t.harmless(b, a.name, true)
	call := map[string]string{"claude": "mcp__satchel__pack", "codex": "mcp__satchel::pack", "gemini": "mcp_satchel_pack", "copilot": "satchel-pack"}[a.name]
	b.api.clear()
	r := a.ask(b, task+` @@tool `+call+` {"task":"`+task+`","budget":3000}@@`)
	t.want(r.code == 0, "%s ended with %d: %s", a.name, r.code, r.err)
	t.want(len(b.api.asking(task)) > 0, "%s: the prompt did not reach the model", a.name)
	t.harmless(b, a.name, false)
	for _, h := range b.hooks() {
		t.clean(a.name+", "+strings.TrimSpace(h.args), []byte(h.out+h.err))
	}
	t.clean(a.name+", MCP", []byte(b.recorded("mcp.out")))
	t.want(!bytes.Contains(slices.Concat(r.out, r.err), []byte("\x1b")), "%s prints an escape", a.name)
	t.secret(b, a.name)
	worked := false
	for _, r := range b.api.seen() {
		for _, s := range texts(r.Body) {
			if strings.Contains(s, "[secret:github-token") {
				worked = true
				t.want(!strings.ContainsAny(s, "\x1b\x07\u202e"), "%s: control characters reached the model", a.name)
			}
		}
	}
	t.want(worked, "%s: nothing of the file was given, so that nothing is tested", a.name)
}

// secret checks that no key stands in what a model was sent.
func (t *trial) secret(b *box, who string) {
	for _, r := range b.api.seen() {
		for _, key := range planted {
			t.want(!bytes.Contains(r.Body, []byte(key)), "%s: a key reached the model", who)
		}
		t.want(json.Valid(r.Body) || len(r.Body) == 0, "%s: a request is no JSON", who) // or nothing was looked at
	}
}
