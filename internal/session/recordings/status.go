package recordings

import (
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// A Status says what fills the window of a session; it is the JSON form of
// satchel status.
type Status struct {
	Version     int                  `json:"version"`
	Path        string               `json:"path"`
	Format      transcript.Format    `json:"format"`
	ID          string               `json:"id,omitempty"`
	Title       string               `json:"title,omitempty"`
	Model       string               `json:"model"`
	Used        tokens.Count         `json:"used"`
	UsedSource  string               `json:"used_source"` // provider or estimated
	Window      int                  `json:"window"`      // 0 if it is not known; Percent and Free are null then
	Source      string               `json:"window_source"`
	Percent     *int                 `json:"percent"`
	Level       budget.Level         `json:"level"`
	Turns       int                  `json:"turns"` // that fit still; -1 if that is unknown
	Sections    []trim.Fill          `json:"sections"`
	Free        *int                 `json:"free"`
	History     []trim.Growth        `json:"history"`
	Reported    bool                 `json:"history_reported"` // by the provider; else it is an estimate
	Items       []Piece              `json:"items"`
	Omitted     Omitted              `json:"omitted"` // by --limit
	Frees       Frees                `json:"frees"`
	Compactions int                  `json:"compactions"`
	Warning     string               `json:"warning,omitempty"`
	Advice      []string             `json:"advice"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`

	stats *trim.Stats
}

// A Piece is one of the largest things in a window, and what could be done
// about it.
type Piece struct {
	trim.Piece
	Action string `json:"action,omitempty"`
}

// Omitted counts the items that are not listed.
type Omitted struct {
	Items  int `json:"items"`
	Tokens int `json:"tokens"`
}

// Frees is how many tokens could be won.
type Frees struct {
	Items int `json:"items"` // what the states of all items say
	Trim  int `json:"trim"`  // a trim to the default share of the window
}

// StatusOf says what the messages in v take, which are those of s, in tokens of a
// model; secrets are redacted. At most limit items are listed. How full the window
// is say [Status.Within] and [Status.WithoutWindow].
func StatusOf(path string, s *transcript.Session, model tokens.Model, v *trim.Inventory, limit int) *Status {
	c := v.Contents(model, s)
	r := &Status{Version: 2, Path: path, Format: s.Format, ID: s.ID, Title: s.Title, Model: model.Name, Used: c.Stats.Context, UsedSource: render.CountSource(c.Stats.Context),
		Turns: -1, Sections: c.Sections, History: c.Growth, Reported: c.Reported,
		Items: []Piece{}, Compactions: s.Compactions, Advice: []string{}, Diagnostics: append([]satchel.Diagnostic{}, s.Diagnostics...), stats: c.Stats}
	for i, it := range c.Items {
		r.Frees.Items += it.Frees
		if i >= limit {
			r.Omitted.Items++
			r.Omitted.Tokens += it.Tokens.Tokens
			continue
		}
		r.Items = append(r.Items, Piece{it, action(&it)})
	}
	if c.Cleared > 0 {
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("the messages add up to %s tokens more than the provider counted: the sections are scaled down", render.Thousands(c.Cleared))})
	}
	return r
}

// Within says how full the window is.
func (r *Status) Within(w Window) (*Status, error) {
	p, err := PressureOf(r.stats, w)
	if err != nil {
		return nil, err
	}
	free := max(0, w.Tokens-p.Used.Tokens)
	r.Window, r.Source, r.Percent, r.Free = w.Tokens, w.Source, &p.Percent, &free
	r.Level, r.Turns, r.Frees.Trim = p.Level, p.Turns, p.Frees
	r.Warning = render.WindowWarning(p.Percent, w.Thresholds)
	r.Advice = append(r.Advice, render.WindowAdvice(r.Bar())...)
	return r, nil
}

// WithoutWindow records why the size of the window is unknown. The numbers have no
// percentages then.
func (r *Status) WithoutWindow(why, source string) *Status {
	r.Source = source
	r.Frees.Trim = r.stats.Frees()
	r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: why})
	r.Advice = append(r.Advice, render.WindowAdvice(r.Bar())...)
	return r
}

