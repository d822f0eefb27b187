package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/source/history"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
)

// A ChangelogRequest says of which commits a change log is wanted: those that are
// reachable from To, and not from From.
type ChangelogRequest struct {
	From, To string // an empty To is HEAD
	Version  string // that is released; empty if none is
	Release  bool   // notes for those who use a release
	Plain    bool   // made of the subjects of the commits, without a model
}

// A Changelog says what a range of commits brought.
type Changelog struct {
	Account
	Material
	From, To string // ids
	Date     string // of the last commit, as 2006-01-02; empty if it has none
	Commits  int
	Plain    bool // no model had a part in it

	Log ask.Log // every commit stands in one entry, or in what is omitted

	Exports []ask.Export // what others can use, and is gone or not as it was: the entries name each
	Taken   []hygiene.Taken
}

// ErrBackwards means that a range is empty, and would not be the other way round.
var ErrBackwards = fmt.Errorf("%w in this direction", ErrNothing)

// mostLogged is how many commits one reader is asked about: an answer names each, and
// has to end before it is cut.
const mostLogged = 120

// Changelog makes the entries of a change log. What the model does not answer for,
// the subjects of the commits tell: Incomplete says of which. It is an error if there
// is no commit.
func (d *Desk) Changelog(ctx context.Context, q ChangelogRequest) (*Changelog, error) {
	c := &Changelog{Plain: q.Plain}
	commits, err := d.logged(ctx, &q, c)
	if err != nil {
		return nil, err
	}
	hosts, err := d.Engine.History().Hosts(ctx)
	if err != nil {
		return nil, err
	}
	for i := range commits {
		hosts = append(hosts, hygiene.HostsOf(commits[i].Message)...)
	}
	guard := &hygiene.Guard{Hosts: hosts}
	if q.Plain {
		c.Log = ask.SkeletonOf(commits)
		c.clean(commits, guard)
	} else if err := d.writeLog(ctx, &q, c, commits, guard); err != nil {
		return c, err
	}
	if err := d.addExports(ctx, c, guard); err != nil {
		return nil, err
	}
	c.Spent.Known = true // that nothing was, if nobody was asked
	if d.Spend != nil {
		c.Account = d.account(c.Incomplete)
	}
	return c, nil
}

// logged returns the commits of the range, newest first.
func (d *Desk) logged(ctx context.Context, q *ChangelogRequest, c *Changelog) (list []ask.Logged, err error) {
	h := d.Engine.History()
	q.To = cmp.Or(q.To, "HEAD")
	if c.To, err = h.Resolve(ctx, q.To); err != nil {
		return nil, err
	}
	if c.From, err = h.Resolve(ctx, q.From); err != nil {
		return nil, err
	}
	commits, err := h.Log(ctx, git.LogSpec{Rev: c.To, Since: c.From})
	if err != nil {
		return nil, err
	}
	if len(commits) == 0 {
		back, err := h.Log(ctx, git.LogSpec{Rev: c.From, Since: c.To, Most: 1})
		if err == nil && len(back) > 0 {
			return nil, ErrBackwards
		}
		return nil, ErrNothing
	}
	c.Commits = len(commits)
	ends := 0
	for i := range commits {
		one := &commits[i]
		if one.Parents == 0 && h.Shallow() {
			ends++
		}
		l := ask.Logged{ID: one.ID, Message: messageOf(one.Subject.String(), one.Body.String()), Merge: one.Parents > 1}
		if !l.Merge {
			l.Files = one.Files
		}
		list = append(list, l)
	}
	if ends > 0 {
		c.Incomplete = append(c.Incomplete, "the history: this clone is shallow, and ends within the range")
	}
	if i := slices.IndexFunc(commits, func(one history.Commit) bool { return one.ID == c.To }); i >= 0 && !commits[i].Time.IsZero() {
		c.Date = commits[i].Time.Format(time.DateOnly)
	}
	return list, nil
}

// A logPart is a run of commits that one reader is asked about.
type logPart struct {
	label   string
	commits []ask.Logged
	ask     *ask.Ask

	log ask.Log
	why []string
	dry bool
}

