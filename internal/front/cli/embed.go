package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/store/vectors"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/rank"
	"github.com/satchel-dev/satchel/render"
)

func (a *app) embedCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "embed",
		Short: "Rank documents by meaning too, with embeddings",
		Long: `Rank documents by meaning too, with embeddings of a model. Name the model in
[llm.embedder] of your config.toml: any server that offers OpenAI's /v1/embeddings
API, by default Ollama on this machine. Nothing is sent before "satchel embed build",
which sends each document section that has no vector yet. After that, each pack that
contains documents sends its task, too. Secrets are redacted from both. Your cache folder
keeps the vectors for all repositories.`,
		Example: `  satchel embed build --dry-run`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.embedBuildCommand())
	return cmd
}

func (a *app) embedBuildCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Request embeddings for documents that have none",
		Long: `Request embeddings for sections of documents that have none, in the work tree and
the vault. After an error or an interrupt, the results so far are kept. If no
section is missing, one is sent to check the length of the model's vectors. If the
length has changed, all are requested again.`,
		Example: `  satchel embed build --dry-run
  satchel embed build --dry-run --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json && !dryRun {
				return usagef("--json needs --dry-run")
			}
			if dryRun {
				return a.embedStatus(cmd.Context())
			}
			return a.embedBuild(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the model and what it would get, and send nothing")
	a.jsonFlag(cmd.Flags())
	a.settingFlags(cmd.Flags(), readSettings)
	return cmd
}

// vectorDir is where vectors are kept: below the user's cache folder, not the
// repository's, since they may be many and are the same everywhere.
func (a *app) vectorDir() (string, error) {
	dir := a.getenv("XDG_CACHE_HOME")
	home := a.getenv("HOME")
	switch {
	case filepath.IsAbs(dir):
	case runtime.GOOS == "windows" && a.getenv("LOCALAPPDATA") != "":
		dir = a.getenv("LOCALAPPDATA")
	case runtime.GOOS == "darwin" && home != "":
		dir = filepath.Join(home, "Library", "Caches")
	case home != "":
		dir = filepath.Join(home, ".cache")
	default:
		return "", errors.New("cannot keep vectors: neither XDG_CACHE_HOME nor HOME is set")
	}
	return filepath.Join(dir, "satchel", "vectors"), nil
}

// finder returns what asks the model of the settings.
func (a *app) finder(ctx context.Context, c *config.LLM) (*vectors.Finder, error) {
	key, err := a.key(ctx, c, "embeddings", "remove [llm.embedder] from it")
	if err != nil {
		return nil, err
	}
	client, err := llm.New(c.Endpoint(key), &llm.Options{Pause: a.env.Pause})
	if err != nil {
		return nil, err
	}
	dir, err := a.vectorDir()
	if err != nil {
		return nil, err
	}
	return &vectors.Finder{Client: client, Dir: dir, Model: c.Model, Batch: int(c.Batch)}, nil
}

// An embedder is the engine's, by a model and the vectors that are kept.
type embedder struct {
	app  *app
	with *config.LLM
}

// Similarities sends the task and nothing else. A section that has no vector
// counts as alike as the others are on average.
func (e *embedder) Similarities(ctx context.Context, task string, sections []engine.DocText) ([]float64, error) {
	f, err := e.app.finder(ctx, e.with)
	if err != nil {
		return nil, err
	}
	alike, without, err := f.Similar(ctx, satchel.Clean("", task).String(), sectionTexts(sections))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", e.with.Model, err)
	case without == len(sections):
		return nil, fmt.Errorf("no vectors of %s yet: run satchel embed build", e.with.Model)
	case without > 0:
		e.app.diagnostics([]satchel.Diagnostic{{Text: fmt.Sprintf("%d of %s have no vector: run satchel embed build", without, render.Plural(len(sections), "section"))}})
	}
	return alike, nil
}

func sectionTexts(sections []engine.DocText) []string {
	texts := make([]string, len(sections))
	for i, s := range sections {
		texts[i] = s.Text
	}
	return texts
}

// useEmbedder has the engine rank documents by meaning, if the user named a model
// for it.
func (a *app) useEmbedder(o *engine.Options) {
	c := a.settings.Embedder()
	if c == nil {
		return
	}
	w := rank.DefaultDocumentWeights()
	if c.Fusion == "rank" {
		w.Fusion = rank.Reciprocal
	}
	if c.Weight > 0 {
		w.Beta = c.Weight
	}
	o.Embedder, o.DocumentWeights = &embedder{a, c}, &w
}

// sections opens the engine and returns what there is to embed.
func (a *app) sections(ctx context.Context) ([]engine.DocText, error) {
	e, err := a.open(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	sections, diags, err := e.Files().Sections(ctx)
	a.diagnostics(diags)
	return sections, err
}

// embedState is the JSON form of the command's result.
type embedState struct {
	Version  int            `json:"version"`
	URL      string         `json:"url"` // "" if no model is named
	Model    string         `json:"model"`
	Sections int            `json:"sections"` // of documents
	Missing  int            `json:"missing"`  // of these, without a vector
	Send     int            `json:"send"`     // bytes of text that build would send
	Dir      string         `json:"dir"`
	Files    []vectors.Kept `json:"files"`
}

func (a *app) embedStatus(ctx context.Context) error {
	dir, err := a.vectorDir()
	if err != nil {
		return err
	}
	s := embedState{Version: 1, Dir: dir}
	if s.Files, err = vectors.List(dir); err != nil {
		return err
	}
	if c := a.settings.Embedder(); c != nil {
		at := c.Endpoint("")
		s.URL, s.Model = at.Address(), c.Model
		sections, err := a.sections(ctx)
		if err != nil {
			return err
		}
		f := &vectors.Finder{Dir: dir, Model: c.Model}
		missing, err := f.Missing(sectionTexts(sections))
		if err != nil {
			return err
		}
		s.Sections, s.Missing = len(sections), len(missing)
		for _, t := range missing {
			s.Send += len(t)
		}
		if len(missing) == 0 && len(sections) > 0 {
			s.Send = len(vectors.Clip(sections[0].Text)) // see vectors.Finder.Build
		}
	}
	if a.json {
		if s.Files == nil {
			s.Files = []vectors.Kept{}
		}
		return a.writeJSON(s)
	}
	a.printEmbed(&s)
	return nil
}

func (a *app) printEmbed(s *embedState) {
	line := func(name, text string) { fmt.Fprintf(a.out, "%-10s %s\n", name, clean.Inline(text)) }
	if s.URL == "" {
		line("model", "none: documents are ranked by words only, and nothing is sent")
	} else {
		line("model", s.Model+" at "+s.URL)
		line("sections", fmt.Sprintf("%s, %s without a vector", thousands(s.Sections), thousands(s.Missing)))
		line("build", fmt.Sprintf("would send %s bytes, secrets redacted", thousands(s.Send)))
		line("pack", "with documents sends its task, once there are vectors")
	}
	line("folder", s.Dir)
	for _, f := range s.Files {
		line("kept", fmt.Sprintf("%s of %s (%d numbers each, %s bytes)", render.Plural(f.Vectors, "vector"), f.Model, f.Dimensions, thousands(int(f.Bytes))))
	}
}

var errNoEmbedder = &usageError{errors.New("no embedding model is configured"), "add an [llm.embedder] to your own config.toml; docs/config.md has an example"}

func (a *app) embedBuild(ctx context.Context) error {
	c := a.settings.Embedder()
	if c == nil {
		return errNoEmbedder
	}
	f, err := a.finder(ctx, c)
	if err != nil {
		return err
	}
	sections, err := a.sections(ctx)
	if err != nil {
		return err
	}
	n, err := f.Build(ctx, sectionTexts(sections), func(done, all int) { a.bar.step("embedding", done, all) })
	if err != nil {
		return fmt.Errorf("%s: %w (%s kept; run satchel embed build again for the rest)", c.Model, err, render.Plural(n, "vector"))
	}
	fmt.Fprintf(a.out, "%s of %s added; %s have one\n", render.Plural(n, "vector"), clean.Inline(c.Model), render.Plural(len(sections), "section"))
	return nil
}
