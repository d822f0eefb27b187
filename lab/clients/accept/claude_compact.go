package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

const (
	pinned = "PINNED-NOTE: the proxy is never bypassed"

	// full is what a prompt reports to be used, so that Claude Code compacts before
	// the next one.
	full = "@@usage 150000@@"
)

// claudeCompact has Claude Code compact by itself and by hand, and fail to.
func claudeCompact(t *trial) {
	c := &compaction{trial: t}
	c.byItself()
	c.byHand()
	t.fact("%d compactions by Claude Code itself and %d by /compact, %d more failed", c.auto, c.manual, c.failed)
	t.fact("%d requests for a summary, each told what must survive once", c.asked)
	t.fact("%d PreCompact, each with a snapshot of what the model had been sent", c.pre)
	t.fact("the pinned note in %d requests after a compaction, once each, and in none after a failed one", c.back)
}

// A compaction counts what is seen of the compactions of a trial.
type compaction struct {
	*trial
	auto, manual, failed int
	asked, pre, back     int
}

// talk is a conversation of one process of Claude Code that compacts when it is
// told that 100,000 tokens are used.
func (c *compaction) talk(b *box, prompts ...string) {
	r := b.claudeTurns(prompts, "--autocompact", "100000")
	c.want(r.code == 0, "claude ended with %d: %s", r.code, r.err)
	results := map[string]int{}
	for line := range strings.Lines(string(r.out)) {
		var m struct {
			Result   string `json:"compact_result"`
			Error    string `json:"compact_error"`
			Subtype  string
			Metadata struct{ Trigger string } `json:"compact_metadata"`
		}
		switch {
		case json.Unmarshal([]byte(line), &m) != nil:
		case m.Subtype == "compact_boundary":
			results[m.Metadata.Trigger]++
		case m.Result == "failed":
			results["failed"]++
			results["failed: "+m.Error]++
		}
	}
	c.auto += results["auto"]
	c.manual += results["manual"]
	c.failed += results["failed"]
}

// noted makes a box with an agent, satchel and a pinned note.
func (t *trial) noted(agent string, settings ...func(*box) error) *box {
	b := t.setup(agent, settings...)
	t.installed(b, agent)
	if r := b.satchel("note", "add", pinned, "--pin"); r.code != 0 {
		t.fail("note add: %s", r.err)
	}
	return b
}

// byItself reports a window that is filling up: the first compaction finds too
// little to sum up, the second gets an error for a summary, the third and the
// fourth are done, the last in the middle of a turn.
func (c *compaction) byItself() {
	b := c.noted("claude")
	read := ` @@tool Read {"file_path":"` + filepath.Join(b.repo, answer) + `"}@@ `
	c.talk(b,
		"prompt-1 "+full+" @@say A@@",
		"prompt-2 "+full+" "+unsummed+" @@say B@@",
		"prompt-3 "+full+" @@say C@@",
		"prompt-4 @@usage 5000@@ @@say D@@",
		"prompt-5"+read+full+" @@say E@@",
		"prompt-6 @@usage 5000@@ @@say F@@")
	c.want(c.failed == 2 && c.auto == 2, "%d compactions failed and %d were done, want 2 and 2", c.failed, c.auto)
	c.precompact(b, "auto", 4)
	c.summaries(b)
	c.told(b, "prompt-1", 0)
	c.told(b, "prompt-2", 0) // too little to sum up
	c.told(b, "prompt-3", 0) // an error
	c.told(b, "prompt-4", 1)
	c.told(b, "prompt-5", 1)
	c.told(b, "prompt-6", 1)
	started := c.starts(b)
	c.want(started == c.auto, "the session's start told the note %d times after %d compactions", started, c.auto)
}

