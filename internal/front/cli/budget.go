package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/dialect/hawk"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
)

type budgetFlags struct {
	windowFlags
	conversation int
	preset       string
}

// budgetResult is the JSON form of the command's result.
type budgetResult struct {
	Version         int          `json:"version"`
	Model           string       `json:"model,omitempty"`
	Preset          string       `json:"preset"`
	Source          string       `json:"window_source"`
	budget.Division              // window, parts, free
	Conversation    conversation `json:"conversation"`
}

type conversation struct {
	Tokens  int  `json:"tokens"`
	Room    int  `json:"room"`
	Percent int  `json:"percent"` // of the room
	Start   int  `json:"start"`   // above it, compacting begins
	Stop    int  `json:"stop"`    // down to it, it goes on
	Compact bool `json:"compact"`
}

func (a *app) budgetCommand() *cobra.Command {
	var f budgetFlags
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Divide a model's window between what an agent sends",
		Long: `Divide a model's context window between what an agent sends, and say when its
conversation is to be compacted. ctxmgr has nine sections, of which the files give
way to the conversation as that grows; gitclaw has the percentages of GITCLAW's
context.json. Both are presets, not measurements. Without a window, those of the
known models are listed.`,
		Example: `  satchel budget --model claude-sonnet-4-5 --conversation 60k
  satchel budget --window 1m --json
  satchel budget --window 200k --preset gitclaw`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.budget(&f) },
	}
	fs := cmd.Flags()
	fs.Var(tokensFlag{&f.conversation}, "conversation", "the conversation takes this many `tokens`")
	fs.StringVar(&f.preset, "preset", presetCtxMgr, "divide by `ctxmgr` or gitclaw")
	a.jsonFlag(fs)
	f.add(a, fs)
	fs.Lookup("model").Usage = "divide the window of this model"
	return cmd
}

func (a *app) budget(f *budgetFlags) error {
	preset, ok := presets[f.preset]
	if !ok {
		return usagef("--preset %s: want ctxmgr or gitclaw", f.preset)
	}
	var m tokens.Model
	if name := a.settings.Model; name != "" {
		var err error
		if m, err = tokens.ModelByName(name, a.settings.Models...); err != nil {
			return usagef("--model: %w", err)
		}
	}
	w, err := f.find(a, m, 0)
	if err != nil {
		if m.Name == "" && f.window == 0 && f.plan == nil && f.context == "" {
			return a.windows()
		}
		return err
	}
	r := budgetResult{Version: 1, Model: m.Name, Preset: f.preset, Source: w.Source}
	plan, err := f.readPlan(a)
	if err != nil {
		return err
	}
	if f.preset == presetGitClaw && plan != nil {
		p := *plan
		p.Total = w.Tokens
		r.Division, err = budget.Split(w.Tokens, gitclaw.Sections(&p))
	} else {
		r.Division, err = preset.divide(w.Tokens, f.conversation, m.Output)
	}
	if err != nil {
		return usagef("%w", err)
	}
	c := budget.DefaultCompaction
	room := preset.room(&r.Division)
	r.Conversation = conversation{Tokens: f.conversation, Room: room, Start: c.Trigger(room), Stop: c.Target(room), Compact: c.Next(f.conversation, room, false)}
	view := render.Window{Tokens: room, Sections: []render.Section{{Tokens: f.conversation}}}
	r.Conversation.Percent = view.Percent()
	if a.json {
		return a.writeJSON(&r)
	}
	return a.budgetText(&r)
}

// windows lists the windows that could be divided, where none is named.
func (a *app) windows() error {
	a.remark("no window is named: --model NAME or --window TOKENS divides one of these")
	a.remark("the divisions are presets, ctxmgr and gitclaw: they are rules, not measured from a session; satchel status measures one")
	return a.models()
}

func (a *app) budgetText(r *budgetResult) error {
	t := a.sheet()
	t.text(t.paint.bold, fmt.Sprintf("%s tokens divided by %s (%s)", thousands(r.Window), r.Preset, r.Source))
	view := &render.Window{Tokens: r.Window}
	for _, p := range r.Parts {
		name := p.Name
		if p.Dropped {
			name += " (dropped)"
		}
		view.Sections = append(view.Sections, render.Section{Name: name, Tokens: p.Tokens,
			Reserved: p.Name == hawk.OutputReserve || p.Name == hawk.SafetyMargin || p.Name == "reservedForResponse"})
	}
	t.WriteString(render.WindowTable(view, t.width))
	c := r.Conversation
	t.text(nil, fmt.Sprintf("conversation: %s of %s tokens, %s", thousands(c.Tokens), thousands(c.Room), render.PercentFull(c.Percent)))
	advice := "compaction starts above"
	if c.Compact {
		advice = "COMPACT: it is above"
	}
	t.text(nil, fmt.Sprintf("%s %s tokens (%.0f%%), and goes down to %s (%.0f%%)", advice, thousands(c.Start), fullPercent*budget.DefaultCompaction.Start, thousands(c.Stop), fullPercent*budget.DefaultCompaction.Stop))
	_, err := a.out.Write(t.Bytes())
	return err
}
