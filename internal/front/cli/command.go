package cli

import (
	"github.com/satchel-dev/satchel/internal/front/cli/assist"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/config"
	"github.com/satchel-dev/satchel/internal/front/cli/contextfiles"
	"github.com/satchel-dev/satchel/internal/front/cli/diff"
	"github.com/satchel-dev/satchel/internal/front/cli/embed"
	"github.com/satchel-dev/satchel/internal/front/cli/hook"
	"github.com/satchel-dev/satchel/internal/front/cli/index"
	"github.com/satchel-dev/satchel/internal/front/cli/install"
	"github.com/satchel-dev/satchel/internal/front/cli/last"
	"github.com/satchel-dev/satchel/internal/front/cli/mcp"
	"github.com/satchel-dev/satchel/internal/front/cli/note"
	"github.com/satchel-dev/satchel/internal/front/cli/pack"
	"github.com/satchel-dev/satchel/internal/front/cli/search"
	"github.com/satchel-dev/satchel/internal/front/cli/session"
	"github.com/satchel-dev/satchel/internal/front/cli/show"
	"github.com/satchel-dev/satchel/internal/front/cli/snapshot"
	"github.com/satchel-dev/satchel/internal/front/cli/tokens"
	"github.com/spf13/cobra"
)

// An app has the commands of one run.
type app struct{ *base.App }

// A command is a name and what builds it.
type command struct {
	name  string
	build func(*base.App) *cobra.Command
}

func commands() []command {
	return []command{
		{"ask", assist.NewAsk}, {"commit", assist.NewCommit}, {"review", assist.NewReview}, {"pr", assist.NewPR},
		{"changelog", assist.NewChangelog}, {"log", func(b *base.App) *cobra.Command { return assist.NewLog(b, Main) }}, {"pack", pack.New}, {"run", session.NewRun},
		{"diff", diff.New}, {"search", search.New}, {"last", last.New}, {"show", show.New},
		{"tokens", tokens.New}, {"embed", embed.New}, {"session", session.New}, {"status", session.NewStatus},
		{"snapshot", snapshot.New}, {"note", note.New}, {"context", contextfiles.New}, {"mcp", func(b *base.App) *cobra.Command { return mcp.New(b, session.StatusForAgent) }},
		{"index", index.New}, {"config", config.New}, {"schema", schemaCommand}, {"version", versionCommand},
		{"hook", hook.New}, {"statusline", session.NewStatusline}, {"install", install.New},
		{"uninstall", install.NewUninstall}, {"doctor", install.NewDoctor},
	}
}