// action returns advice about an item.
func action(it *trim.Piece) string {
	left := render.Compact(it.Tokens.Tokens - it.Frees)
	switch it.State {
	case trim.Duplicate:
		return "keep the last → " + left
	case trim.Outdated:
		return "drop the old text"
	case trim.Compressible:
		return "similar lines → " + left
	case trim.Pinned:
		return "newest prompt: kept"
	}
	return ""
}

// Bar is the session as render draws it.
func (r *Status) Bar() *render.Window {
	w := &render.Window{Tokens: r.Window}
	for _, s := range r.Sections {
		w.Sections = append(w.Sections, render.Section{Name: s.Name, Short: shortSections[s.Name], Tokens: s.Tokens.Tokens})
	}
	return w
}

// shortSections name sections in the bar.
var shortSections = map[string]string{"system": "sys", "tools": "tools", "injected": "inj", "files": "files", "tool output": "output", "chat": "chat", "thinking": "think"}

// Stats say where the tokens of a session are; they are the JSON form of satchel
// session stats.
type Stats struct {
	Version     int               `json:"version"`
	Path        string            `json:"path"`
	Format      transcript.Format `json:"format"`
	ID          string            `json:"id,omitempty"`
	Title       string            `json:"title,omitempty"`
	Model       string            `json:"model,omitempty"`
	Bytes       int64             `json:"bytes"`
	Records     int               `json:"records"`
	Skipped     int               `json:"skipped"`     // malformed
	Earlier     int               `json:"earlier"`     // messages that are recorded and not sent
	Compactions int               `json:"compactions"` // on the active branch
	*trim.Stats
	Source   string           `json:"source"` // of Context: provider or estimated
	Window   int              `json:"window"` // 0 if it is not known
	Pressure *budget.Pressure `json:"pressure,omitempty"`
	Frees    struct {
		Clean int `json:"clean"` // what later messages repeat
		Trim  int `json:"trim"`  // down to the default share of the window
	} `json:"frees"`
	Diagnostics []satchel.Diagnostic `json:"diagnostics"`
}

// StatsOf returns the numbers of a counted session. Secrets are redacted by those who
// read it: [session.RedactHead], and the Mask of the Census. How full the window is says [Stats.Within].
func StatsOf(path string, s *transcript.Session, model tokens.Model, c *trim.Stats) *Stats {
	r := &Stats{Version: 2, Path: path, Format: s.Format, ID: s.ID, Title: s.Title, Model: model.Name, Bytes: s.Bytes,
		Records: s.Records, Skipped: s.Skipped, Earlier: s.Earlier, Compactions: s.Compactions, Stats: c,
		Source: render.CountSource(c.Context), Diagnostics: append([]satchel.Diagnostic{}, s.Diagnostics...)}
	r.Frees.Clean = c.Frees()
	r.Frees.Trim = r.Frees.Clean
	return r
}

// Within says how full the window is.
func (r *Stats) Within(w Window) error {
	p, err := PressureOf(r.Stats, w)
	if err != nil {
		return err
	}
	r.Window, r.Pressure, r.Frees.Trim = w.Tokens, &p, p.Frees
	if w.Source != "window of "+r.Model {
		r.Diagnostics = append(r.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("the window is %s tokens: %s", render.Thousands(w.Tokens), w.Source)})
	}
	return nil
}

// A Window is how much a model takes in, where that number comes from, and from
// which shares of it on anything is said.
type Window struct {
	Tokens     int
	Source     string // for people: "window of claude-sonnet-4-5"
	Thresholds budget.Thresholds
}

// TrimShare is the share of the window, in percent, that a trim goes down to:
// with the prices of prompt caches, to compact rarely and deep is cheapest.
const TrimShare = 30

// PressureOf says how full the window of a counted session is, and what trimming
// to the usual target would free. What no message holds cannot be trimmed.
func PressureOf(c *trim.Stats, w Window) (budget.Pressure, error) {
	p, err := budget.PressureOf(c.Context, w.Tokens, w.Thresholds)
	if err != nil {
		return p, err
	}
	sizes := c.Steps
	if n := len(sizes); n == 0 || sizes[n-1] != c.Context.Tokens {
		sizes = append(sizes[:n:n], c.Context.Tokens)
	}
	p.Turns = budget.TurnsLeft(sizes, w.Tokens)
	messages := c.Context.Tokens - c.Hidden.Tokens
	p.Frees = max(messages-w.Tokens*TrimShare/100, c.Frees())
	return p, nil
}
