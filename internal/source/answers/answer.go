// Package answers answers what an agent asks for by NEED_ lines: with lines,
// definitions, documents and changes, or with a refusal that says why. Start with
// [Answer].
package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/source/hunks"
	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/need"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

// A Request is what an agent asks for. Nothing in it is trusted but the limits.
type Request struct {
	Needs []need.Need
	Bad   []need.Bad // lines that only look like requests; each is refused
	More  int        // requests beyond those, which are only counted

	Edit  []string    // files that the agent may edit
	Shown []SeenLines // what it has been shown already
	Rev   string      // as of satchel.Request

	Budget int // tokens that all answers may take; zero means [AnswerBudget], less none
	Most   int // requests that are answered, refusals included; zero means [MostAnswers], less none
}

// SeenLines are lines of a file that an agent has been shown: all of it if From is 0.
type SeenLines struct {
	Path     string
	From, To int
}

// Limits where a Request leaves them zero. An agent that lacks more than
// this was given the wrong task, or reads the repository by way of us.
const (
	AnswerBudget = 8000
	MostAnswers  = 20
)

const mostDefinitions = 3 // of one name that are shown

// Answer answers what an agent asks for, each thing in order: with a text, its
// secrets redacted, or with a refusal that says why. Paths are those of the view: what
// a rule excludes, what lies outside of the repository and what holds secrets by
// its nature is refused, whoever asks. So is what lies outside of the vault: of
// that, documents are given alone, those that packs show too.
//
// The only errors are those of reading the repository as a whole.
func Answer(ctx context.Context, p *project.Project, req Request) ([]render.Answer, error) {
	a := &answerRun{project: p, req: &req, left: req.Budget, most: req.Most, count: tokens.O200k()}
	a.left = cmp.Or(a.left, AnswerBudget)
	a.most = cmp.Or(a.most, MostAnswers)
	var out []render.Answer
	for _, n := range req.Needs {
		if len(out) >= a.most {
			req.More++
			continue
		}
		if a.view == nil {
			v, err := p.Index.ViewFiles(ctx, p.Tree, req.Rev, req.Edit...)
			if err != nil {
				return nil, err
			}
			a.view, a.reader = v, ranking.NewReader(v)
		}
		answers, err := a.answer(ctx, n)
		switch refusal := (*refusal)(nil); {
		case errors.As(err, &refusal):
			answers = []render.Answer{{Ask: n.String(), Refused: refusal.why}}
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			answers = []render.Answer{{Ask: n.String(), Refused: err.Error()}}
		}
		out = append(out, answers...)
	}
	for _, b := range req.Bad {
		if len(out) >= a.most {
			req.More++
			continue
		}
		out = append(out, render.Answer{Ask: b.Text, Refused: b.Why})
	}
	if req.More > 0 {
		out = append(out, render.Answer{
			Ask:     fmt.Sprintf("%d more requests", req.More),
			Refused: fmt.Sprintf("at most %d are answered; ask for the most important ones", max(a.most, 0)),
		})
	}
	return out, nil
}

// Refuses says why a file of a revision, or of the work tree, is not given to a
// model; nil if it is.
func Refuses(ctx context.Context, p *project.Project, rev, name string) error {
	v, err := p.Index.ViewFiles(ctx, p.Tree, rev)
	if err != nil {
		return err
	}
	a := &answerRun{project: p, view: v, reader: ranking.NewReader(v)}
	_, err = a.file(name)
	return err
}

// A refusal is why something is not given.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

