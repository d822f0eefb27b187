package assist

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/style"
)

// A CommitRequest says what a message is wanted for.
type CommitRequest struct {
	Amend bool   // the commit that is checked out, with what is staged besides
	Old   string // its message, if so

	Hints   []string // what the author meant
	Kind    style.Kind
	Type    string // of a conventional message, if the author says so
	Scope   string
	Subject int    // characters at most; zero means what was learned
	Body    Bodies // whether there is one
}

// Bodies says whether a message has a body.
type Bodies string

// BodyAuto leaves it to the model.
const (
	BodyAuto   Bodies = "auto"
	BodyAlways Bodies = "always"
	BodyNever  Bodies = "never"
)

// A Message is that of a commit.
type Message struct {
	Account
	Material
	Digest     string // of what is committed: see [Digest]
	Convention style.Convention

	Text     string // all of it
	Subject  string
	Body     string
	Trailers []string // of the message that is amended, as they stood

	Checks       []MessageCheck
	UnknownNames []string // that stand in the message, and nowhere else
	Taken        []hygiene.Taken
}

// A MessageCheck says whether a message is as messages are written here.
type MessageCheck struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	What string `json:"what,omitempty"`
}

// Numbers of messages.
const (
	learnFrom   = 400 // commits
	wholeLike   = 2   // messages that are shown whole
	commitTurns = 6
)

