package base

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/spf13/pflag"
)

// Say prints one line for people on standard error.
func (a *App) Say(format string, args ...any) {
	a.Bar.Clear()
	fmt.Fprintf(a.Env.Stderr, "satchel: "+format+"\n", args...)
}

// Remark prints a line that is neither an error nor a result, unless --quiet is set.
func (a *App) Remark(format string, args ...any) {
	if a.Settings == nil || !a.Settings.Quiet {
		a.Say(format, args...)
	}
}

// Diagnostics prints the notes of a result, unless --quiet is set.
func (a *App) Diagnostics(diags []satchel.Diagnostic) {
	if a.Settings != nil && a.Settings.Quiet {
		return
	}
	for i, n := range diags {
		if i == maxNotes {
			a.Say("%d more notes; --json lists them", len(diags)-i)
			break
		}
		if n.Path == "" {
			a.Say("note: %s", clean.Inline(n.Text))
		} else {
			a.Say("note: %s: %s", clean.Inline(n.Path), clean.Inline(n.Text))
		}
	}
}

// maxNotes is how many notes a terminal shows before the rest drowns the
// result.
const maxNotes = 10

// vault returns the folder of documents outside the repository, relative to the
// current folder; ~ is the home folder.
func (a *App) vault() string {
	dir := a.Settings.Vault
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(a.Getenv("HOME"), rest)
	}
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(a.Dir, dir)
}

// Getenv returns the value of a variable. See [config.Getenv].
func (a *App) Getenv(name string) string { return config.Getenv(a.Env.Environ)(name) }

// Removed returns an error if the current folder no longer exists.
func (a *App) Removed() error {
	if filepath.IsAbs(a.Dir) {
		return nil
	}
	return Hint(errors.New("the current folder was removed"), "change to another folder, or name one with -C FOLDER")
}

// Open opens the engine as the settings say.
func (a *App) Open(ctx context.Context) (*engine.Engine, error) {
	return a.OpenWith(ctx, a.Bar.Step)
}

// OpenAsking is Open for a command that asks a model.
func (a *App) OpenAsking(ctx context.Context) (*engine.Engine, error) {
	a.asking = true
	return a.Open(ctx)
}

// OpenWith is Open with a function that shows the progress.
func (a *App) OpenWith(ctx context.Context, step func(stage string, done, total int)) (*engine.Engine, error) {
	if err := a.Removed(); err != nil {
		return nil, err
	}
	c := &a.Settings.Config
	o := &engine.Options{
		Dir:            a.Dir,
		Exclude:        a.Settings.OwnExclude(),
		Unignore:       c.Unignore,
		Never:          a.Given["exclude"],
		NoAiIgnore:     c.NoAiIgnore,
		Submodules:     c.Submodules,
		Weights:        c.Weights,
		MaxFileBytes:   c.MaxFileBytes,
		MaxFiles:       c.MaxFiles,
		HistoryCommits: c.HistoryCommits,
		GitTimeout:     c.GitTimeout,
		Environ:        a.Env.Environ,
		CacheDir:       c.CacheDir,
		Vault:          a.vault(),
		NoCache:        c.NoCache,
		Progress:       step,
		Asking:         a.asking,
	}
	if o.CacheDir != "" {
		o.CacheDir = a.FromHere(o.CacheDir)
	}
	if o.HistoryCommits == 0 {
		o.HistoryCommits = -1 // the engine's zero means the default
	}
	a.useEmbedder(o)
	return engine.Open(ctx, o)
}

// SayMissing lists what is missing in a result, if there is more than one thing.
func (a *App) SayMissing(e *IncompleteError) {
	for _, why := range e.Why {
		if len(e.Why) > 1 {
			a.Say("  %s", clean.Inline(why))
		}
	}
}

// JSONFlag adds the flag that selects JSON output.
func (a *App) JSONFlag(fs *pflag.FlagSet) {
	fs.BoolVar(&a.JSON, "json", false, "write one JSON document")
}

// WriteJSON writes one indented document on standard output. Characters that
// would control a terminal, the direction of text, or show nothing are escaped,
// so that programs read the same text and people see what is there.
func (a *App) WriteJSON(v any) error {
	text, err := JSONText(v)
	if err == nil {
		_, err = a.Out.WriteString(text)
	}
	return err
}

// JSONText returns what WriteJSON writes.
func JSONText(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(schema.WithLists(v)); err != nil {
		return "", err
	}
	return string(clean.JSON(b.Bytes())), nil
}
