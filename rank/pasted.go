package rank

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/text/markdown"
	"github.com/satchel-dev/satchel/internal/text/terms"
)

// What programs print is pasted beside what people say: logs, trees of dependencies,
// lists of versions, variables of an environment, stacks of minified programs. Their
// words and paths are many and mean little: put behind the tasks of the benchmark, 5 to
// 10 KB of them name other files. They are told by the form of their lines, which no
// language of people has, and only where there are many: a few lines were chosen.
//
// What tells is kept: the lines of a log that say what failed, each form of them once,
// tracebacks, programs, and all that stands between.
const (
	leastPasted  = 8   // lines of such forms near each other; fewer were chosen by who wrote
	widestGap    = 2   // other lines between them
	longLine     = 120 // bytes that count as a line more
	firstCells   = 8   // of a row are looked at first
	leastColumns = 5   // numbers among them make it one of a table
	mostFailing  = 12  // lines kept that say what failed

	leastRepeated = 8  // lines that begin alike, among
	nearRepeated  = 36 // lines
	sentence      = 6  // gaps between words that end in a full stop: people's
)

// A pasted form is what a line of a program's output looks like.
type pasted int

const (
	spoken   pasted = iota // by people, or a program's text
	logged                 // begins with a time, a level, or what a log has instead
	listed                 // a package with its version, a variable, a branch of a tree
	tabled                 // paths and numbers, or a long line of what is no word
	mapped                 // a place in a minified program
	repeated               // begins as many lines near it do
)

var (
	stamped = lazy.Regexp(`^(?:[\w.-]{1,30}\s*[|:]\s*)?[^\w\s]{0,3}\s?(?:\w{3,9},? )?(?:\d{4}[-/.]\d\d?[-/.]\d\d?[T ]?|\d\d?[/.]\w{2,3}[/.]\d{2,4}[: ]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d )?\d\d:\d\d:\d\d`)
	leveled = lazy.Regexp(`^[^\w\s]{0,2}(?i:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|VERBOSE)(?:[\])>|]|:\S|: |\s{2,}|\s+\[|\s+[\w$]+\.[\w.$]+\b)|^npm (?:WARN|http|info|timing|verb|sill|ERR!)|^[IWEF]\d{4} \d\d:|^\[\s*\d+\.\d{3,}\]`)
	logfmt  = lazy.Regexp(`^\w+=(?:"[^"]*"|\S+) \w+=(?:"[^"]*"|\S+)`)
	branch  = lazy.Regexp(`^[\s│|]*(?:[├└╰]|[+\\|]-) ?\S`)
	pinned  = lazy.Regexp(`^\s*[\w.@/+\[\]-]+(?:\s*(?:==|@|:)\s*|=|,?\s+)\(?[v^~]?\d+(?:\.\d+)+\S*(?:\s+\S+)?$|^-e git\+`)
	setting = lazy.Regexp(`^\s*(?:export |declare -x |set )?[A-Z][A-Z0-9_]{2,}=\S|^[a-z][\w-]*(?:[.-][\w-]+)+ ?= ?[^\s(){};"']*$`)
	minimal = lazy.Regexp(`:\d+:\d{4,}\)?$|webpack(?:-internal)?:///|https?://\S+\.m?js(?:\?\S*)?:\d+:\d+\)?$`)
	number  = lazy.Regexp(`^[^\w\s]*v?\d[\d.,:/-]*[a-zA-Z%]{0,3}[^\w\s]*$|^[0-9a-f]{7,64}$|^[\w.+/-]+[-@=]v?\d+\.\d[\w.+-]*,?$|^[-dlcbps](?:[-rwxsStT]{9})[.+@]?$|^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$`)
	written = lazy.Regexp(`[;{}]|[\w\])]\(|[\w\])] ?= |^\s*(?:import|from|use|using|require|include|#include|package|let|const|var|return|assert|def|fn|func|class|[-*+>#$%|]|>>>|\d+[.)])\s`)

	within  = lazy.Regexp(`^\S+:\d+: in \S`)                                      // a frame as pytest prints it
	placed  = lazy.Regexp(`:\d+(?::\d{1,3})?\)?(?: \+0x[0-9a-f]+)?$|", line \d+`) // how lines of tracebacks end
	digits  = lazy.Regexp(`\d+`)
	failing = lazy.Regexp(`(?i)\b\w*(?:error|exception)\b|\b(?:panic|panicked|fatal|traceback|fail(?:ed|ure|s)?|assert(?:ion)?|segfault|segmentation|abort(?:ed)?|crash(?:ed)?|cannot|could not|undefined|unexpected|refused|denied)\b`)
)

