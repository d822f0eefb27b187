// Package mcp has the command mcp: a server for agents.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/mcp"
	"github.com/satchel-dev/satchel/internal/front/tools"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/spf13/cobra"
)

// An app is one run of a command.
type app struct{ *base.App }

func New(b *base.App, status Status) *cobra.Command {
	a := &app{b}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve pack, search, read, diff and session to an agent",
		Long: `Serve an agent by the Model Context Protocol: the tools pack, search, read, diff
and session, and files and snapshots as resources. Each line of standard input and
output is a message, in any protocol version from 2024-11-05 to 2026-07-28. The
workspace is --dir, else the folder in CLAUDE_PROJECT_DIR or WORKSPACE_FOLDER_PATHS,
else the current one. No call can read another workspace.`,
		Example: `  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | satchel mcp`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd.Context(), status) },
	}
	fs := cmd.Flags()
	a.SettingFlags(fs, []string{"model", "snapshot"})
	a.SettingFlags(fs, base.ReadSettings)
	return cmd
}

func (a *app) mcp(ctx context.Context, status Status) error {
	// Writing to an agent that has gone is an error, and does not end the process.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)

	a.Hasty()
	s := mcp.New(mcp.Options{
		Version: base.Version(), Open: a.openToServe, Hint: serveHint,
		Host: tools.Host{Path: a.RootPath, Share: a.share, Sessions: recorded{recordings.Project{Dir: a.Dir, Getenv: a.Getenv}, a.quietly(), status}, Keep: a.keeper()},
	})
	in, ok := a.Env.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(a.Env.Stdin)
	}
	return errors.Join(s.ServeStdio(ctx, in, a.Env.Stdout), s.Close())
}

// share is what a share of the window comes to, by the user's settings.
func (a *app) share(text string) (least, most int, err error) {
	c := a.Settings.Config
	if c.Model == "" {
		return 0, 0, errors.New("the window is unknown: the server was started without --model")
	}
	c.Budget = text
	return c.Limit()
}

// quietly returns the app for a server, whose streams are not visible.
func (a *app) quietly() *base.App {
	b := *a.App
	b.Serves, b.Bar = true, new(base.Progress)
	b.Env.StdinTTY, b.Env.StdoutTTY, b.Env.StderrTTY, b.Env.Stderr = false, false, false, io.Discard
	return &b
}

// openToServe opens the workspace, unless it cannot be a project.
func (a *app) openToServe(ctx context.Context, progress func(string, int, int)) (*engine.Engine, error) {
	if why := a.NoProject(); why != "" {
		return nil, fmt.Errorf("the server was started in %s: start it in a project, or with --dir", why)
	}
	return a.OpenWith(ctx, progress)
}

// keeper keeps packs as snapshots if the user's settings ask for it; else nil.
func (a *app) keeper() func(context.Context, *engine.Engine, tools.Kept) error {
	if !a.Settings.Snapshot {
		return nil
	}
	return func(ctx context.Context, e *engine.Engine, k tools.Kept) error {
		_, _, err := e.Snapshots().Keep(ctx, k.Request, k.Pack, []byte(k.Text), a.Now(), a.Settings.Retention)
		if errors.Is(err, engine.ErrNoArchive) {
			return nil // the setting is for repositories
		}
		return err
	}
}

// serveHint says what an agent can do about an error.
func serveHint(err error) string {
	var revision *git.UnknownRevisionError
	var snapshot *archive.UnknownError
	var silent *git.SilentError
	var overdue *git.OverdueError
	switch {
	case errors.As(err, &revision):
		return "a revision is a branch, a tag or a commit"
	case errors.Is(err, git.ErrUnborn):
		return "omit the revision to read the work tree"
	case errors.As(err, &silent), errors.As(err, &overdue):
		return "if the disk is slow, the user can raise the setting git-timeout"
	case errors.As(err, &snapshot):
		return "the resource satchel://snapshots lists them"
	case errors.Is(err, git.ErrNoWorkTree):
		return "a bare repository has no work tree: add rev"
	}
	hint, _ := base.StateHint(err)
	return hint
}

// recorded are the sessions of the workspace for a server: package recordings finds
// and counts them, and satchel status renders the table.
type recorded struct {
	recordings.Project
	a      *base.App
	status Status
}

// A Status describes how full the window of a session is. Package session has one; package cli
// passes it in.
type Status func(ctx context.Context, b *base.App, session string) (string, error)

// Pressure describes how full the window of a session is.
func (r recorded) Pressure(ctx context.Context, id string) (string, error) {
	name, err := r.One(id)
	if err != nil {
		return "", err
	}
	return r.status(ctx, r.a, name)
}
