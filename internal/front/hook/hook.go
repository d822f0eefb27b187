// Package hook answers the hooks of coding agents: it reads what an agent says
// about a session, asks the engine, and writes what the agent takes for an answer.
//
// A hook stands between a person and their agent. So [Run] never fails and never
// takes long: whatever goes wrong, the agent gets no answer, which all of them
// take for nothing to say. It writes one JSON document or nothing, but before a
// compaction of Claude Code plain text.
//
// What agents send and accept was measured on Claude Code 2.1.329, Codex 0.169.0,
// Gemini CLI 0.61.0, Copilot CLI 1.0.102, opencode 1.18.33 and pi 0.73.1;
// docs/automate.md describes what they get. Package agents has a row for each agent.
package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/agents"
)

// Options say who is asked, and for what.
type Options struct {
	Client string
	Event  string // empty means that the input names it

	Stdin  io.Reader
	Stdout io.Writer

	Dir string // the working folder of the process, if the input has none for the session
	Now time.Time

	// Open opens the engine on a folder. It may set Characters, Silent, Keep, Retention
	// and Refresh of these options: what they are is known only where the session
	// is.
	Open func(ctx context.Context, dir string) (*engine.Engine, error)

	// Refresh starts a process that updates the index of a folder, without waiting
	// for it. It may be nil.
	Refresh func(dir string) error

	// Characters is the most that is put beside a prompt, in UTF-16 units; 0
	// means session.DefaultCharacters, and a negative number nothing but what must
	// come back after a compaction.
	Characters int

	// Silent says why nothing is put beside prompts, if Characters is negative.
	Silent string

	// Keep is of how many prompts is kept what they were given; 0 keeps nothing.
	Keep int

	// Retention is the retention of snapshots before a compaction.
	Retention string

	// Deadline is how long any event may take. 0 means as long as agents and
	// people bear.
	Deadline time.Duration
}

// A Report says what a hook did, for a log. Nothing of it goes to the agent.
type Report struct {
	Time       time.Time     `json:"time"`
	Client     string        `json:"client"`
	Event      string        `json:"event,omitempty"`
	Session    string        `json:"session,omitempty"`
	Dir        string        `json:"dir,omitempty"`
	Millis     int64         `json:"ms"`
	Characters int           `json:"characters"`      // that were answered
	Match      satchel.Match `json:"match,omitempty"` // of a prompt
	Relevance  float64       `json:"relevance,omitempty"`
	Why        string        `json:"why,omitempty"` // the reason for no answer
	Snapshot   string        `json:"snapshot,omitempty"`
	Error      string        `json:"error,omitempty"`
}

// maxInput is the most that is read of an input. The largest come from tools that
// print: agents cut those at some megabytes.
const maxInput = 32 << 20

// The deadlines. Agents wait for a hook for 5 to 10 seconds as they are set up by
// satchel install; a person waits less gladly.
const (
	promptDeadline  = 1500 * time.Millisecond
	toolDeadline    = time.Second
	compactDeadline = 6 * time.Second
)

// deadline is how long an event may take, from the start of the process.
func (o *Options) deadline(k agents.Meaning) time.Duration {
	if o.Deadline > 0 {
		return o.Deadline
	}
	switch k {
	case agents.BeforeCompact, agents.MaybeCompact, agents.Start: // a session may start because it was compacted
		return compactDeadline
	case agents.BeforeTool, agents.AfterTool, agents.Pruned:
		return toolDeadline
	}
	return promptDeadline
}

// Run answers one event, and returns what it did. It never panics, and never
// takes much longer than its deadline: work that does not end is left behind, and
// ends with the process or when ctx does.
func Run(ctx context.Context, o *Options) Report {
	began := time.Now()
	r := Report{Time: o.Now, Client: o.Client, Event: o.Event}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan Report, 1)
	limit := make(chan time.Duration, 1)
	go func() {
		out := r
		defer func() {
			if p := recover(); p != nil {
				out.Error = fmt.Sprintf("panic: %v", p)
			}
			done <- out
		}()
		answer(ctx, o, &out, limit)
	}()
	timer := time.NewTimer(o.deadline(agents.Prompt))
	defer timer.Stop()
	for {
		select {
		case r = <-done:
		case d := <-limit:
			timer.Reset(d - time.Since(began))
			continue
		case <-timer.C:
			cancel()
			r.Error = "the deadline has passed"
			// Children of this process are killed by the context: let that happen.
			select {
			case <-done:
			case <-time.After(grace):
			}
		}
		r.Millis = time.Since(began).Milliseconds()
		return r
	}
}

// grace is how long work that was cancelled may take to end its children.
const grace = 50 * time.Millisecond

// answer reads an event and answers it. It sends the deadline as soon as it knows the
// event.
func answer(ctx context.Context, o *Options, r *Report, limit chan<- time.Duration) {
	input, err := read(o.Stdin)
	if err != nil {
		r.Error = err.Error()
		return
	}
	c, ok := Clients[o.Client]
	if !ok {
		r.Error = "unknown client"
		return
	}
	ev, err := c.decode(o.Event, input)
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Event, r.Session = ev.name, ev.session
	if ev.kind == agents.Nothing {
		r.Why = "the event has no answer"
		return
	}
	limit <- o.deadline(ev.kind)
	ev.dir = place(ev.dir, o.Dir)
	r.Dir = ev.dir
	if ev.kind == agents.Pruned {
		o.write(r, pruneStale(ev.messages))
		return
	}
	if why := ev.idle(); why != "" {
		r.Why = why
		return
	}
	e, err := o.Open(ctx, ev.dir)
	if err != nil {
		r.Error = err.Error()
		return
	}
	defer e.Close()
	s := &reply{o: o, r: r, c: c, ev: ev, e: e}
	if ev.session != "" {
		s.id = o.Client + ":" + ev.session
	}
	if err := s.serve(ctx); err != nil {
		r.Error = err.Error()
	}
}

// read reads an input to its end, so that the agent never writes into a closed pipe,
// and refuses a long one.
func read(in io.Reader) ([]byte, error) {
	if in == nil {
		return nil, errors.New("no input")
	}
	b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	if len(b) > maxInput {
		_, _ = io.Copy(io.Discard, in) // until the deadline
		return nil, fmt.Errorf("the input is larger than %d bytes", maxInput)
	}
	return b, nil
}

// place returns the folder of a session: the folder in the input if it exists, else
// the working folder of the process.
func place(said, here string) string {
	if filepath.IsAbs(said) {
		if st, err := os.Stat(said); err == nil && st.IsDir() {
			return said
		}
	}
	return here
}

// write writes an answer in one piece.
func (o *Options) write(r *Report, answer []byte) {
	if len(answer) == 0 {
		return
	}
	if _, err := o.Stdout.Write(answer); err != nil {
		r.Error = "write standard output: " + err.Error()
		r.Characters = 0
	}
}

// encode writes a JSON document on one line.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}
