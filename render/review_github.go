package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/finding"
)

// A githubReview is the body of a request that creates a review of a pull request.
type githubReview struct {
	CommitID string          `json:"commit_id,omitempty"`
	Event    string          `json:"event"`
	Body     string          `json:"body"`
	Comments []githubComment `json:"comments"`
}

type githubComment struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Side      string `json:"side"`
	StartLine int    `json:"start_line,omitempty"`
	StartSide string `json:"start_side,omitempty"`
	Body      string `json:"body"`
}

// ReviewGitHub returns a Review as GitHub takes it, for somebody to send. Findings
// become comments where GitHub is sure to accept them: it refuses the whole review for
// one comment outside of a hunk. The others stand in the body.
func ReviewGitHub(r *Review) (string, error) {
	g := githubReview{CommitID: r.To, Event: "COMMENT", Comments: []githubComment{}}
	var rest []*finding.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.State != finding.Visible:
		case inHunk(f):
			g.Comments = append(g.Comments, githubOf(f))
		default:
			rest = append(rest, f)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** in %s. Looked at: %s.\n", r.count(), r.size(), r.Coverage.looked())
	if r.Summary != "" {
		b.WriteString("\n" + prose(r.Summary) + "\n")
	}
	for _, f := range rest {
		fmt.Fprintf(&b, "\n### %s\n\n%s", codeSpan(standsAt(f)), githubWords(f))
	}
	b.WriteString(r.markdownTail())
	g.Body = b.String()
	return cleanJSON(g)
}

// inHunk reports whether a comment may stand at a finding's lines: they stand in one
// hunk, and on the old side each of them was removed.
func inHunk(f *finding.Finding) bool {
	if !f.Inline || f.Anchor != finding.Exact && f.Anchor != finding.Moved || f.From < 1 || f.To < f.From {
		return false
	}
	return f.Side == finding.New || len(f.Lines) == f.To-f.From+1 &&
		!slices.ContainsFunc(f.Lines, func(l finding.Line) bool { return l.Mark != "-" })
}

func githubOf(f *finding.Finding) githubComment {
	c := githubComment{Path: f.Path, Line: f.To, Side: "RIGHT", Body: githubWords(f)}
	if f.Side == finding.Old {
		c.Side = "LEFT"
	}
	if f.To > f.From {
		c.StartLine, c.StartSide = f.From, c.Side
	}
	if f.Replacement != "" {
		c.Body += "\n" + Fenced("suggestion", replacement(f))
	}
	return c
}

// githubWords are a finding in words.
func githubWords(f *finding.Finding) string {
	return strings.TrimRight(fmt.Sprintf("**%s: %s** (%s, %d %%, %s)\n\n%s", strings.ToUpper(string(f.Severity)), prose(f.Title), categoryWords(f.Category), f.Confidence, codeSpan(f.ID), findingWords(f)), "\n") + "\n"
}