// byHand lets the user ask for a compaction that fails, then for one that does
// not, and go on in a new process.
func (c *compaction) byHand() {
	b := c.noted("claude")
	done, failed := c.manual, c.failed
	c.talk(b, "prompt-1 "+unsummed+" @@say A@@", "/compact keep names", "prompt-2 @@say B@@", "prompt-3 @@say C@@", "/compact keep names", "prompt-4 @@say D@@")
	done, failed = c.manual-done, c.failed-failed
	c.want(failed == 1 && done == 1, "/compact: %d failed and %d were done, want 1 and 1", failed, done)
	c.precompact(b, "manual", 2)
	c.summaries(b)
	c.told(b, "prompt-2", 0)
	c.told(b, "prompt-3", 0)
	c.told(b, "prompt-4", 1)
	session := field(b.hooks()[0].in, "session_id")
	b.api.clear()
	c.want(b.claude("prompt-5 @@say E@@", "--resume", session).code == 0, "claude does not resume the session")
	c.told(b, "prompt-5", 1)
	c.want(c.starts(b) == 0, "the session's start told the note although /compact shows it")
}

// precompact checks the calls of PreCompact: each prints what must survive, and each
// leaves a snapshot.
func (c *compaction) precompact(b *box, trigger string, want int) {
	shots := c.snapshots(b)
	calls := b.event("PreCompact")
	c.want(len(calls) == want, "%d calls of PreCompact, want %d", len(calls), want)
	for _, h := range calls {
		c.want(field(h.in, "trigger") == trigger, "PreCompact was triggered by %q, want %q", field(h.in, "trigger"), trigger)
		c.want(strings.Count(h.out, pinned) == 1, "PreCompact tells the note %d times: %s", strings.Count(h.out, pinned), h.out)
		id := field(h.log, "snapshot")
		if !slices.Contains(shots, id) {
			c.fail("there is no snapshot of a PreCompact: %s", h.log)
			continue
		}
		c.pre++
	}
}

// summaries checks that each request for a summary was told, word for word, what
// one call of PreCompact says.
func (c *compaction) summaries(b *box) {
	calls := b.event("PreCompact")
	asked := 0
	for _, r := range b.api.seen() {
		var body object
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		turns := turnsOf(body)
		if len(turns) == 0 || !asksForSummary(turns[len(turns)-1]) {
			continue
		}
		asked++
		text := turns[len(turns)-1].text
		c.want(strings.Count(text, pinned) == 1, "the summariser was told the note %d times", strings.Count(text, pinned))
		c.want(slices.ContainsFunc(calls, func(h hookCall) bool { return strings.Contains(text, strings.TrimSpace(h.out)) }), "the summariser was not told what PreCompact says: %s", text)
	}
	c.want(asked > 0, "nobody was asked for a summary")
	c.asked += asked
}

// told checks how many times the first request for a prompt holds the note, and
// that what the user said before a compaction comes with it.
func (c *compaction) told(b *box, prompt string, want int) {
	for _, r := range b.api.seen() {
		var body object
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		turns := turnsOf(body)
		if len(turns) == 0 || asksForSummary(turns[len(turns)-1]) || !strings.Contains(turns[len(turns)-1].text, prompt) {
			continue
		}
		all := strings.Join(texts(r.Body), "\n")
		n := strings.Count(all, pinned)
		c.want(n == want, "%s: the model was told the note %d times, want %d", prompt, n, want)
		c.want(strings.Count(all, "> prompt-1 ") == want, "%s: the model was told %d times what the user had said, want %d", prompt, strings.Count(all, "> prompt-1 "), want)
		c.want(strings.Contains(all, summary) == (want > 0), "%s: summed up: %t, want %t", prompt, strings.Contains(all, summary), want > 0)
		c.back += n
		return
	}
	c.fail("%s did not reach the model", prompt)
}

// starts counts the starts of a session after a compaction that brought the note
// back.
func (c *compaction) starts(b *box) (n int) {
	for _, h := range b.event("SessionStart") {
		if field(h.in, "source") == "compact" && strings.Contains(h.out, pinned) {
			n++
		}
	}
	return n
}
