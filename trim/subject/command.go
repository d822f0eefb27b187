package subject

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/trim/reuse"
)

// A Command is something that was run, once or often, in the same words: a
// program, a search, any other tool, or an edit that did not come about.
type Command struct {
	Tool   string
	Text   string // the command line, or the fields of the call as "key: value"
	Line   bool   // Text is a command line
	Check  bool   // it tests, builds or lints
	Search bool   // its result is a list of files or of matching lines
	Edit   bool   // it is an edit that did not come about
	Runs   []*Run // oldest first, at least one

	key string
}

// Last is the newest run.
func (c *Command) Last() *Run { return c.Runs[len(c.Runs)-1] }

// A Run is one time that a command ran.
type Run struct {
	Call, Result int // parts; Result is -1 if none was recorded
	Group        int
	Failed       bool
	Status       int      // exit status, as far as it was said; else 0
	Serious      bool     // if it failed, something is broken: not a search without a hit
	Polls        bool     // it asks for more of what the run before printed
	Command      *Command // nil if it is an edit or a read that came about

	mends string // what its success mends
}

// family is what a check has in common with others that check the same in another
// way: the words before its first option, three at most, without what stands behind
// a colon (bun run lint:fix). What is no check has none. It returns how many words
// the check has, too: one with more may check less.
func (r *Run) family() (name string, words int) {
	if r.Command == nil || !r.Command.Check {
		return "", 0
	}
	all := strings.Fields(r.mends)
	var some []string
	for _, w := range all {
		if strings.HasPrefix(w, "-") || len(some) == 3 {
			break
		}
		w, _, _ = strings.Cut(w, ":")
		some = append(some, w)
	}
	return "check " + strings.Join(some, " "), len(all)
}

// checks finds the programs that test, build and lint.
var checks = lazy.Regexp(`\b(?:go (?:test|build|vet)|(?:npm|pnpm|yarn|bun|bunx|npx|deno)\b[^|;&\n]*\b(?:test|build|lint|tsc|vitest|jest|eslint|biome|typecheck|check|quality)|` +
	`pytest|tox|ruff|mypy|pyright|flake8|pylint|cargo (?:test|build|check|clippy|fmt|nextest)|make\b|gradlew?\b|mvn\b|bazel (?:test|build)|tsc\b|eslint|vitest|jest|mocha|` +
	`python[0-9.]* -m (?:pytest|unittest)|ctest|cmake --build|ninja\b|dotnet (?:test|build)|phpunit|rspec|rubocop|mix test|swift (?:test|build)|zig (?:test|build)|` +
	`mise run|golangci-lint|shellcheck|bash -n|node --check|node --test|python[0-9.]* [^|;&\n]*test[^|;&\n]*|ansible-lint|terraform validate|` +
	`docker (?:compose )?build|playwright|nx [^|;&\n]*(?:test|build|lint)|turbo)\b`)

// exited finds how clients say how a program ended.
var exited = lazy.Regexp(`(?i)(?:^|\n)\s*(?:exit code|process exited with code|exit status|<exit_code>|\[exit code:?|command (?:failed|exited) with exit code|command exited with code|exited with code|\[command finished with exit code)[ :]*\s*(-?\d{1,9})`)

// How far from its beginning and its end a result says how the program ended, in
// bytes.
const (
	statusHead = 600
	statusTail = 300
)

// exitStatus returns how a program ended by what its result says, and whether it says
// so. What stands at the end was said last.
func exitStatus(text string) (status int, said bool) {
	head := exited().FindStringSubmatch(text[:min(len(text), statusHead)])
	tail := head
	if len(text) > statusHead {
		tail = exited().FindStringSubmatch(text[len(text)-statusTail:])
	}
	for _, m := range [][]string{head, tail} {
		if m == nil {
			continue
		}
		said = true
		if n, _ := strconv.Atoi(m[1]); n != 0 {
			return n, true
		}
	}
	return 0, said
}

// Clients let a program go on after its call has returned, and give it a name by which
// later calls ask for what it printed since.
var (
	running  = lazy.Regexp(`(?:session ID|running in background with ID):? ([\w-]+)`)
	pollKeys = map[string]bool{"session_id": true, "sessionId": true, "bash_id": true, "shell_id": true, "task_id": true}
)

// polled returns the command that a call asks for what it printed since, or nil.
func (o *opener) polled(d *deed) *Command {
	if d.use.Line != "" {
		return nil
	}
	for _, f := range d.fields {
		if pollKeys[f.Key] && o.sessions[f.Value] != nil {
			return o.sessions[f.Value]
		}
	}
	return nil
}