// Commit writes the message for what is staged. It is an error if nothing is staged, if
// a file is in conflict, or if the model gave no message.
func (d *Desk) Commit(ctx context.Context, q CommitRequest) (*Message, error) {
	req := staged(q.Amend)
	req.Binds = true
	report, err := d.Engine.Change(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(report.Files) == 0 && !q.Amend {
		return nil, nothing(report)
	}
	if i := slices.IndexFunc(report.Files, func(f change.Scored) bool { return f.Status == change.Unmerged }); i >= 0 {
		return nil, fmt.Errorf("cannot commit while %s is in conflict; resolve it, then run git add", clean.Inline(report.Files[i].Path))
	}
	m := &Message{Material: Material{Report: report}, Digest: Digest(report)}
	o, err := d.commitOptions(ctx, &q, m)
	if err != nil {
		return nil, err
	}
	a, why, err := d.withFacts(ctx, req, &m.Material, func(facts []ask.Fact) (*ask.Ask, error) {
		o.Facts = facts
		return ask.Commit(report, o)
	})
	m.Incomplete = append(m.Incomplete, why...)
	if err != nil {
		return m, err
	}
	m.Coverage = ask.Join(m.Coverage, unseen(report)...)
	run := d.run(&d.Top, "commit")
	if report.Size == change.Large || report.Size == change.VeryLarge {
		run.Tools, run.Turns = d.Tools, d.turns(commitTurns)
	}
	hosts, err := d.Engine.History().Hosts(ctx)
	if err != nil {
		return m, err
	}
	guard := q.guard(o.Branch, a, hosts)
	tries := 0
	run.Check = func(input json.RawMessage) error {
		var v ask.CommitAnswer
		if err := a.Read(input, &v); err != nil {
			return err
		}
		if strings.TrimSpace(v.Subject) == "" {
			return errors.New("the subject is empty")
		}
		text, _ := q.compose(&m.Convention, &v, o.Branch, guard)
		if faults := m.Convention.Check(text); len(faults) > 0 && tries == 0 {
			tries++ // once: a message that is a little long is still one
			return errors.New("the message does not follow the style of the history: " + faultsText(faults))
		}
		return nil
	}
	out, err := run.Do(ctx, a)
	if err != nil {
		return m, err
	}
	var v ask.CommitAnswer
	if err := a.Read(out.Input, &v); err != nil && strings.TrimSpace(v.Subject) == "" {
		return m, fmt.Errorf("%w: %v", errNothing, err)
	}
	m.Incomplete = append(m.Incomplete, out.Why...)
	m.Text, m.Taken = q.compose(&m.Convention, &v, o.Branch, guard)
	m.finish(ctx, d, req, &q)
	m.Account = d.account(m.Incomplete)
	return m, nil
}

// staged is the change that a commit makes.
func staged(amend bool) engine.DiffRequest {
	if amend {
		return engine.DiffRequest{Source: string(git.SourceAmend)}
	}
	return engine.DiffRequest{Source: string(git.SourceStaged)}
}

// Staged measures what a commit would make now, for its Digest.
func (d *Desk) Staged(ctx context.Context, amend bool) (*change.Report, error) {
	return d.Engine.Change(ctx, staged(amend))
}

// Digest tells one state of what is staged from another: the commit that it is
// compared with, and every path with its modes and blobs.
func Digest(r *change.Report) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", r.From)
	list := slices.Clone(r.Files)
	slices.SortFunc(list, func(a, b change.Scored) int { return strings.Compare(a.Path+"\x00"+a.OldPath, b.Path+"\x00"+b.OldPath) })
	for i := range r.LeftOut {
		list = append(list, change.Scored{File: r.LeftOut[i].File})
	}
	for i := range list {
		f := &list[i]
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%o %o %s %s\n", f.Path, f.OldPath, f.Status, f.OldMode, f.NewMode, f.OldBlob, f.NewBlob)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// commitOptions learns how messages are written here, and gathers what stands beside
// the change.
func (d *Desk) commitOptions(ctx context.Context, q *CommitRequest, m *Message) (ask.CommitOptions, error) {
	o := ask.CommitOptions{Budget: d.budget(), Hints: q.Hints, Instructions: d.Instructions, Language: d.Language}
	list, err := d.Engine.History().Messages(ctx, "", learnFrom)
	if err != nil {
		return o, err
	}
	if q.Amend && len(list) > 0 {
		list = list[1:]
	}
	m.Convention = style.Learn(list)
	if q.Kind != "" {
		m.Convention = m.Convention.As(q.Kind)
	}
	if q.Subject > 0 {
		m.Convention.Length, m.Convention.Most = q.Subject, q.Subject
	}
	o.Style, o.Subjects = m.Convention.Words()+q.wishes(), m.Convention.Subjects
	branch, err := d.Engine.History().Branch(ctx)
	if err != nil {
		return o, err
	}
	o.Branch = branch.String()
	o.Messages = d.alike(ctx, m.Report)
	o.Old, m.Trailers = withoutTrailers(q.Old)
	return o, nil
}

// wishes are what the author says of the form.
func (q *CommitRequest) wishes() (s string) {
	if q.Type != "" {
		s += "\nThe type of this commit is " + q.Type + "."
	}
	if q.Scope != "" {
		s += "\nThe scope of this commit is " + q.Scope + "."
	}
	switch q.Body {
	case BodyNever:
		s += "\nThis message has no body."
	case BodyAlways:
		s += "\nThis message has a body."
	}
	return s
}

// alike returns whole messages of earlier commits that changed the same folders and
// have a body.
func (d *Desk) alike(ctx context.Context, r *change.Report) (list []string) {
	var folders []string
	for i := range r.Files[:min(len(r.Files), 5)] {
		dir := path.Dir(r.Files[i].Path)
		if !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	const most = 40
	commits, err := d.Engine.History().Log(ctx, git.LogSpec{Rev: "HEAD", Paths: folders, Most: most})
	if err != nil {
		return nil // a branch without a commit, mostly: the message is written without examples
	}
	for i := range commits {
		c := &commits[i]
		body := c.Body.String()
		if c.Parents < 2 && body != "" && len(body) < 1200 && style.ByPerson(c.Subject.String()) {
			if list = append(list, messageOf(c.Subject.String(), body)); len(list) == wholeLike {
				break
			}
		}
	}
	return list
}

// guard says what may stay of what the model writes.
func (q *CommitRequest) guard(branch string, a *ask.Ask, remotes []string) *hygiene.Guard {
	return &hygiene.Guard{Message: true, Given: append(slices.Clone(q.Hints), branch, q.Old), Hosts: append(remotes, hygiene.HostsOf(a.Shared)...)}
}

var ticket = lazy.Regexp(`[A-Z][A-Z0-9]+-[0-9]+`)

// compose puts a message together of what the model gave.
func (q *CommitRequest) compose(c *style.Convention, v *ask.CommitAnswer, branch string, guard *hygiene.Guard) (string, []hygiene.Taken) {
	p := style.Parts{Type: cmp.Or(q.Type, v.Type), Scope: cmp.Or(q.Scope, v.Scope), Breaking: v.Breaking, Subject: v.Subject, Body: v.Body, Ticket: ticket().FindString(branch)}
	for _, h := range q.Hints {
		p.Ticket = cmp.Or(p.Ticket, ticket().FindString(h))
	}
	if q.Body == BodyNever {
		p.Body = ""
	}
	return c.Mend(c.Compose(p), guard)
}

func faultsText(list []style.Fault) string {
	var out []string
	for _, f := range list {
		out = append(out, f.What)
	}
	return strings.Join(out, "; ")
}

// finish checks a message, and adds what is kept of the old one.
func (m *Message) finish(ctx context.Context, d *Desk, req engine.DiffRequest, q *CommitRequest) {
	m.Checks = checksOf(&m.Convention, m.Text)
	code := newCode(ctx, d.Engine, &req, m.Report)
	m.UnknownNames = code.unknown(m.Text, append(slices.Clone(q.Hints), q.Old))
	m.Subject, m.Body, _ = strings.Cut(m.Text, "\n")
	m.Body = strings.TrimSpace(m.Body)
	if len(m.Trailers) > 0 {
		m.Text = strings.TrimRight(m.Text, "\n") + "\n\n" + strings.Join(m.Trailers, "\n")
	}
	m.Text = strings.TrimRight(m.Text, "\n") + "\n"
}

// checksOf says of a message how it does in every check.
func checksOf(c *style.Convention, text string) (list []MessageCheck) {
	faults := c.Check(text)
	for _, name := range style.Checks {
		one := MessageCheck{Name: name, OK: true}
		for _, f := range faults {
			if f.Name == name {
				one.OK, one.What = false, f.What
			}
		}
		list = append(list, one)
	}
	return list
}

var codeName = lazy.Regexp("`([^`\\s]+)`|\\b([A-Za-z_][A-Za-z0-9_]*(?:[_.][A-Za-z0-9_]+)+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*)(?:\\(\\))?")

// unknown returns the names of code in a text that neither the code nor what was said has.
func (c *code) unknown(text string, said []string) (list []string) {
	for _, name := range codeNames(text) {
		if !c.known(name) && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// codeNames are the words of a message that can only be names of code.
func codeNames(text string) (list []string) {
	for _, m := range codeName().FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

var trailer = lazy.Regexp(`^[A-Za-z][A-Za-z0-9-]*: \S`)

// withoutTrailers divides a message into what the model may word again and the
// trailers at its end, as they stand.
func withoutTrailers(text string) (rest string, trailers []string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	at := len(lines)
	for at > 1 && trailer().MatchString(lines[at-1]) {
		at--
	}
	if at == len(lines) || at < 2 || strings.TrimSpace(lines[at-1]) != "" {
		return text, nil
	}
	return strings.TrimRight(strings.Join(lines[:at], "\n"), "\n"), lines[at:]
}
