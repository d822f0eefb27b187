package changeset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

// A FeedbackRequest says which files of a changeset mattered.
type FeedbackRequest struct {
	// Changes is the changeset: its Range, From and To, Base or Source.
	Changes Request

	// Mattered are paths and patterns, as in DiffRequest.Files. If there are
	// none, those files mattered that the message names, by their own names or
	// by those of their definitions.
	Mattered []string

	// Message is the message that somebody kept or edited. Empty means that of
	// the commit, if the changeset is one.
	Message string

	Now time.Time // when it is recorded
}

// A Feedback is what a project's people said mattered, and what was learned
// from it.
type Feedback struct {
	Version int `json:"version"`

	// Multipliers by the names of signals: what the default profile adds for
	// them is multiplied by them.
	Multipliers map[string]float64 `json:"multipliers"`

	Verdicts []FeedbackVerdict `json:"verdicts"` // oldest first
}

// A FeedbackVerdict is what was said about one changeset. It holds no text of
// the changes and none of the message.
type FeedbackVerdict struct {
	ID     string         `json:"id"` // of the changes: the same ones, staged and committed, are one
	Taken  time.Time      `json:"taken"`
	Source string         `json:"source"` // as in change.Set
	By     string         `json:"by"`     // message or paths
	Files  []FeedbackFile `json:"files"`  // most relevant first
}

// A FeedbackFile is a changed file of a verdict.
type FeedbackFile struct {
	Path     string             `json:"path"`
	Mattered bool               `json:"mattered"`
	Signals  map[string]float64 `json:"signals"`
}

// Limits of what is kept: taste changes, and learning has to be quick.
const (
	maxVerdicts     = 50 // newest
	maxVerdictFiles = 40 // those that mattered first, then the most relevant
	maxMessage      = 64 << 10
)

// Reasons why a verdict teaches nothing, and is not recorded.
var (
	ErrNoMessage    = errors.New("there is no message: want a commit, a message or paths")
	ErrNoneMattered = errors.New("the message names none of the files, nor what they define")
	ErrAllMattered  = errors.New("all of the files mattered: that says nothing about which come first")
)

// Record remembers which files of a changeset mattered, and learns from
// all that is remembered. A verdict on the same changes takes the place of the
// earlier one.
//
// Besides the errors of a Diff there are [ErrNoMessage], and [ErrNoneMattered] and
// [ErrAllMattered], with which the verdict is whole and nothing is recorded.
func (l Learned) Record(ctx context.Context, req FeedbackRequest) (FeedbackVerdict, *Feedback, error) {
	v, err := measureVerdict(ctx, l.project, &req)
	if err != nil {
		return v, nil, err
	}
	var f *Feedback
	err = l.update(func(old *Feedback) *Feedback {
		f = old
		f.Verdicts = slices.DeleteFunc(f.Verdicts, func(o FeedbackVerdict) bool { return o.ID == v.ID })
		f.Verdicts = append(f.Verdicts, v)
		f.Verdicts = f.Verdicts[max(0, len(f.Verdicts)-maxVerdicts):]
		f.learn()
		return f
	})
	return v, f, err
}

// measureVerdict measures the changeset and finds what mattered in it.
func measureVerdict(ctx context.Context, w *project.Project, req *FeedbackRequest) (v FeedbackVerdict, err error) {
	q := req.Changes
	q.Files, q.Profile, q.Detail, q.Task, q.Cursor, q.Budget = req.Mattered, nil, DiffSummary, "", "", 0
	x, err := newRun(w, &q)
	if err != nil {
		return v, err
	}
	if x.repo == nil {
		return v, git.ErrNotRepository
	}
	if err := x.look(ctx); err != nil {
		return v, err
	}
	if err := x.rank(ctx); err != nil {
		return v, err
	}
	files := slices.Clone(x.Report.Files)
	v = FeedbackVerdict{ID: changesID(x.set), Taken: req.Now.UTC().Truncate(time.Second), Source: x.set.Source, By: "paths"}
	var mattered func(f *change.Scored) bool
	if len(req.Mattered) > 0 {
		if err := x.filter(); err != nil {
			return v, err
		}
		if len(x.unused) > 0 { // what is learned has to be what was meant
			return v, &FilterError{Pattern: x.unused[0], More: len(x.unused) - 1}
		}
		asked := map[string]bool{}
		for i := range x.Report.Files {
			asked[x.Report.Files[i].Path] = true
		}
		mattered = func(f *change.Scored) bool { return asked[f.Path] }
	} else {
		v.By = "message"
		message := req.Message
		if strings.TrimSpace(message) == "" {
			if message, err = x.message(ctx); err != nil {
				return v, err
			}
		}
		mentions := change.ParseMentions(prose(message))
		mattered = func(f *change.Scored) bool { return mentions.File(f.Path) || mentions.Any(x.defined(f)) }
	}
	return v, v.fill(files, mattered)
}