// formOf returns the form of a line.
func formOf(line string) pasted {
	line = strings.TrimRight(line, " \t\r\n")
	switch {
	case len(line) < 5:
		return spoken
	case timed(line) && stamped().MatchString(line) || leveled().MatchString(line) || strings.Contains(line, "=") && logfmt().MatchString(line):
		return logged
	case branch().MatchString(line) || hasDigit(line) && pinned().MatchString(line) || strings.Contains(line, "=") && setting().MatchString(line):
		return listed
	case strings.Contains(line, ":") && minimal().MatchString(line):
		return mapped
	case isFrame(line):
		return spoken
	case isTabled(line) || isDense(line):
		return tabled
	}
	return spoken
}

// timed reports whether a line has a colon between digits near its beginning, as the
// time of day has.
func timed(line string) bool {
	line = line[:min(len(line), 80)]
	for i := 1; i < len(line)-1; i++ {
		if line[i] == ':' && isDigit(line[i-1]) && isDigit(line[i+1]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNoDigit(r rune) bool { return r < '0' || r > '9' }

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// isFrame reports whether a line may be one of a traceback.
func isFrame(line string) bool {
	return strings.Contains(line, `File "`) && pyFrame().MatchString(line) ||
		strings.Contains(line, "at ") && jvmFrame().MatchString(line) ||
		strings.Contains(line, ":") && hasDigit(line) && (lineFrame().MatchString(line) || within().MatchString(line))
}

// isTabled reports whether a line is a row of a program's table: paths and numbers, at
// least one of which is a number, and no more words than half of it; or it begins with
// columns of numbers, whatever ends it.
func isTabled(line string) bool {
	if columns(line) >= leastColumns {
		return true
	}
	if !hasDigit(line) || strings.ContainsAny(line, "();{}\"'`") || strings.Contains(line, "= ") || line[0] == '|' {
		return false
	}
	cells, numbers, paths := 0, 0, 0
	for f := range strings.FieldsSeq(line) {
		cells++
		switch {
		case (hasDigit(f) || len(f) == 3 || len(f) == 10) && number().MatchString(f):
			numbers++
		case strings.Trim(f, "/\\") != "" && strings.ContainsAny(f, `/\`):
			paths++
		}
	}
	return numbers > 0 && cells > 1 && 2*(numbers+paths) > cells
}

// columns counts the numbers among the first cells of a line.
func columns(line string) (n int) {
	cells := 0
	for f := range strings.FieldsSeq(line) {
		if cells++; cells > firstCells {
			break
		}
		if hasDigit(f) && number().MatchString(f) {
			n++
		}
	}
	return n
}

// isDense reports whether a line is longer than two, and six in ten of its words are
// none: names with versions, settings, data. Paths may be what somebody lists.
func isDense(line string) bool {
	if len(line) < 2*longLine {
		return false
	}
	words, none := 0, 0
	for f := range strings.FieldsSeq(line) {
		words++
		if hasDigit(f) || strings.ContainsAny(f, "=@") {
			none++
		}
	}
	return 10*none >= 6*words
}

// headOf returns what a line of a program's output begins with, numbers aside, or
// nothing if people or a program's text may begin so: such a line also has something
// that is no word.
func headOf(line string) string {
	line = strings.TrimSpace(line)
	first, rest, _ := strings.Cut(line, " ")
	switch {
	case len(first) < 2 || written().MatchString(line) || !strings.ContainsFunc(first, isNoDigit):
		return ""
	case strings.HasSuffix(line, ".") && strings.Count(line, " ") >= sentence:
		return ""
	case !strings.ContainsAny(rest, "0123456789/._:") && !slices.ContainsFunc(strings.Fields(rest), Compound):
		return ""
	}
	return digits().ReplaceAllString(first, "0")
}

// markRepeated gives lines their form that begin as many near them do.
func markRepeated(forms []pasted, lines []string) {
	at := map[string][]int{} // lines by what they begin with
	for i, line := range lines {
		if forms[i] == spoken && !isFrame(line) {
			if head := headOf(line); head != "" {
				at[head] = append(at[head], i)
			}
		}
	}
	for _, list := range at {
		from := 0
		for k, i := range list {
			for list[from] <= i-nearRepeated {
				from++
			}
			if k-from+1 >= leastRepeated {
				for _, j := range list[from : k+1] {
					forms[j] = repeated
				}
			}
		}
	}
}

// withoutPasted takes out of a task what was pasted. If what remains says nothing, all
// of it is what the task says, and told is false.
func withoutPasted(task string) (said string, told bool) {
	lines := slices.Collect(strings.Lines(task))
	if len(lines) < leastPasted && len(task) < leastPasted*longLine {
		return task, true
	}
	forms := make([]pasted, len(lines))
	for i, line := range lines {
		forms[i] = formOf(line)
	}
	markRepeated(forms, lines)

	out := make([]bool, len(lines))
	for i := 0; i < len(lines); {
		end, n := runOf(forms, lines, i)
		if n >= leastPasted {
			takeOut(out, forms, lines, i, end)
		}
		i = max(end, i+1)
	}
	if !slices.Contains(out, true) {
		return task, true
	}

	// What failed is no title if somebody says something below it, nor is what else
	// stands in a block at the beginning.
	var a terms.Analyzer
	var b, failed strings.Builder
	var fences markdown.Fences
	first := true
	for i, line := range lines {
		switch {
		case out[i]:
		case first && (forms[i] != spoken || fences.Line([]byte(line)) != markdown.Prose):
			failed.WriteString(line)
		default:
			b.WriteString(line)
			first = first && !tells(&a, line)
		}
	}
	switch said = b.String(); {
	case !tells(&a, said):
		said = strings.TrimLeft(failed.String(), "`~\n") + "\n" + said
	case failed.Len() > 0:
		said = strings.TrimRight(said, "\n") + "\n\n" + failed.String()
	}
	if !tells(&a, said) {
		return task, false
	}
	return said, true
}

// tells reports whether a text has a word that is no small talk.
func tells(a *terms.Analyzer, text string) (found bool) {
	a.Each([]byte(text), func(t uint64) { found = found || !Smalltalk(t) })
	return found
}

// runOf returns where a run of lines of pasted forms that begins at a line ends, and
// how many it has: none, if the line is no such line.
func runOf(forms []pasted, lines []string, from int) (end, n int) {
	end = from
	for i, gap := from, 0; i < len(lines) && gap <= widestGap; i++ {
		switch {
		case forms[i] != spoken:
			end, gap = i+1, 0
			n += 1 + len(lines[i])/longLine
		case n == 0:
			return from, 0
		case strings.TrimSpace(lines[i]) != "":
			gap++
		}
	}
	return end, n
}

// takeOut marks the lines of a run that say nothing.
func takeOut(out []bool, forms []pasted, lines []string, from, end int) {
	seen := map[string]bool{}
	for i := from; i < end; i++ {
		switch forms[i] {
		case spoken:
			continue
		case logged, repeated:
			if isFrame(lines[i]) && placed().MatchString(strings.TrimSpace(lines[i])) {
				continue // of a traceback that was logged line by line
			}
			if key := shapeOf(lines[i]); failing().MatchString(lines[i]) && len(seen) < mostFailing && !seen[key] {
				seen[key] = true
				continue
			}
		}
		out[i] = true
	}
}

// shapeOf is what two lines of a log share that say the same of another thing: all
// but what stands in words with digits, of which times, numbers and ids are made.
func shapeOf(line string) string {
	var b strings.Builder
	for f := range strings.FieldsSeq(line) {
		if !hasDigit(f) {
			b.WriteString(f)
		}
		b.WriteByte(' ')
	}
	return b.String()
}
