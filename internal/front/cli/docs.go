package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// documents is what the settings say about documents in packs; nil if they are
// files like all others. Where the settings say nothing, own says whether they are
// a source of their own.
func (a *app) documents(own bool) *satchel.Documents {
	c := &a.settings.Config
	most := c.Docs
	if o := a.settings.Origins["docs"]; own && len(o) == 1 && o[0].Source == config.Default {
		most = a.settings.OwnDocs
	}
	if most == 0 {
		return nil
	}
	return &satchel.Documents{
		Most: most, Share: c.DocsShare, Depth: c.DocsDepth,
		Linked: !c.DocsSearch, NoLinks: !c.DocsLinks, MaxBytes: c.DocsFileBytes,
	}
}

// linkedDocuments is documents for a task that may link to some: then they are a
// source of their own, if it is a document of this repository that it links to.
func (a *app) linkedDocuments(task string) *satchel.Documents {
	c := &a.settings.Config
	links := c.DocsLinks && len(document.Links(task)) > 0
	d := a.documents(links)
	if d != nil && c.Docs == 0 {
		d.IfLinked = true
	}
	return d
}

func (a *app) docsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "docs",
		Short:   "Judge the documents of the repository",
		Example: `  satchel docs stale`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.docsStaleCommand())
	return cmd
}

func (a *app) docsStaleCommand() *cobra.Command {
	var rev string
	cmd := &cobra.Command{
		Use:   "stale [PATHS]",
		Short: "Rank documents by how much of what they say no longer exists",
		Long: `Rank documents by how much of what they say no longer exists: the files and
names of the program that they mention in code, links and blocks of code. Each
line that mentions something gone is shown with what it is. The percentage is
the share that is gone, weighed by how sure it is that the program was meant.

Documents of which everything holds are counted, and listed by --json alone.`,
		Example: `  satchel docs stale
  satchel docs stale docs README.md --rev HEAD
  satchel docs stale --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return a.docsStale(cmd.Context(), rev, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&rev, "rev", "", "judge this `revision` instead of the work tree")
	a.jsonFlag(fs)
	a.settingFlags(fs, readSettings)
	a.settingFlags(fs, pageSettings)
	return cmd
}

func (a *app) docsStale(ctx context.Context, rev string, names []string) error {
	paths, err := a.rootPaths(names)
	if err != nil {
		return err
	}
	e, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := e.Files().StaleDocs(ctx, rev, paths)
	if err != nil {
		return err
	}
	a.diagnostics(e.Index().Diagnostics())
	if len(paths) > 0 && len(r.Documents) == 0 {
		return fmt.Errorf("%s: no such document", names[0])
	}
	if a.json {
		return a.writeJSON(r)
	}
	a.diagnostics(r.Diagnostics)
	l := a.table()
	sound, records := 0, 0
	for i := range r.Documents {
		switch d := &r.Documents[i]; {
		case len(d.Gone) == 0:
			sound++
		case d.Record && len(paths) == 0:
			records++
		default:
			l.stale(d)
		}
	}
	if records > 0 {
		a.remark("%s left out: a change log speaks of what is gone on purpose; name it to see it", render.Plural(records, "record"))
	}
	if sound > 0 || len(r.Documents) == 0 {
		other := ""
		if len(l.Bytes()) > 0 {
			other = "other "
		}
		a.remark("nothing is gone of what %s", render.Plural(sound, other+"document")+map[bool]string{true: " mentions", false: " mention"}[sound == 1])
	}
	return a.page(l.Bytes())
}

// stale adds a document with what is gone of what it says.
func (t *report) stale(d *engine.StaleDocument) {
	fmt.Fprintf(t, "%s  %s", t.paint.path(clean.Inline(d.Path)), t.paint.bold(fmt.Sprintf("%.0f%%", 100*d.Share)))
	if d.Changes > 0 {
		fmt.Fprintf(t, "  %s", t.paint.dim(render.Plural(d.Changes, "later change")+" to what it mentions"))
	}
	t.WriteByte('\n')
	for _, g := range d.Gone {
		t.detail(fmt.Sprintf("%-5d %s  %s", g.Line, clean.Inline(g.Text), g.Why))
	}
}
