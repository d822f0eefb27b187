package subject

import (
	"regexp"
	"strconv"
	"strings"

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
	Command      *Command // nil if it is an edit or a read that came about

	mends string // what its success mends
}

// family is what a check has in common with others that check the same in another
// way: the words before its first option, three at most, without what stands behind
// a colon (bun run lint:fix). What is no check has none but itself.
func (r *Run) family() string {
	if r.Command == nil || !r.Command.Check {
		return r.mends
	}
	var words []string
	for _, w := range strings.Fields(r.mends) {
		if strings.HasPrefix(w, "-") || len(words) == 3 {
			break
		}
		w, _, _ = strings.Cut(w, ":")
		words = append(words, w)
	}
	return "check " + strings.Join(words, " ")
}

// checks finds the programs that test, build and lint.
var checks = regexp.MustCompile(`\b(?:go (?:test|build|vet)|(?:npm|pnpm|yarn|bun|bunx|npx|deno)\b[^|;&\n]*\b(?:test|build|lint|tsc|vitest|jest|eslint|biome|typecheck|check|quality)|` +
	`pytest|tox|ruff|mypy|pyright|flake8|pylint|cargo (?:test|build|check|clippy|fmt|nextest)|make\b|gradlew?\b|mvn\b|bazel (?:test|build)|tsc\b|eslint|vitest|jest|mocha|` +
	`python[0-9.]* -m (?:pytest|unittest)|ctest|cmake --build|ninja\b|dotnet (?:test|build)|phpunit|rspec|rubocop|mix test|swift (?:test|build)|zig (?:test|build)|` +
	`mise run|golangci-lint|shellcheck|bash -n|node --check|node --test|python[0-9.]* [^|;&\n]*test[^|;&\n]*|ansible-lint|terraform validate|` +
	`docker (?:compose )?build|playwright|nx [^|;&\n]*(?:test|build|lint)|turbo)\b`)

// exited finds how clients say how a program ended.
var exited = regexp.MustCompile(`(?i)(?:^|\n)\s*(?:exit code|process exited with code|exit status|<exit_code>|\[exit code:?|command (?:failed|exited) with exit code|command exited with code|exited with code)[ :]*\s*(-?\d{1,9})`)

// How far from its beginning and its end a result says how the program ended, in
// bytes.
const (
	statusHead = 600
	statusTail = 300
)

// exitStatus returns how a program ended by what its result says, and 0 if it says
// nothing.
func exitStatus(text string) int {
	m := exited.FindStringSubmatch(text[:min(len(text), statusHead)])
	if m == nil && len(text) > statusHead {
		m = exited.FindStringSubmatch(text[len(text)-statusTail:])
	}
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// running finds the id of a program that goes on after its call has returned.
var running = regexp.MustCompile(`session ID:? (\S+)`)

// command notes that a command was run. An edit that failed has a key that a later
// edit of the same file mends.
func (o *opener) command(d *deed, key string) {
	c := &Command{Tool: d.block.Name, Edit: key != "", Text: reuse.CallText(d.block), Search: d.use.Source == reuse.Search}
	for _, f := range reuse.Fields(d.block) {
		if key == "" && (f.Key == "session_id" || f.Key == "sessionId") && o.sessions[f.Value] != "" {
			c.Text, c.Line = o.sessions[f.Value], true
			break
		}
	}
	if text, ok := reuse.CommandLine(d.block); ok && key == "" {
		c.Text, c.Line = text, true
		if m := running.FindStringSubmatch(d.text[:min(len(d.text), 400)]); m != nil {
			o.sessions[m[1]] = text
		}
	}
	c.Check = c.Line && checks.MatchString(c.Text)
	run := &Run{Call: d.call, Result: d.result, Group: d.group, Failed: d.failed, Status: d.status,
		Serious: key != "" || c.Line && !c.Search, mends: key}
	name := c.Tool + " " + c.Text
	if c.Line {
		name = commandKey(c.Text)
		run.mends = name
		run.Failed = run.Failed || c.Check && tellsFailure(d.text)
		if d.result >= 0 {
			o.changes(d, c.Text)
		}
	}
	if run.mends == "" {
		run.mends = name
	}
	known := o.commands[name]
	if known == nil {
		known = c
		o.commands[name] = c
		o.s.Commands = append(o.s.Commands, c)
	}
	run.Command = known
	known.Text = c.Text
	known.Runs = append(known.Runs, run)
	o.runs = append(o.runs, run)
}

var (
	entersFolder = regexp.MustCompile(`^cd \S+ ?(?:&&|;) ?`)
	plumbing     = regexp.MustCompile(`(?: 2>&1| ?\|\| true| ?; ?echo .{0,30}\$\?\S*| ?\| ?(?:tail|head|grep|cat)\b.*$)`)
)

// maxKey is how much of a command tells it from others, in bytes.
const maxKey = 2000

// commandKey returns what two runs of the same command have in common, whatever
// part of their output was asked for.
func commandKey(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), maxKey)]), " ")
	text = entersFolder.ReplaceAllString(text, "")
	return strings.TrimSpace(plumbing.ReplaceAllString(text, ""))
}

// says finds lines with which tests, builds and linters tell of a failure; noneOf,
// those that count failures and have none.
var (
	says   = regexp.MustCompile(`(?im)^\s*(?:error|fatal|panic|traceback|FAIL\b|---? FAIL|E  )|error(?:\[|:| TS)|Exception\b|Error:|\bFAILED\b|\b[1-9]\d* (?:failed|errors?)\b|command not found|No such file|Permission denied`)
	noneOf = regexp.MustCompile(`(?i)\b(?:0|no) (?:failed|failures?|errors?)\b`)
)

// tellsFailure reports whether a check whose client does not say how it ended seems
// to have failed, by how its output ends.
func tellsFailure(text string) bool {
	end := text[max(0, len(text)-600):]
	return says.MatchString(end) && !noneOf.MatchString(end[max(0, len(end)-300):])
}

// SaysFailure reports whether a line says what went wrong.
func SaysFailure(line string) bool {
	return says.MatchString(line) && !noneOf.MatchString(line)
}

// sums finds the lines in which programs say how it all came out.
var sums = regexp.MustCompile(`(?i)(?:\b\d+ (?:passed|failed|errors?|warnings?|problems?|tests?)\b|^\s*(?:PASS|FAIL|ok\s|OK\b|FAILED|BUILD|Tests?:|Test (?:Files|Suites)|test result|Found \d+|✓|✗|✘|❌|✅|DONE|Done|error|Error|ERROR|SUCCESS)|build (?:succeeded|failed|completed)|built in|exit(?:ed)?(?: with)? (?:code|status)|compiled|no (?:issues|errors|problems))`)

// maxSum is the longest line that can be a sum, in bytes.
const maxSum = 400

// SumsUp reports whether a line of output says how it all came out.
func SumsUp(line string) bool { return len(line) < maxSum && sums.MatchString(line) }
