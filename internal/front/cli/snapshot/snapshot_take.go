package snapshot

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/snapshot"
	"github.com/spf13/cobra"
)

// takeFlags are what snapshot take takes.
type takeFlags struct {
	files, snippets, commands, urls, images []string
	summary                                 string
}

func (a *app) snapshotTakeCommand() *cobra.Command {
	var f takeFlags
	cmd := &cobra.Command{
		Use:   "take",
		Short: "Take a snapshot of items that you name",
		Long: `Take a snapshot of files, texts, images, pages or the output of commands. satchel
fetches and runs nothing: pages and output come from your files, or from standard
input with -.`,
		Example: `  satchel snapshot take --file README.md
  satchel snapshot take --file README.md --summary "before the fix"
  ls -l | satchel snapshot take --command "ls -l"=-`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			items, err := a.takings(cmd.Context(), &f)
			if err != nil {
				return err
			}
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				entry, fresh, err := e.Snapshots().Take(cmd.Context(), items, f.summary, a.Now(), a.Settings.Retention)
				if err != nil {
					return err
				}
				return a.taken(entry, fresh)
			})
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.files, "file", nil, "add a `path` of the repository (repeatable)")
	fs.StringArrayVar(&f.snippets, "snippet", nil, "add a text, as `LABEL=FILE` (repeatable)")
	fs.StringArrayVar(&f.commands, "command", nil, "add the output of a command, as `COMMAND=FILE` (repeatable)")
	fs.StringArrayVar(&f.urls, "url", nil, "add a page, as `URL=FILE` (repeatable)")
	fs.StringArrayVar(&f.images, "image", nil, "add an image `file` (repeatable)")
	fs.StringVar(&f.summary, "summary", "", "describe the snapshot in a `line`")
	a.JSONFlag(fs)
	return cmd
}

// maxTaken is the largest item that is taken.
const maxTaken = 64 << 20

// takings reads the items that the flags name.
func (a *app) takings(ctx context.Context, f *takeFlags) ([]engine.TakenItem, error) {
	var out []engine.TakenItem
	stdin := false
	read := func(name string) ([]byte, error) {
		if name == "-" && stdin {
			return nil, base.Usagef("only one item can come from standard input")
		}
		stdin = stdin || name == "-"
		return a.ReadAtMost(ctx, name, maxTaken)
	}
	for _, name := range f.files {
		p, err := a.RootPath(name)
		if err != nil {
			return nil, err
		}
		out = append(out, engine.TakenItem{Kind: snapshot.KindFile, Name: p})
	}
	for _, group := range []struct {
		kind  snapshot.Kind
		flag  string
		names []string
	}{{snapshot.KindSnippet, "snippet", f.snippets}, {snapshot.KindCommand, "command", f.commands}, {snapshot.KindURL, "url", f.urls}} {
		for _, arg := range group.names {
			i := strings.LastIndex(arg, "=") // labels hold more of them than file names do
			if i <= 0 || i == len(arg)-1 {
				return nil, base.Usagef("--%s %s: want NAME=FILE", group.flag, arg)
			}
			data, err := read(arg[i+1:])
			if err != nil {
				return nil, err
			}
			out = append(out, engine.TakenItem{Kind: group.kind, Name: arg[:i], Data: data})
		}
	}
	for _, name := range f.images {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(snapshot.Mime(data), "image/") {
			return nil, fmt.Errorf("--image %s: want a PNG, JPEG, GIF, BMP or WebP image, not %s", name, snapshot.Mime(data))
		}
		out = append(out, engine.TakenItem{Kind: snapshot.KindImage, Name: a.imageName(name), Data: data})
	}
	if len(out) == 0 {
		return nil, base.Usagef("nothing to take: add --file, --snippet, --command, --url or --image")
	}
	return out, nil
}

// imageName is the path in the repository of an image, or its file name.
func (a *app) imageName(name string) string {
	if rel, ok := base.Below(config.Root(a.Dir), a.FromHere(name)); ok {
		return rel
	}
	return filepath.Base(name)
}

// A takenSnapshot is the JSON form of a snapshot that was taken, or found.
type takenSnapshot struct {
	Version int  `json:"version"`
	Fresh   bool `json:"fresh"`
	engine.SnapshotEntry
}

// taken prints the snapshot that was taken.
func (a *app) taken(e engine.SnapshotEntry, fresh bool) error {
	if a.JSON {
		return a.WriteJSON(takenSnapshot{1, fresh, e})
	}
	if !fresh {
		a.Remark("note: an equal snapshot was taken at %s", e.Taken.Format(time.RFC3339))
	}
	fmt.Fprintf(a.Out, "%s\n", e.ID)
	return nil
}