// writeLog has models word the entries, side by side if the commits do not fit one
// prompt.
func (d *Desk) writeLog(ctx context.Context, q *ChangelogRequest, c *Changelog, commits []ask.Logged, guard *hygiene.Guard) error {
	o := ask.ChangelogOptions{Budget: d.budget(), Version: q.Version, Instructions: d.Instructions, Language: d.Language, Release: q.Release}
	parts, err := logParts(commits, o)
	if err != nil {
		return err
	}
	d.sideBySide(len(parts), func(i int, first func()) {
		p := parts[i]
		p.label = p.ask.Name
		if len(parts) > 1 {
			p.label = fmt.Sprintf("part %d", i+1)
		}
		d.askLog(ctx, p, first)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answered, dry := false, false
	asks := make([]*ask.Ask, len(parts))
	for i, p := range parts {
		asks[i] = p.ask
		dry = dry || p.dry
		c.Log.Entries, c.Log.Omitted = append(c.Log.Entries, p.log.Entries...), append(c.Log.Omitted, p.log.Omitted...)
		answered = answered || len(p.log.Entries)+len(p.log.Omitted) > 0
		c.Incomplete = append(c.Incomplete, p.why...)
	}
	c.add(asks...)
	c.Plain = !answered
	if dry {
		return ErrDry
	}
	c.clean(commits, guard)
	return nil
}

// logParts divides commits into as few runs as fit.
func logParts(commits []ask.Logged, o ask.ChangelogOptions) ([]*logPart, error) {
	if len(commits) <= mostLogged {
		a, err := ask.Changelog(commits, o)
		var small *satchel.OverflowError
		switch {
		case err == nil:
			return []*logPart{{commits: commits, ask: a}}, nil
		case !errors.As(err, &small) || len(commits) == 1:
			return nil, err
		}
	}
	half := (len(commits) + 1) / 2
	newer, err := logParts(commits[:half], o)
	if err != nil {
		return nil, err
	}
	older, err := logParts(commits[half:], o)
	return append(newer, older...), err
}

// askLog asks about one run of commits. What holds of an answer stays.
func (d *Desk) askLog(ctx context.Context, p *logPart, first func()) {
	run := d.run(&d.Top, p.label)
	run.Watch = watchFirst(run.Watch, first)
	run.Check = func(input json.RawMessage) error {
		_, err := ask.ReadChangelog(p.ask, input, p.commits)
		return err
	}
	out, err := run.Do(ctx, p.ask)
	switch {
	case errors.Is(err, ErrDry):
		p.dry = true
	case err != nil:
		p.why = []string{fmt.Sprintf("%s: entries are the subjects of %s: %s", p.label, render.Plural(len(p.commits), "commit"), short(err.Error()))}
	default:
		for _, why := range out.Why {
			p.why = append(p.why, p.label+": "+short(why))
		}
		p.log, _ = ask.ReadChangelog(p.ask, out.Input, p.commits) // what is wrong is among the reasons
	}
}

// clean takes out of entries what would act. A commit of which then nothing is said
// is told by its subject; if that says nothing either, it is omitted.
func (c *Changelog) clean(commits []ask.Logged, guard *hygiene.Guard) {
	said := func(list []ask.LogEntry) (kept []ask.LogEntry) {
		for _, e := range list {
			text, taken := entryText(guard, e.Text)
			c.Taken = append(c.Taken, taken...)
			if e.Text = text; text != "" {
				kept = append(kept, e)
			}
		}
		return kept
	}
	c.Log.Entries = said(c.Log.Entries)
	for i := range c.Log.Omitted {
		c.Log.Omitted[i].Why, _ = guard.Line(c.Log.Omitted[i].Why)
	}
	n := len(c.Log.Entries)
	whole := ask.CompleteChangelog(c.Log, commits)
	c.Log.Omitted = whole.Omitted
	c.Log.Entries = append(whole.Entries[:n:n], said(whole.Entries[n:])...)
	for _, one := range ask.Untold(c.Log, commits) {
		c.Log.Omitted = append(c.Log.Omitted, ask.LogSilent{Commit: one.ID, Why: "its message says nothing"})
	}
}

// marks are what would make an item of a list something else.
var marks = lazy.Regexp(`^(?:(?:#{1,6}|[-*+>]|\d+[.)])\s+|\[[ xX]\]\s+|>)+`)

// entryText is the text of an entry as it may stand in a list.
func entryText(guard *hygiene.Guard, text string) (string, []hygiene.Taken) {
	text, taken := guard.Line(text)
	for {
		bare := strings.TrimSpace(marks().ReplaceAllString(text, ""))
		again, more := guard.Line(bare)
		taken = append(taken, more...)
		if again == text {
			break
		}
		text = again
	}
	if strings.Trim(text, "#>-*+=_ \t") == "" {
		return "", taken
	}
	return text, taken
}

// addExports adds what the range removes or changes of what others can use, as far as
// no entry names it.
func (d *Desk) addExports(ctx context.Context, c *Changelog, guard *hygiene.Guard) error {
	report, err := d.Engine.Change(ctx, engine.DiffRequest{Range: c.From + "..." + c.To})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.Incomplete = append(c.Incomplete, "removed or changed exports: not looked at: "+clean.Inline(short(err.Error())))
		return nil
	}
	c.Exports = ask.Exports(report)
	c.Log = ask.AppendEntries(c.Log, guarded(guard, c.Exports))
	return nil
}
