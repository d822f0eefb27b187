package finding

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/clip"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
)

// Limits of what is kept of a finding's words, in bytes.
const (
	longTitle    = 200
	longSaid     = 1000
	longBody     = 4000
	longQuote    = 500
	longRow      = 300
	longPath     = 300
	mostEvidence = 8
	mostLine     = 1 << 30
)

// scrub makes the words of a finding clean, and its values such as there are.
func (c *Change) scrub(f *Finding) {
	g := c.guard
	text := func(s string, limit int) string {
		g.Limit = limit
		s, taken := g.Text(s)
		f.Taken = append(f.Taken, taken...)
		return s
	}
	f.Taken, f.Why, f.Of, f.Places, f.UnknownNames, f.Lines, f.Inline, f.Replacement = nil, "", "", nil, nil, nil, false, ""
	f.Definition, f.Hash, f.ID, f.Fingerprint = "", "", "", ""
	f.Title = strings.Join(strings.Fields(text(f.Title, longTitle)), " ")
	f.Trigger, f.Consequence = text(f.Trigger, longSaid), text(f.Consequence, longSaid)
	f.Body = text(f.Body, longBody)
	f.Fix = c.fix(f, text)
	f.Confidence = min(max(f.Confidence, 0), 100)
	f.From = min(max(f.From, 0), mostLine)
	f.To = min(max(f.To, f.From), f.From+mostSpan)
	f.Severity, f.Category = severity(f.Severity), category(f.Category)
	if f.Side != Old {
		f.Side = New
	}
	switch f.Check {
	case Confirmed, Refuted, Unsure:
	default:
		f.Check = None
	}
	f.State = Visible
	f.Evidence = slices.Clone(f.Evidence[:min(len(f.Evidence), mostEvidence)])
}

// fix returns a fix: a block of code as it is but for hidden signs and secrets, since
// what acts in prose does nothing there; anything else as text.
func (c *Change) fix(f *Finding, text func(string, int) string) string {
	code, ok := block(f.Fix)
	if !ok || len(code) > longBody {
		return text(f.Fix, longBody)
	}
	plain, hidden := clean.Strip(code)
	for range hidden.Hidden + hidden.Invalid {
		f.Taken = append(f.Taken, hygiene.Taken{What: hygiene.Hidden})
	}
	plain = clean.New("", plain).String()
	return "```\n" + strings.ReplaceAll(plain, "```", "'''") + "\n```"
}

func severity(s Severity) Severity {
	switch s = Severity(strings.ToLower(strings.TrimSpace(string(s)))); s {
	case Critical, High, Medium, Low:
		return s
	}
	return Medium
}

func category(s string) string {
	s = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	if slices.Contains(Categories, s) {
		return s
	}
	return "other"
}

// shortName is a name as it is shown.
func shortName(s string) string { return clip.Cut(clean.Inline(s), 80) }
