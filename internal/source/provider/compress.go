package provider

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/tokens"
)

// What makes a line tell of an error, strongest first. A line has the weight of
// the first that matches.
var errorLines = []struct {
	weight float64
	re     func() *regexp.Regexp
}{
	{0, lazy.Regexp(`(?i)\b(0|no) (errors?|failures?|failed|problems?)\b|\berrors?: ?0\b|\bfailures?: ?0\b|\bfailed: ?0\b`)},
	{3, lazy.Regexp(`^\s*--- FAIL:|^(FAILED|ERROR)\s+\S|^not ok\b|\.\.\. FAILED$|panicked at|^panic:|^fatal error:|Traceback \(most recent call last\)|^\s*(●|✕|✗|×) |^FAIL\b|^E\s{2,}\S`)},
	{2.5, lazy.Regexp(`\b[A-Z]\w*(Error|Exception)\b|^Caused by:|: (fatal )?error(\[\w+\])?:|^error(\[\w+\])?:|\bAssertion\w* failed\b|segmentation fault|SIGSEGV|core dumped`)},
	{2, lazy.Regexp(`(?i)\b(error|fatal|panic|failed|failure|exception|undefined reference|cannot find|no such file|permission denied|out of memory|timed? ?out)\b`)},
	{0.3, lazy.Regexp(`(?i)\bwarn(ing)?\b`)},
}

// leastError is the weight from which on a line counts as an error.
const leastError = 2

// Bounds of what is shown.
const (
	aroundBefore = 2
	aroundAfter  = 4 // an error's explanation follows it
	maxErrorHits = 40
	longLine     = 400 // bytes
)

// compressed is what is shown of a log.
type compressed struct {
	text     string
	from, to int // of its lines, counted from 0
	cut      bool
}

// compress returns the lines of a log that tell of errors, with the lines around
// them, within a number of tokens (0 is no limit); those about the query and late
// ones first, and of equal errors only the last. It returns nil if none does.
func compress(lines []string, query string, budget int) *compressed {
	type hit struct {
		line   int
		weight float64
	}
	last := map[string]int{} // line of each error, without what differs from run to run
	times := map[string]int{}
	var hits []hit
	for i, l := range lines {
		if w := errorWeight(l); w >= leastError {
			key := shape(l)
			times[key]++
			last[key] = i
			hits = append(hits, hit{i, w})
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return last[shape(lines[h.line])] != h.line })
	if len(hits) == 0 {
		return nil
	}
	texts := make([]rank.Note, len(hits))
	for i, h := range hits {
		texts[i].Text = strings.Join(lines[h.line:min(len(lines), h.line+aroundAfter+1)], "\n")
	}
	about := overlaps(query, texts)
	for i := range hits {
		hits[i].weight += 2*about[i] + float64(hits[i].line)/float64(len(lines)) // a later one is newer
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.weight, a.weight), b.line-a.line) })
	if budget <= 0 {
		budget = math.MaxInt
	}
	shown := make([]bool, len(lines))
	var best *compressed
	count := tokens.O200k().Count
	for _, h := range hits[:min(len(hits), maxErrorHits)] {
		for _, around := range [][2]int{{aroundBefore, aroundAfter}, {0, 0}} {
			try := slices.Clone(shown)
			for i := max(0, h.line-around[0]); i <= min(len(lines)-1, h.line+around[1]); i++ {
				try[i] = true
			}
			c := write(lines, try, times)
			if count(c.text) <= budget {
				shown, best = try, c
				break
			}
		}
	}
	if best == nil { // not even one line fits: the manager cuts it
		shown[hits[0].line] = true
		best = write(lines, shown, times)
	}
	return best
}

// errorWeight says how clearly a line tells of an error; 0 if it does not.
func errorWeight(line string) float64 {
	line = line[:min(len(line), longLine)]
	for i := range errorLines {
		if errorLines[i].re().MatchString(line) {
			return errorLines[i].weight
		}
	}
	return 0
}

// shape is a line without numbers and ids, so that the same error at another time
// is equal.
var varying = lazy.Regexp(`0x[0-9a-fA-F]+|[0-9a-f]{8,}|\d+`)

func shape(line string) string {
	return varying().ReplaceAllString(strings.TrimSpace(line[:min(len(line), longLine)]), "#")
}

// write writes the lines that are shown, with marks for the others, and says how
// often an error came.
func write(lines []string, shown []bool, times map[string]int) *compressed {
	c := &compressed{from: -1}
	var b strings.Builder
	said := map[string]bool{}
	for i, l := range lines {
		if !shown[i] {
			if c.from >= 0 && shown[i-1] {
				b.WriteString(mark)
			}
			c.cut = true
			continue
		}
		if c.from < 0 {
			c.from = i
		}
		c.to = i
		if len(l) > longLine {
			l = strings.ToValidUTF8(l[:longLine], "") + "…"
		}
		b.WriteString(strings.TrimRight(l, "\r"))
		key := shape(lines[i])
		if n := times[key]; n > 1 && !said[key] {
			said[key] = true
			fmt.Fprintf(&b, "  (%d times)", n)
		}
		b.WriteByte('\n')
	}
	c.text = strings.TrimSuffix(b.String(), mark)
	return c
}

// junitFailures returns the failures of a JUnit report, or of the end of one, as
// lines of a log. What is wrong in one place costs only that place.
func junitFailures(text []byte) (lines []string) {
	for n := 0; len(text) > 0 && n < maxJunitParts; n++ {
		var read int64
		lines, read = junitPart(lines, text)
		text = text[min(len(text), int(max(read, 1))):]
	}
	return lines
}

// maxJunitParts is how often reading goes on behind a mistake. The end of a large
// report has an end tag without its start for each element that was open.
const maxJunitParts = 1000

// junitPart appends the failures up to the first mistake, and returns where that
// is.
func junitPart(lines []string, text []byte) ([]string, int64) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false
	d.Entity = map[string]string{}
	name := ""
	failing := false
	for depth := 0; ; {
		tok, err := d.Token()
		if err != nil {
			return lines, d.InputOffset()
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth++; depth > 100 {
				return lines, int64(len(text))
			}
			switch t.Name.Local {
			case "testcase":
				name = strings.Trim(attribute(t, "classname")+"."+attribute(t, "name"), ".")
			case "failure", "error":
				failing = true
				lines = append(lines, "FAILED "+name+": "+oneLine(attribute(t, "message")))
			}
		case xml.EndElement:
			depth--
			failing = failing && t.Name.Local != "failure" && t.Name.Local != "error"
		case xml.CharData:
			if failing && len(lines) < 10_000 {
				for l := range strings.SplitSeq(strings.TrimSpace(string(t)), "\n") {
					lines = append(lines, "  "+l)
				}
			}
		}
	}
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
