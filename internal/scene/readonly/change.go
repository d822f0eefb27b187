package readonly

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/state"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// Add adds rules and reads the files that they bring in. A rule that is there
// gains what is said now, and loses nothing; its files are read again.
//
// The errors are *pathError (a path without a file that can be kept, a pattern
// that matches none and protects nothing), *tooManyError, *[satchel.OverflowError], and what
// a pattern is wrong in; after each of them the set is what it was.
func (s *Set) Add(ctx context.Context, list []state.ContextRule, o Options) (*Report, error) {
	if n := len(withRules(s.Rules, list)); n > state.MaxContextRules {
		return nil, &pathError{list[0].Pattern, fmt.Sprintf("%d paths and patterns, limit is %d", n, state.MaxContextRules)}
	}
	p, err := s.plan(withRules(s.Rules, list), o)
	if err != nil {
		return nil, err
	}
	p.asked = map[string]bool{}
	for _, r := range list {
		p.asked[r.Pattern] = true
	}
	return s.carryOut(ctx, p)
}

// Refresh reads the disk again: the files that match the patterns, and their
// contents. A missing file that was added by its path keeps its text, with a
// Diagnostic, and so does an evicted one. The errors are the disk errors of Add.
func (s *Set) Refresh(ctx context.Context, o Options) (*Report, error) {
	p, err := s.plan(s.Rules, o)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Only {
		f, ok := s.file(name)
		if !ok {
			return nil, &UnknownError{name}
		}
		if f.Evicted {
			p.diagnose(name, "evicted: add it again to restore its text")
		}
	}
	return s.carryOut(ctx, p)
}

// A plan is a change of a Set that is being tried out.
type plan struct {
	Set            // what it will be
	rules  rules   // of the Set
	o      Options //
	asked  map[string]bool
	report Report
	fresh  map[string]bool // files that this change adds: they do not make room for each other
}

func (s *Set) plan(list []state.ContextRule, o Options) (*plan, error) {
	p := &plan{Set: *s, o: o, fresh: map[string]bool{}}
	p.Rules = list
	var err error
	p.rules, err = parseRules(list)
	return p, err
}