// command notes that a command was run. An edit that failed has a key that a later
// edit of the same file mends.
func (o *opener) command(d *deed, key string) {
	run := &Run{Call: d.call, Result: d.result, Group: d.group, Failed: d.failed || key != "" && d.result >= 0, Status: d.status, mends: key}
	c := &Command{Tool: d.block.Name, Edit: key != "", Text: o.c.Parts[d.call].Text, Search: d.use.Source == reuse.Search}
	name := c.Tool + " " + c.Text
	switch begun := o.polled(d); {
	case key != "":
	case begun != nil:
		c.Text, c.Line, run.Polls, name = begun.Text, true, true, begun.key
	case d.use.Line != "":
		c.Text, c.Line = d.use.Line, true
		name = commandKey(c.Text)
		if f := slashed(d.folder()); isAbs(f) && f != o.home {
			name = f + ": " + name
		}
	}
	c.Check = c.Line && checks().MatchString(c.Text[:min(len(c.Text), maxKey)])
	run.Serious = key != "" || c.Line && !c.Search
	run.Failed = run.Failed || c.Check && tellsFailure(d.text) && (!d.said || strings.ContainsAny(c.Text, "|;"))
	run.mends = cmp.Or(run.mends, name)
	known := o.commands[name]
	if known == nil {
		known = c
		known.key = name
		o.commands[name] = c
		o.s.Commands = append(o.s.Commands, c)
	}
	if m := running().FindStringSubmatch(d.text[:min(len(d.text), 400)]); m != nil && d.use.Line != "" {
		o.sessions[m[1]] = known
	}
	run.Command = known
	known.Text = c.Text
	known.Runs = append(known.Runs, run)
	o.runs = append(o.runs, run)
}

var (
	entersFolder = lazy.Regexp(`^\s*cd ("[^"]+"|'[^']+'|\S+) ?(?:&&|;) ?`)
	plumbing     = lazy.Regexp(`(?: ?2>&1| ?\|\| true| ?; ?echo [^;&|]{0,30}\$\?\S*)+`)
	shortened    = lazy.Regexp(`(?: ?\| ?(?:tail|head|grep|cat)\b(?:[^|;&'"]|'[^']*'|"[^"]*")*)+$`)
)

// maxKey is how much of a command tells it from others, in bytes.
const maxKey = 2000

// commandKey returns what two runs of the same command have in common, whatever
// part of their output was asked for.
func commandKey(text string) string {
	long := ""
	if len(text) > maxKey {
		long = strconv.FormatUint(reuse.Key(text[maxKey:]), 36)
		text = text[:maxKey]
	}
	text = strings.Join(strings.Fields(text), " ")
	text = entersFolder().ReplaceAllString(text, "")
	text = plumbing().ReplaceAllString(text, "")
	return strings.TrimSpace(shortened().ReplaceAllString(text, "")) + long
}

// says finds lines with which tests, builds and linters tell of a failure; noneOf,
// those that count failures and have none; succeeds, those with which they say that all
// went well.
var (
	says     = lazy.Regexp(`(?im)^\s*(?:error|fatal|panic|traceback|FAIL\b|---? FAIL|E  |not ok\b|# fail [1-9])|error(?:\[|:| TS)|Exception\b|Error:|\bFAILED\b|\b[1-9]\d* (?:failed|failing|fail|failures?|errors?)\b|command not found|No such file|Permission denied`)
	noneOf   = lazy.Regexp(`(?i)\b(?:0|no) (?:failed|failing|fail|failures?|errors?)\b|^# fail 0\b`)
	succeeds = lazy.Regexp(`(?i)^\s*(?:ok\s+\S+\s+(?:\d|\(cached\))|PASS$|OK\b|test result: ok|=*\s*\d+ passed|Tests:?\s+\d+ passed|all checks passed|success\b|BUILD SUCCESS|Done in|✓ built|# fail 0$)|\bno (?:issues|problems) found`)
)

// checkTail is how much of the end of a check's output says how it ended, in bytes.
const checkTail = 600

// tellsFailure reports whether a check whose client does not say how it ended seems
// to have failed, by how its output ends: the last line that says one or the other.
func tellsFailure(text string) bool {
	lines := strings.Split(text[max(0, len(text)-checkTail):], "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		switch line := lines[i]; {
		case SaysFailure(line):
			return true
		case succeeds().MatchString(line), noneOf().MatchString(line):
			return false
		}
	}
	return false
}

// SaysFailure reports whether a line says what went wrong.
func SaysFailure(line string) bool {
	return says().MatchString(line) && !noneOf().MatchString(line)
}

// sums finds the lines in which programs say how it all came out.
var sums = lazy.Regexp(`(?i)(?:\b\d+ (?:passed|failed|errors?|warnings?|problems?|tests?)\b|^\s*(?:PASS|FAIL|ok\s|OK\b|FAILED|BUILD|Tests?:|Test (?:Files|Suites)|test result|Found \d+|✓|✗|✘|❌|✅|DONE|Done|error|Error|ERROR|SUCCESS)|build (?:succeeded|failed|completed)|built in|exit(?:ed)?(?: with)? (?:code|status)|compiled|no (?:issues|errors|problems))`)

// maxSum is the longest line that can be a sum, in bytes.
const maxSum = 400

// SumsUp reports whether a line of output says how it all came out.
func SumsUp(line string) bool { return len(line) < maxSum && sums().MatchString(line) }
