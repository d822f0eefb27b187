package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/internal/session"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// gitClaw takes from a context.json how the profile gitclaw divides the window:
// the budget and the trigger, unless they were given, and their shares.
func (a *app) gitClaw(t *trimRun, f *trimFlags) error {
	if t.profile != profileGitClaw {
		return nil
	}
	plan, err := f.readPlan(a)
	if err != nil {
		return err
	}
	p := gitclaw.DefaultPlan()
	if plan != nil {
		p = *plan
	}
	t.shares = gitclaw.Shares{Recent: p.Percent("sessionRecent"), Summary: p.Percent("sessionSummary")}
	if f.given("budget") {
		return nil
	}
	sum := t.shares.Recent + t.shares.Summary
	if sum == 0 {
		return fmt.Errorf("%s allocates nothing to sessionRecent and sessionSummary: there is no room for a session", f.file)
	}
	f.budget = fmt.Sprintf("%d%%", sum)
	if threshold := p.Compress * fullPercent; plan != nil && !f.given("trigger") && threshold > float64(sum) {
		f.trigger = fmt.Sprintf("%g%%", threshold)
	}
	return nil
}

// A summary is a model's, on top of the digest. A nil one was not asked for.
type summary struct {
	endpoint llm.Endpoint
	client   *llm.Client // nil for a dry run
	request  *session.SummaryRequest
	limits   session.SummaryLimits
	sent     int // bytes
}

// summary prepares to ask a model, if the user configured one and asked for it.
// A context.json that lies in the project is not the user's word: it counts if
// --context names it.
func (a *app) summary(ctx context.Context, f *trimFlags) (*summary, error) {
	c, none := a.Settings.Summarizer()
	if !f.given("summarize") {
		plan, err := f.readPlan(a)
		if err != nil {
			return nil, err
		}
		switch {
		case plan == nil || !plan.LLM:
			return nil, nil
		case none != nil:
			a.Diagnostics([]satchel.Diagnostic{{Text: f.file + " asks for a model's summary, but " + none.Error()}})
			return nil, nil
		case f.context == "":
			a.Diagnostics([]satchel.Diagnostic{{Text: "the project's " + f.file + " asks for a model's summary, but no model was asked: allow it with --summarize"}})
			return nil, nil
		}
	} else if !f.summarize {
		return nil, nil
	}
	if none != nil {
		return nil, a.NoModel(none)
	}
	s := &summary{endpoint: c.Endpoint("")}
	// A person waits for it, and it is short.
	s.endpoint.Timeout = cmp.Or(s.endpoint.Timeout, summaryTimeout)
	s.endpoint.MaxTokens = cmp.Or(s.endpoint.MaxTokens, summaryTokens)
	if f.dryRun {
		return s, nil
	}
	var err error
	if s.endpoint.Key, err = a.Key(ctx, c, "a summary", "leave out --summarize"); err != nil {
		return nil, err
	}
	s.client, err = llm.New(s.endpoint, &llm.Options{Pause: a.Env.Pause})
	return s, err
}

// Bounds of a summary, unless the configuration has others.
const (
	summaryTimeout = time.Minute
	summaryTokens  = 1024
)

// trim cuts messages, with the model's summary on top if s is not nil. A dry
// run only prepares the question.
func (s *summary) trim(ctx context.Context, messages []transcript.Message, o trim.Options, cut trim.Cut, dryRun bool) (*trim.Result, error) {
	switch {
	case s == nil:
		return cut(messages, o)
	case !dryRun:
		return session.Summarize(ctx, messages, o, cut, s, s.endpoint.Model, s.limits)
	}
	res, err := cut(messages, o)
	if err != nil {
		return nil, err
	}
	s.request, err = session.AskForSummary(messages, o, cut, s.limits)
	if errors.Is(err, session.ErrNothingToSummarize) {
		res.Diagnostics = append(res.Diagnostics, satchel.Diagnostic{Text: err.Error()})
		err = nil
	}
	return res, err
}

// Ask asks the model and remembers how much was sent.
func (s *summary) Ask(ctx context.Context, call *llm.Call, watch func(llm.Delta)) (*llm.Answer, error) {
	s.sent = len(call.System)
	for _, m := range call.Messages {
		for _, b := range m.Blocks {
			s.sent += len(b.Text)
		}
	}
	return s.client.Ask(ctx, call, watch)
}

// sentText says what was sent; "" if nothing was.
func (s *summary) sentText() string {
	if s == nil || s.sent == 0 {
		return ""
	}
	return fmt.Sprintf("for a summary %s bytes went to %s (%s)", render.Thousands(s.sent), s.endpoint.Address(), s.endpoint.Model)
}

// askedSummary is the JSON form of what a model would be asked.
type askedSummary struct {
	Endpoint string `json:"endpoint"`
	Model    string `json:"model"`
	Bytes    int    `json:"bytes"` // of texts; the protocol adds some
	Redacted int    `json:"redacted"`
	Room     int    `json:"room"` // tokens that the answer may take
}

func (s *summary) asked() *askedSummary {
	if s == nil || s.request == nil {
		return nil
	}
	return &askedSummary{s.endpoint.Address(), s.endpoint.Model, len(s.request.System) + len(s.request.Prompt), s.request.Redacted, s.request.Room}
}