func (s *Set) carryOut(ctx context.Context, p *plan) (*Report, error) {
	want, err := p.resolve(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.read(ctx, want); err != nil {
		return nil, err
	}
	p.report.Evicted = nil
	if total := p.tokens(); total > p.Limit() && p.o.Evict {
		p.Files = slices.Clone(p.Files)
		p.report.Evicted = p.evict(p.Limit(), p.fresh)
	}
	if err := p.over(false); err != nil {
		return nil, err
	}
	s.Rules, s.Files = p.Rules, p.Files
	return s.report(&p.report), nil
}

// over returns the error of a set that has too many tokens.
func (p *plan) over(atLeast bool) error {
	e := &satchel.OverflowError{What: "context files", Need: p.tokens(), Limit: p.Limit(), AtLeast: atLeast}
	for i := range p.Files {
		if f := &p.Files[i]; f.Pinned || p.fresh[f.Path] {
			e.Fixed += f.Tokens
		}
	}
	if e.Need <= e.Limit {
		return nil
	}
	return e
}

// resolve returns the paths that the rules bring in, sorted.
func (p *plan) resolve(ctx context.Context) ([]string, error) {
	want := map[string]bool{}
	listed := map[string][]string{} // by folder
	most, mostOf := "", 0
	for i := range p.rules {
		r := &p.rules[i]
		if r.pattern == nil {
			want[r.Pattern] = true
			continue
		}
		if !p.looks(r) {
			for k := range p.Files {
				if r.matches(p.Files[k].Path) {
					want[p.Files[k].Path] = true
				}
			}
			continue
		}
		under := fixed(r.Pattern)
		files, ok := listed[under]
		if !ok {
			var diags []satchel.Diagnostic
			var err error
			if files, diags, err = p.disk.List(ctx, under); err != nil {
				return nil, err
			}
			listed[under] = files
			p.report.Diagnostics = append(p.report.Diagnostics, diags...)
		}
		n := 0
		for _, name := range files {
			if r.pattern.Match(name) {
				want[name] = true
				n++
			}
		}
		if n > mostOf {
			most, mostOf = r.Pattern, n
		}
		switch {
		case n > 0 || !p.asked[r.Pattern] || p.o.Empty:
		case r.ReadOnly: // it protects what will be there
			p.diagnose(r.Pattern, "matches no file yet")
		default:
			return nil, &pathError{r.Pattern, "matches no file"}
		}
	}
	if len(want) > state.MaxContextFiles {
		return nil, &tooManyError{most, len(want), state.MaxContextFiles}
	}
	return slices.Sorted(maps.Keys(want)), nil
}

// looks reports whether a rule is looked at on the disk, or only in what is kept.
func (p *plan) looks(r *rule) bool {
	switch {
	case p.asked != nil:
		return p.asked[r.Pattern]
	case len(p.o.Only) > 0:
		return false
	case p.o.Automatic:
		return r.AutoRefresh
	}
	return true
}

// rereads reports whether a file that is kept is read again.
func (p *plan) rereads(f *state.ContextFile) bool {
	switch {
	case p.asked != nil:
		return slices.ContainsFunc(p.rules, func(r rule) bool { return p.asked[r.Pattern] && r.matches(f.Path) })
	case f.Evicted:
		return false // until it is added again
	case len(p.o.Only) > 0:
		return slices.Contains(p.o.Only, f.Path)
	case p.o.Automatic:
		return f.AutoRefresh
	}
	return true
}

// maxCounted is how far beyond its budget a set is counted, in budgets: a pattern
// that matches gigabytes is an error soon.
const maxCounted = 64

// read makes the files of the plan.
func (p *plan) read(ctx context.Context, want []string) error {
	old := p.Files
	p.Files = nil
	total, bytes := 0, 0
	for _, name := range want {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := state.ContextFile{Path: name, Added: p.o.Now, Used: p.o.Now}
		i, kept := slices.BinarySearchFunc(old, f, byPath)
		if kept {
			f = old[i]
		}
		if !p.rules.describe(&f) {
			continue
		}
		if !kept || p.rereads(&f) {
			was := f
			if err := p.load(&f); err != nil {
				switch {
				case kept:
					p.diagnose(name, err.Error()+"; the old text is still shown")
					f = was
					p.rules.describe(&f)
				case p.asked[name]:
					return &pathError{name, err.Error()}
				default:
					p.diagnose(name, "left out: "+err.Error())
					continue
				}
			}
			switch {
			case !kept || was.Evicted && !f.Evicted:
				p.report.Added = append(p.report.Added, name)
				p.fresh[name] = true
			case f.Blob != was.Blob || f.Text != was.Text:
				p.report.Changed = append(p.report.Changed, name)
			}
		}
		total, bytes = total+f.Tokens, bytes+len(f.Text)
		if bytes > state.MaxContextBytes {
			return &pathError{name, fmt.Sprintf("context files would exceed %d MiB", state.MaxContextBytes>>20)}
		}
		p.Files = append(p.Files, f)
		if total > p.Limit()*maxCounted {
			return p.over(true)
		}
	}
	for i := range old {
		if _, still := slices.BinarySearch(want, old[i].Path); !still {
			p.report.Removed = append(p.report.Removed, old[i].Path)
		}
	}
	return nil
}

func (p *plan) diagnose(path, text string) {
	p.report.Diagnostics = append(p.report.Diagnostics, satchel.Diagnostic{Path: path, Text: text})
}

// load reads a file.
func (p *plan) load(f *state.ContextFile) error {
	data, real, err := p.readFile(f.Path)
	if err != nil {
		return err
	}
	id := git.BlobID(p.disk.Format(), data)
	data = git.Decode(data)
	if bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 {
		return errors.New(satchel.WhyBinary)
	}
	f.Evicted = false
	f.Refreshed = p.o.Now
	if byName := p.asked != nil || len(p.o.Only) > 0; byName && p.o.Now.After(f.Used) {
		f.Used = p.o.Now
	}
	if id == f.Blob && f.Text != "" {
		return nil
	}
	text, found := clean.File(real, data)
	f.Text = text.String()
	if len(f.Text) > state.MaxContextText {
		return fmt.Errorf("%s: %d bytes", satchel.WhyLarge, len(f.Text))
	}
	f.Blob, f.Redacted = id, len(found)
	f.Tokens = p.count.Count(f.Text)
	return nil
}

// readFile reads a file, also behind links that stay below the root, unless the link
// hides that the file holds secrets. real is the path behind the links.
func (p *plan) readFile(name string) (data []byte, real string, err error) {
	data, sparse, err := p.disk.ReadTracked(name, maxFileBytes)
	real = name
	if errors.Is(err, git.ErrNotRegular) {
		behind, ok := realPath(p.disk.Root(), name)
		switch {
		case !ok:
			return nil, "", errors.New("a link out of the repository")
		case secrets.Sealed(behind):
			return nil, "", errors.New("a link to " + behind + ", which may hold secrets")
		case behind != name:
			real = behind
			data, sparse, err = p.disk.ReadTracked(real, maxFileBytes)
		}
	}
	if sparse {
		p.diagnose(name, git.NotCheckedOut)
	}
	return data, real, plainError(err)
}

// plainError says what is wrong with a file without naming it again.
func plainError(err error) error {
	var large *git.TooLargeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return fmt.Errorf("%s: %d bytes, limit is %d", satchel.WhyLarge, large.Size, large.Limit)
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file")
	case errors.Is(err, fs.ErrPermission):
		return errors.New(satchel.WhyUnread)
	case errors.Is(err, git.ErrNotRegular):
		return git.ErrNotRegular
	}
	return err
}

// current returns the files as they are now: those that refresh themselves are
// read again, as far as they fit; the set itself stays as it is.
func (s *Set) current(ctx context.Context, now time.Time) ([]state.ContextFile, []satchel.Diagnostic) {
	auto := slices.ContainsFunc(s.Rules, func(r state.ContextRule) bool { return r.AutoRefresh })
	if !auto {
		return s.Files, nil
	}
	try := *s
	rep, err := try.Refresh(ctx, Options{Now: now, Automatic: true})
	if err != nil {
		return s.Files, []satchel.Diagnostic{{Text: "context files are shown as last read: " + err.Error()}}
	}
	return try.Files, rep.Diagnostics
}

// stale returns the paths of the files whose bytes on the disk are other ones than
// those that are kept, or that are gone.
func (s *Set) stale(ctx context.Context) ([]string, error) {
	var out []string
	p := &plan{Set: *s}
	for i := range s.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &s.Files[i]
		if f.Evicted {
			continue
		}
		data, _, err := p.readFile(f.Path)
		if err != nil || git.BlobID(s.disk.Format(), data) != f.Blob {
			out = append(out, path.Clean(f.Path))
		}
	}
	return out, nil
}
