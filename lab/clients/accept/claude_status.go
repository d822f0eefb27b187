package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// claudeStatus compares three accounts of the window of an interactive Claude Code:
// what it tells its status line, what its /context shows, and what satchel says.
func claudeStatus(t *trial) {
	b := t.setup("claude")
	t.installed(b, "claude")
	// The tap keeps what the status line is told and says.
	if err := b.program(fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = statusline ]; then tee -a '%[2]s/status.in' | '%[1]s' \"$@\" | tee -a '%[2]s/status.out'; else exec '%[1]s' \"$@\"; fi\n", t.satchel, b.dir)); err != nil {
		panic(notRun{err.Error()})
	}
	s := t.screen(b)
	defer s.close()
	var next float64 // tokens of which satchel said that they will be sent with the next prompt
	for i, prompt := range []string{"hello @@say FIRST@@", "again @@say SECOND@@", "and again @@usage 120000@@ @@say THIRD@@"} {
		real := !usageDirective.MatchString(prompt)
		if !s.ask(prompt) {
			return
		}
		told, ok := t.statusLine(b, s, i)
		if !ok {
			return
		}
		if next > 0 && real {
			// What /context said stands in the window, too, but not as it was shown.
			t.want(near(next, told.used(), 0.02), "satchel status said %v tokens after /context, of which %v were sent", next, told.used())
			t.fact("%.0f of the %.0f tokens sent after /context", next, told.used())
		}
		ours := t.status(b)
		if !s.say("/context", "Free space") || !s.until("/context", func() bool { return strings.Count(s.text(), "Free space") == i+1 }) {
			return
		}
		t.account(ours, told, readContext(s.text()), real)
		time.Sleep(time.Second) // until it is in the transcript
		next = t.status(b).Used.Tokens
	}
}

// A window is what Claude Code tells its status line.
type window struct {
	Size    float64 `json:"context_window_size"`
	Percent float64 `json:"used_percentage"`
	Usage   struct {
		Input float64 `json:"input_tokens"`
		Write float64 `json:"cache_creation_input_tokens"`
		Read  float64 `json:"cache_read_input_tokens"`
	} `json:"current_usage"`
	said float64 // percent, that satchel's line says of it
	line string
}

func (w *window) used() float64 { return w.Usage.Input + w.Usage.Write + w.Usage.Read }

var percentage = regexp.MustCompile(`(\d+(?:\.\d+)?)\s?%`)

