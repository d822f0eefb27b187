package state

import (
	"regexp"
	"strings"
)

var (
	// Commands that show a file, and commands that search.
	showsFile  = regexp.MustCompile(`(?:^|[;(]|&&|-lc\s+['"]?)\s*(?:cat|sed -n|head|tail|nl|bat|less)\b([^|;&<>\n]*)`)
	findsFiles = regexp.MustCompile(`^\s*(?:cd [^;&]*&&\s*)?(?:rtk\s+)?(?:rg|grep|find|ls|fd|ag|git grep|git ls-files|tree)\b`)

	// Commands that say whether the work is right.
	checks = regexp.MustCompile(`\b(?:go (?:test|build|vet)|(?:npm|pnpm|yarn|bun|bunx|npx)\b[^|;&\n]*\b(?:test|build|lint|tsc|vitest|jest|eslint|biome|typecheck|check|quality)|pytest|tox|ruff|mypy|cargo (?:test|build|check|clippy|fmt)|make\b[^|;&\n]*|gradlew?\b[^|;&\n]*|mvn\b[^|;&\n]*|tsc\b|eslint|vitest|jest|python[0-9.]* -m (?:pytest|unittest)|ctest|cmake --build|dotnet (?:test|build)|phpunit|rspec|mise run[^|;&\n]*|golangci-lint|shellcheck|bash -n|node --check|node --test|python[0-9.]* [^|;&\n]*test[^|;&\n]*|ansible-lint|terraform validate|docker (?:compose )?build|playwright|nx [^|;&\n]*(?:test|build|lint)|turbo)\b`)

	// Lines that say how a command ended, lines that tell of an error, and words
	// that take that back.
	tellsOutcome = regexp.MustCompile(`(?i)(\b\d+ (?:passed|failed|errors?|warnings?|problems?|tests?)\b|^\s*(?:PASS|FAIL|ok\s|OK\b|FAILED|BUILD|Tests?:|Test (?:Files|Suites)|test result|Found \d+|✓|✗|✘|❌|✅|DONE|Done|error|Error|ERROR|SUCCESS)|build (?:succeeded|failed|completed)|built in|exit(?:ed)?(?: with)? (?:code|status)|compiled|no (?:issues|errors|problems))`)
	tellsError   = regexp.MustCompile(`(?i)(^\s*(?:error|fatal|panic|traceback|FAIL\b|---? FAIL|E  )|error(?:\[|:| TS)|Exception\b|Error:|\bFAILED\b|\d+ (?:failed|errors?)\b|command not found|No such file|Permission denied|Cannot |tool_use_error|not found in file)`)
	tellsNone    = regexp.MustCompile(`(?i)\b(?:0|no) (?:fail|failed|failures?|errors?)\b`)

	changesFolder = regexp.MustCompile(`^cd \S+ ?(?:&&|;) ?`)
	decorations   = regexp.MustCompile(`(?: 2>&1| ?\|\| true| ?; ?echo .{0,30}\$\?\S*| ?\| ?(?:tail|head|grep|cat)\b.*$)`)
)

// Bounds of what is looked at, in characters.
const (
	maxOutcome = 400 // of a line that says how a command ended
	maxCommand = 400 // of a command that may show a file
	maxKey     = 200
	maxShown   = 60 // of a command, by which a reader knows it
)

func isCheck(command string) bool { return checks.MatchString(command) }

// shownFile returns the file that a command prints; "" if it prints none.
func shownFile(command string) string {
	m := showsFile.FindStringSubmatch(first(command, maxCommand))
	if m == nil {
		return ""
	}
	words := strings.Fields(m[1])
	if len(words) == 0 {
		return ""
	}
	p := strings.Trim(words[len(words)-1], "'\")")
	if strings.HasPrefix(p, "-") || !strings.ContainsAny(p, "./") {
		return ""
	}
	return p
}

// sameCommand returns what two runs of a command have in common: it without the
// folder it is run in and what its output is sent through.
func sameCommand(command string) string {
	c := changesFolder.ReplaceAllString(collapsed(command), "")
	return first(strings.TrimSpace(decorations.ReplaceAllString(c, "")), maxKey)
}

// shownCommand returns the beginning of a command, as a reader would look for it.
func shownCommand(command string) string {
	return first(normal(firstLine(command)), maxShown)
}

func firstLine(s string) string {
	l, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return l
}

// outcomeLine returns the line of a result that says how the command ended.
func outcomeLine(result string) string {
	all := nonBlank(result)
	for i := len(all) - 1; i >= 0; i-- {
		if len([]rune(all[i])) < maxOutcome && tellsOutcome.MatchString(all[i]) {
			return all[i]
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// failingLines returns the first line of a result that tells of an error, with
// the line before and the line after it.
func failingLines(result string) []string {
	all := nonBlank(result)
	for i, l := range all {
		if tellsError.MatchString(l) {
			return all[max(0, i-1):min(len(all), i+2)]
		}
	}
	return all[max(0, len(all)-3):]
}

// An outcome is how a check ended when it last ran.
type outcome struct {
	command, line string
	lines         int // of the whole output
}

// outcomes notes how each check ended.
func (f *Facts) outcomes(es []event) {
	at := map[string]int{}
	for i := range es {
		e := &es[i]
		if e.action != running || !e.answered || e.polled || !isCheck(e.command) || strings.TrimSpace(e.result) == "" {
			continue
		}
		o := outcome{shownCommand(e.command), normal(outcomeLine(e.result)), strings.Count(e.result, "\n") + 1}
		key := sameCommand(e.command)
		if k, ok := at[key]; ok {
			f.checks[k] = o
			continue
		}
		at[key] = len(f.checks)
		f.checks = append(f.checks, o)
	}
}

// subject returns what has to succeed for an event to be mended: the same
// command, or the same tool on the same file.
func (e *event) subject() string {
	switch {
	case e.command != "":
		return sameCommand(e.command)
	case e.path == "" && len(e.edits) > 0:
		return e.tool + e.edits[0].path
	}
	return e.tool + e.path
}

// settles reports whether an event can mend a failure: it has ended, and it is
// not about a plan.
func (e *event) settles() bool {
	return e.answered && e.action != planning && e.action != tasking && e.action != asking
}

// fails reports whether an event is a command or an edit that failed, and says
// why.
func (e *event) fails() bool {
	return e.bad() && (e.action == running || e.action == editing) && strings.TrimSpace(e.result) != ""
}

// openFailure returns the newest command or edit that failed and that nothing
// has mended since, or nil.
func openFailure(es []event) *event {
	mended := map[string]bool{}
	for i := len(es) - 1; i >= 0; i-- {
		e := &es[i]
		if !e.settles() {
			continue
		}
		if e.fails() && !mended[e.subject()] {
			return e
		}
		if !e.bad() {
			mended[e.subject()] = true
		}
	}
	return nil
}