// fill chooses the files that are kept.
func (v *FeedbackVerdict) fill(files []change.Scored, mattered func(*change.Scored) bool) error {
	var yes, no []FeedbackFile
	for i := range files {
		f := FeedbackFile{Path: files[i].Path, Mattered: mattered(&files[i]), Signals: map[string]float64{}}
		for _, s := range files[i].Signals {
			f.Signals[s.Name] = math.Round(s.Value*1e4) / 1e4
		}
		if f.Mattered {
			yes = append(yes, f)
		} else {
			no = append(no, f)
		}
	}
	some, others := len(yes) > 0, len(no) > 0
	yes = yes[:min(len(yes), maxVerdictFiles/2)]
	v.Files = append(yes, no[:min(len(no), maxVerdictFiles-len(yes))]...)
	switch {
	case !some:
		return ErrNoneMattered
	case !others:
		return ErrAllMattered
	}
	return nil
}

// message returns the message of the commit that the changeset is.
func (x *Run) message(ctx context.Context) (text string, err error) {
	if x.Req.Spec().Commit == "" {
		return "", ErrNoMessage
	}
	err = x.repo.Log(ctx, []string{x.set.To}, func(c git.Commit) error {
		text = c.Message
		return nil
	})
	return text, err
}

// defined returns the names of what a changed file defines or defined.
func (x *Run) defined(f *change.Scored) (names []string) {
	s := x.known[sideKey(&f.File)]
	for _, side := range [][]satchel.Symbol{s.Olds, s.News} {
		for i := range side {
			names = append(names, side[i].Name)
		}
	}
	for i := range f.Edits {
		names = append(names, f.Edits[i].Name, f.Edits[i].OldName)
	}
	return names
}

// trailer is a line that names people, who are called as files are now and then.
var trailer = regexp.MustCompile(`(?i)^[a-z-]+-by: `)

// scissors is where git cuts off what it shows in an editor below the message.
const scissors = "# ------------------------ >8 ------------------------"

// prose returns what somebody wrote of a message, as it stands in an editor:
// without comments, without what follows the scissors, without trailers.
func prose(message string) string {
	message, _, _ = strings.Cut(message, scissors)
	var b strings.Builder
	for line := range strings.Lines(message[:min(len(message), maxMessage)]) {
		if !strings.HasPrefix(line, "#") && !trailer.MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// changesID returns what is the same for the same changes, wherever they stand.
func changesID(set *change.Set) string {
	h := sha256.New()
	for i := range set.Files {
		f := &set.Files[i]
		fmt.Fprintf(h, "%q %q %s %s %s\n", f.Path, f.OldPath, f.Status, f.OldBlob, f.NewBlob)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// learn sets the multipliers.
func (f *Feedback) learn() {
	past := make([]rank.Verdict, len(f.Verdicts))
	for i := range f.Verdicts {
		for k := range f.Verdicts[i].Files {
			file := &f.Verdicts[i].Files[k]
			var signals []satchel.Signal
			for _, n := range slices.Sorted(maps.Keys(file.Signals)) {
				signals = append(signals, satchel.Signal{Name: n, Value: file.Signals[n]})
			}
			past[i].Signals = append(past[i].Signals, signals)
			past[i].Mattered = append(past[i].Mattered, file.Mattered)
		}
	}
	f.Multipliers = rank.Learn(&rank.Changes, past)
}

// applyFeedback makes the scores heed what was learned.
func (x *Run) applyFeedback() {
	f, err := LearnedOf(x.Project).Read()
	switch {
	case err != nil:
		x.diags = append(x.diags, satchel.Diagnostic{Text: "feedback is not heeded: " + err.Error()})
	case len(f.Multipliers) > 0:
		x.multipliers = append(x.multipliers, f.Multipliers)
		x.diags = append(x.diags, satchel.Diagnostic{Text: fmt.Sprintf("scores heed feedback on %s; satchel diff feedback --show explains", render.Plural(len(f.Verdicts), "changeset"))})
	}
}
