package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/text/clean"
)

// mostLog is the largest change log that is read.
const mostLog = 16 << 20

// An insertion is what is to be inserted into a file, and what stands there.
type insertion struct {
	ask.Insertion
	file string
}

// insertion says where a section belongs in a file.
func (a *app) insertion(ctx context.Context, name, section, version, date string) (*insertion, error) {
	if ext := strings.ToLower(filepath.Ext(name)); slices.Contains([]string{".rst", ".adoc", ".asciidoc", ".org", ".html", ".json"}, ext) {
		return nil, fmt.Errorf("--update %s: it is %s, and entries are written in Markdown", clean.Inline(name), ext)
	}
	if name == "-" {
		return nil, usagef("--update -: want a file")
	}
	text, err := a.readAtMost(ctx, name, mostLog)
	if err != nil {
		return nil, fmt.Errorf("--update: %w", err)
	}
	in, err := ask.InsertLog(string(text), section, version, date)
	if err != nil {
		return nil, fmt.Errorf("--update %s: %w", clean.Inline(name), err)
	}
	return &insertion{in, string(text)}, nil
}

// updateLog inserts a section into the file that the user named; everything else of
// it stays.
func (a *app) updateLog(ctx context.Context, name, section, version, date string) error {
	in, err := a.insertion(ctx, name, section, version, date)
	if errors.Is(err, ask.ErrThere) && version == "" {
		a.remark("%s has these entries already", clean.Inline(name))
		return nil
	}
	if err != nil {
		return err
	}
	err = writeFile(a.fromHere(name), func(w io.Writer) error {
		_, err := io.WriteString(w, in.Into(in.file))
		return err
	})
	if err == nil {
		a.remark("inserted %d lines into %s, below line %d", strings.Count(in.Text, "\n"), clean.Inline(name), strings.Count(in.file[:in.At], "\n"))
	}
	return err
}

// showPatch shows what --update would do.
func (a *app) showPatch(ctx context.Context, name, section, version, date string) error {
	in, err := a.insertion(ctx, name, section, version, date)
	if errors.Is(err, ask.ErrThere) && version == "" {
		a.remark("%s has these entries already", clean.Inline(name))
		return nil
	}
	if err != nil {
		return err
	}
	patch := in.Patch(filepath.ToSlash(name), in.file)
	if a.env.StdoutTTY {
		patch, _ = clean.Visible(patch)
	}
	_, err = a.out.WriteString(patch)
	return err
}

// dryUpdate shows, after what would be sent, the patch that --update would make of
// the subjects alone: what a model would say nobody knows.
func (a *app) dryUpdate(ctx context.Context, e *engine.Engine, q assist.ChangelogRequest, f *changelogFlags) error {
	if f.update == "" || a.json {
		return nil
	}
	q.Plain = true
	c, err := (&assist.Desk{Engine: e}).Changelog(ctx, q)
	if err != nil {
		return err
	}
	if _, err := a.out.WriteString("\nwould insert, in the words of the model where these are of the commits:\n"); err != nil {
		return err
	}
	return a.showPatch(ctx, f.update, sectionText(c, q, f), q.Version, c.Date)
}
