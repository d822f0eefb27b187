// Package embed has the command embed: vectors for documents.
package embed

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/store/vectors"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App) *cobra.Command {
	a := &app{b}
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
			if a.JSON && !dryRun {
				return base.Usagef("--json needs --dry-run")
			}
			if dryRun {
				return a.embedStatus(cmd.Context())
			}
			return a.embedBuild(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the model and what it would get, and send nothing")
	a.JSONFlag(cmd.Flags())
	a.SettingFlags(cmd.Flags(), base.ReadSettings)
	return cmd
}

// sections opens the engine and returns what there is to embed.
func (a *app) sections(ctx context.Context) ([]engine.DocText, error) {
	e, err := a.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	sections, diags, err := e.Files().Sections(ctx)
	a.Diagnostics(diags)
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
	dir, err := a.VectorDir()
	if err != nil {
		return err
	}
	s := embedState{Version: 1, Dir: dir}
	if s.Files, err = vectors.List(dir); err != nil {
		return err
	}
	if c := a.Settings.Embedder(); c != nil {
		at := c.Endpoint("")
		s.URL, s.Model = at.Address(), c.Model
		sections, err := a.sections(ctx)
		if err != nil {
			return err
		}
		f := &vectors.Finder{Dir: dir, Model: c.Model}
		missing, err := f.Missing(base.SectionTexts(sections))
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
	if a.JSON {
		if s.Files == nil {
			s.Files = []vectors.Kept{}
		}
		return a.WriteJSON(s)
	}
	a.printEmbed(&s)
	return nil
}

func (a *app) printEmbed(s *embedState) {
	line := func(name, text string) { fmt.Fprintf(a.Out, "%-10s %s\n", name, clean.Inline(text)) }
	if s.URL == "" {
		line("model", "none: documents are ranked by words only, and nothing is sent")
	} else {
		line("model", s.Model+" at "+s.URL)
		line("sections", fmt.Sprintf("%s, %s without a vector", render.Thousands(s.Sections), render.Thousands(s.Missing)))
		line("build", fmt.Sprintf("would send %s bytes, secrets redacted", render.Thousands(s.Send)))
		line("pack", "with documents sends its task, once there are vectors")
	}
	line("folder", s.Dir)
	for _, f := range s.Files {
		line("kept", fmt.Sprintf("%s of %s (%d numbers each, %s bytes)", render.Plural(f.Vectors, "vector"), f.Model, f.Dimensions, render.Thousands(int(f.Bytes))))
	}
}

var errNoEmbedder = base.Usage(errors.New("no embedding model is configured"), "add an [llm.embedder] to your own config.toml; docs/config.md has an example")

func (a *app) embedBuild(ctx context.Context) error {
	c := a.Settings.Embedder()
	if c == nil {
		return errNoEmbedder
	}
	f, err := a.Finder(ctx, c)
	if err != nil {
		return err
	}
	sections, err := a.sections(ctx)
	if err != nil {
		return err
	}
	n, err := f.Build(ctx, base.SectionTexts(sections), func(done, all int) { a.Bar.Step("embedding", done, all) })
	if err != nil {
		return fmt.Errorf("%s: %w (%s kept; run satchel embed build again for the rest)", c.Model, err, render.Plural(n, "vector"))
	}
	fmt.Fprintf(a.Out, "%s of %s added; %s have one\n", render.Plural(n, "vector"), clean.Inline(c.Model), render.Plural(len(sections), "section"))
	return nil
}

func Documents() []schema.Document {
	return []schema.Document{
		schema.Writes[embedState]("embed-build-dry-run", 1, "The documents that would be embedded, and the model", "embed build --dry-run"),
	}
}