// statusLine waits until Claude Code has told its status line of as many answers,
// and returns what it was told last and what satchel said.
func (t *trial) statusLine(b *box, s *screen, answers int) (last window, ok bool) {
	ok = s.until("the status line", func() bool {
		sizes := map[float64]bool{}
		for line := range strings.Lines(b.recorded("status.in")) {
			var m struct {
				Window window `json:"context_window"`
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.Window.used() > 0 {
				last = m.Window
				sizes[last.used()] = true
			}
		}
		return len(sizes) > answers
	})
	time.Sleep(2 * time.Second) // it comes again when the answer is done
	lines := strings.Split(strings.TrimSpace(b.recorded("status.out")), "\n")
	last.line, last.said = lines[len(lines)-1], -1
	if m := percentage.FindStringSubmatch(last.line); m != nil {
		last.said, _ = strconv.ParseFloat(m[1], 64)
	}
	return last, ok
}

// A contextView is what /context shows.
type contextView struct {
	total, size, percent float64
	parts                map[string]float64 // tokens that are in the window, by category
	left                 float64            // free, or kept free for a compaction
}

var (
	contextTotal = regexp.MustCompile(`([\d.]+[km]?)/([\d.]+[km]?) tokens \((\d+)%\)`)
	contextPart  = regexp.MustCompile(`(\S) ([A-Z][\w ()]*): ([\d.]+[km]?) tokens \(`)
)

// readContext reads the last answer to /context on a screen.
func readContext(text string) *contextView {
	v := &contextView{parts: map[string]float64{}}
	text = text[max(0, strings.LastIndex(text, "Context usage")):]
	if m := contextTotal.FindStringSubmatch(text); m != nil {
		v.total, v.size, v.percent = tokens(m[1]), tokens(m[2]), tokens(m[3])
	}
	for _, m := range contextPart.FindAllStringSubmatch(text, -1) {
		switch {
		case strings.Contains(m[2], "deferred"): // not in the window
		case m[2] == "Free space", strings.Contains(m[2], "buffer"):
			v.left += tokens(m[3])
		default:
			v.parts[m[2]] = tokens(m[3])
		}
	}
	return v
}

// tokens reads a number as /context writes it.
func tokens(s string) float64 {
	unit := 1.0
	switch {
	case strings.HasSuffix(s, "k"):
		unit = 1e3
	case strings.HasSuffix(s, "m"):
		unit = 1e6
	}
	n, _ := strconv.ParseFloat(strings.TrimRight(s, "km"), 64)
	return n * unit
}

// An ownStatus is what satchel status says.
type ownStatus struct {
	Used     struct{ Tokens float64 }
	Percent  float64
	Sections []struct {
		Name string
		Size struct{ Tokens float64 }
	}
}

func (t *trial) status(b *box) (v ownStatus) {
	files, _ := filepath.Glob(filepath.Join(b.home, ".claude/projects/*/*.jsonl")) // the pattern is fine
	if len(files) != 1 {
		t.fail("%d sessions", len(files))
		return v
	}
	r := b.satchel("status", files[0], "--json")
	if err := json.Unmarshal(r.out, &v); err != nil {
		t.fail("satchel status: %v: %s", err, r.err)
	}
	return v
}

// near reports whether a is b, to a share of it.
func near(a, b, share float64) bool { return a > 0 && math.Abs(a-b) <= share*b }

// account compares the three accounts. The sections are compared only if what was
// reported to be used is what was sent.
func (t *trial) account(ours ownStatus, told window, shown *contextView, real bool) {
	// Each account adds up: /context rounds each number to a hundred.
	sum, rounding := 0.0, 50.0
	for _, n := range shown.parts {
		sum += n
		rounding += 50
	}
	t.want(len(shown.parts) >= 4 && math.Abs(sum-shown.total) <= rounding, "the categories of /context are %v of %v: %v", sum, shown.total, shown.parts)
	t.want(math.Abs(sum+shown.left-shown.size) <= rounding+50, "the categories of /context and what is free are %v of %v", sum+shown.left, shown.size)
	sections := map[string]float64{}
	own := 0.0
	for _, s := range ours.Sections {
		sections[s.Name] = s.Size.Tokens
		own += s.Size.Tokens
	}
	t.want(own == ours.Used.Tokens, "the sections of satchel status are %v of %v tokens", own, ours.Used.Tokens)

	// They agree: to 2 % of the tokens, and to 2 of 100 of the window.
	t.want(near(ours.Used.Tokens, told.used(), 0.02), "satchel status says %v tokens, the status line was told %v", ours.Used.Tokens, told.used())
	t.want(near(ours.Used.Tokens, shown.total, 0.02), "satchel status says %v tokens, /context shows %v", ours.Used.Tokens, shown.total)
	for name, percent := range map[string]float64{"satchel statusline": told.said, "satchel status": ours.Percent, "/context": shown.percent} {
		t.want(math.Abs(percent-told.Percent) <= 2, "%s says %v %%, Claude Code %v %%: %q", name, percent, told.Percent, told.line)
	}
	t.fact("%v %% of Claude Code's %v %%", told.said, told.Percent)
	t.fact("%.0f tokens of /context's %.0f, whose %d categories sum to %.0f and ours to %.0f", ours.Used.Tokens, shown.total, len(shown.parts), sum, own)
	if !real {
		return
	}
	// Claude Code takes the list of skills out of the tools, although it stands in
	// a message. Messages are not compared: satchel estimates real tokens, and to
	// the fake API four bytes are one.
	for _, c := range []struct {
		name       string
		ours, want float64
	}{
		{"system", sections["system"], shown.parts["System prompt"]},
		{"tools", sections["tools"], shown.parts["System tools"] + shown.parts["MCP tools"] + shown.parts["Skills"]},
	} {
		t.want(near(c.ours, c.want, 0.10), "%s: satchel says %v tokens, /context %v", c.name, c.ours, c.want)
		t.fact("%s %.0f of %.0f", c.name, c.ours, c.want)
	}
}
