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