func refusef(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// An answerRun is one Answer on its way.
type answerRun struct {
	project *project.Project
	req     *Request
	view    *index.View
	reader  *ranking.Reader
	vault   *ranking.Vault // once it is read; nil before, and if there is none
	count   *tokens.Encoding
	left    int
	most    int
}

func (a *answerRun) answer(ctx context.Context, n need.Need) ([]render.Answer, error) {
	switch n.Kind {
	case need.Symbol:
		return a.symbol(ctx, n)
	case need.Diff:
		return a.diff(ctx, n)
	case need.Doc:
		return a.document(ctx, n)
	}
	i, err := a.file(n.Locator)
	if err != nil && a.ofVault(n.Locator) {
		d, err := a.vaultDocument(ctx, n.Locator)
		if err != nil {
			return nil, err
		}
		return a.vaultLines(n, d, n.From, n.To)
	}
	if err != nil {
		return nil, err
	}
	return a.lines(ctx, n, i, n.From, n.To, "")
}

// jail returns the path that a locator names, or refuses it. It looks at the name
// alone.
func jail(locator string) (string, error) {
	switch slashed := strings.ReplaceAll(locator, `\`, "/"); {
	case strings.HasPrefix(slashed, "/"), strings.HasPrefix(slashed, "~"), len(slashed) > 1 && slashed[1] == ':':
		return "", refusef("paths are relative to the root of the repository")
	case slices.Contains(strings.Split(slashed, "/"), ".."):
		return "", refusef("it is outside the repository")
	}
	name := path.Clean(locator)
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if strings.TrimRight(part, ". ") == ".git" {
			return "", refusef("git's own files are not shown")
		}
	}
	if secrets.Sealed(name) {
		return "", refusef("files of its kind hold secrets")
	}
	return name, nil
}

// file returns the file of the view that a locator names.
func (a *answerRun) file(locator string) (int32, error) {
	name, err := jail(locator)
	if err != nil {
		return 0, err
	}
	if i, ok := a.view.File(name); ok {
		return int32(i), nil
	}
	sc := scene.Scene{View: a.view}
	why := sc.WhyNot(name)
	switch {
	case strings.HasPrefix(why, "a folder"):
		return 0, refusef("a folder, which holds %s; ask for a file", a.below(name))
	case why != scene.NoSuchFile:
		return 0, refusef("%s; only a user can include it, with --set unignore=PATTERN", why)
	}
	why = "no such file, or git ignores it"
	if near := files.Nearest(files.Paths(a.view), name); near != "" {
		why += "; did you mean " + near + "?"
	}
	return 0, refusef("%s", why)
}

// mostNamed is how many names a refusal suggests.
const mostNamed = 5

// below names the first files of a folder.
func (a *answerRun) below(folder string) string {
	var names []string
	more := 0
	for _, f := range a.view.Files() {
		if strings.HasPrefix(f.Path, folder+"/") {
			if len(names) < mostNamed {
				names = append(names, f.Path)
			} else {
				more++
			}
		}
	}
	s := strings.Join(names, ", ")
	if more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// lines answers with lines of a file: from 0 means all, to 0 to the end. A whole file that is
// too long for what is left is answered with its outline.
func (a *answerRun) lines(ctx context.Context, n need.Need, file int32, from, to int, note string) ([]render.Answer, error) {
	f := &a.view.Files()[file]
	text, err := a.view.Text(ctx, int(file))
	if err != nil {
		return nil, err
	}
	x := render.Answer{
		Ask: n.String(), Path: f.Path, From: from, To: to, Blob: f.Blob, Dirty: f.Dirty, Lang: f.Lang,
		Edit: slices.Contains(a.req.Edit, f.Path), Note: note,
	}
	x.Text, x.Lines, x.Redacted = ranking.Lines(f.Path, text, from, to)
	fits, err := a.give(&x)
	if err != nil {
		return nil, err
	}
	if fits {
		return []render.Answer{x}, nil
	}
	takes := x.Tokens
	if from == 0 {
		x.From, x.To, x.Tokens, x.Redacted = 0, 0, 0, 0
		x.Note = fmt.Sprintf("its outline, since all of its %d lines take %d tokens and %d are left; ask for lines", x.Lines, takes, max(a.left, 0))
		for _, form := range a.reader.Outlines(file, nil) {
			if x.Text = form.Text; a.take(&x) {
				return []render.Answer{x}, nil
			}
		}
	}
	return nil, a.tooLong(takes)
}

func (a *answerRun) tooLong(takes int) error {
	return refusef("it takes %d tokens, and %d are left for answers; ask for fewer lines", takes, max(a.left, 0))
}

// give takes an answer with lines, whose From and To it completes, and reports
// whether it fits what is left. Lines that are not there are refused, and so are
// those that have been shown.
func (a *answerRun) give(x *render.Answer) (fits bool, err error) {
	switch {
	case x.From > x.Lines || x.To > x.Lines:
		return false, refusef("%s has %d lines", x.Path, x.Lines)
	case x.Lines == 0:
		return false, refusef("%s is empty", x.Path)
	}
	x.From = cmp.Or(x.From, 1)
	x.To = cmp.Or(x.To, x.Lines)
	if a.shown(x.Path, x.From, x.To) {
		return false, refusef("it is shown above already, under %s", x.Path)
	}
	if !a.take(x) {
		return false, nil
	}
	a.req.Shown = append(a.req.Shown, SeenLines{x.Path, x.From, x.To})
	return true, nil
}

// take counts an answer, and reports whether it fits what is left.
func (a *answerRun) take(x *render.Answer) bool {
	x.Tokens = a.count.Count(x.String())
	if x.Tokens > a.left {
		return false
	}
	a.left -= x.Tokens
	return true
}

// shown reports whether lines have been shown.
func (a *answerRun) shown(name string, from, to int) bool {
	return slices.ContainsFunc(a.req.Shown, func(s SeenLines) bool {
		return s.Path == name && (s.From == 0 || s.From <= from && to <= s.To)
	})
}

// symbol answers with the definitions of a name: Flush, or Store.Flush for those
// in Store.
func (a *answerRun) symbol(ctx context.Context, n need.Need) ([]render.Answer, error) {
	parts := strings.FieldsFunc(n.Locator, func(r rune) bool { return strings.ContainsRune(".:#/", r) })
	if len(parts) == 0 {
		return nil, refusef("it is not a name")
	}
	name := strings.TrimSuffix(parts[len(parts)-1], "()")
	parents := parts[:len(parts)-1]
	type found struct {
		file int32
		satchel.Symbol
	}
	var list []found
	docs := map[int32]bool{}
	for _, p := range a.view.Postings(nil, terms.Def(name)) {
		docs[a.view.Chunks()[p.Chunk].Doc] = true
	}
	for i := range a.view.Files() {
		f := &a.view.Files()[i]
		if !docs[f.Doc] || secrets.Sealed(f.Path) {
			continue
		}
		for _, s := range a.view.Symbols(f.Doc) {
			if terms.Normal(s.Name) == terms.Normal(name) && within(s.Parent, f.Path, parents) {
				list = append(list, found{int32(i), s})
			}
		}
	}
	if len(list) == 0 {
		return nil, refusef("nothing of that name is defined here")
	}
	// What is code comes before what only has a heading of that name.
	slices.SortStableFunc(list, func(x, y found) int {
		return rankOfClass(a.view.Files()[x.file].Class) - rankOfClass(a.view.Files()[y.file].Class)
	})
	var more []string
	for _, x := range list[min(len(list), mostDefinitions):] {
		if len(more) < mostNamed {
			more = append(more, fmt.Sprintf("%s:%d", a.view.Files()[x.file].Path, x.NameLine))
		}
	}
	note := ""
	if len(more) > 0 {
		note = fmt.Sprintf("defined %d times, also in %s", len(list), strings.Join(more, ", "))
	}
	var out []render.Answer
	var last error
	for _, x := range list[:min(len(list), mostDefinitions)] {
		got, err := a.lines(ctx, n, x.file, x.From, x.To, note)
		if err != nil {
			last = err
			continue
		}
		out = append(out, got...)
	}
	if len(out) == 0 {
		return nil, last
	}
	return out, nil
}

// within reports whether a definition lies in what the parents name: definitions
// around it, or the folder or file, as a package is called.
func within(parent, file string, parents []string) bool {
	around := append(strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '.' }), strings.Split(parent, ".")...)
	return !slices.ContainsFunc(parents, func(p string) bool {
		return !slices.ContainsFunc(around, func(s string) bool { return strings.EqualFold(s, p) })
	})
}

func rankOfClass(c outline.Class) int {
	switch c {
	case outline.Source:
		return 0
	case outline.Test:
		return 1
	}
	return 2
}

// diff answers with what changed: in a path of the work tree, or in a range.
func (a *answerRun) diff(ctx context.Context, n need.Need) ([]render.Answer, error) {
	x := render.Answer{Ask: n.String(), Lang: "diff", Edit: true}
	req := changeset.Request{Detail: changeset.DiffStandard}
	_, inView := a.view.File(path.Clean(n.Locator))
	switch {
	case strings.HasPrefix(n.Locator, "-"):
		return nil, refusef("it is neither a path nor a range")
	case inView || strings.Contains(n.Locator, "/") && !strings.Contains(n.Locator, ".."):
		name, err := jail(n.Locator)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(name, "*?[") {
			return nil, refusef("patterns are not supported: ask for one path")
		}
		req.Source, req.Files = "worktree", []string{name}
		x.Note = "uncommitted changes of " + name
	default:
		if strings.ContainsAny(n.Locator, " \t/\\:") {
			return nil, refusef("it is neither a path nor a range")
		}
		req.Range = n.Locator
		x.Note = "the change " + n.Locator
		if rev := req.Spec().Rev; rev != "" && !strings.Contains(rev, "..") {
			x.Note = "changes since " + rev
		}
	}
	req.Budget = a.left - a.count.Count(x.String())
	if req.Budget <= 0 {
		return nil, refusef("no room is left for it")
	}
	d, err := hunks.Diff(ctx, a.project, req)
	var small *satchel.OverflowError
	var filter *changeset.FilterError
	switch {
	case errors.As(err, &small):
		return nil, refusef("it takes %d tokens at least, and %d are left for answers", small.Need, max(a.left, 0))
	case errors.As(err, &filter):
		return nil, refusef("there are no uncommitted changes")
	case err != nil:
		return nil, err
	}
	x.Text = clean.Patch("", render.DiffText(d)) // it is to apply: the ends of lines stay
	if !a.take(&x) {
		return nil, refusef("it takes %d tokens, and %d are left for answers", x.Tokens, max(a.left, 0))
	}
	return []render.Answer{x}, nil
}
