package snapshot

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/snapshot"
	"github.com/spf13/cobra"
)

// A shownSnapshot is the JSON form of a snapshot.
type shownSnapshot struct {
	Version int `json:"version"`
	*engine.StoredSnapshot
}

func (a *app) snapshotShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what a snapshot holds, why, and what was left out",
		Example: `  satchel snapshot show latest
  satchel snapshot show previous
  satchel snapshot show latest --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				s, err := e.Snapshots().Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if a.JSON {
					return a.WriteJSON(shownSnapshot{1, s})
				}
				return a.showSnapshot(s)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) showSnapshot(s *engine.StoredSnapshot) error {
	l := a.Table()
	r := s.Record
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(l, "%-10s %s\n", name, text)
		}
	}
	line("snapshot", l.Paint.Bold(s.ID))
	line("taken", s.Taken.Format(time.RFC3339))
	line("strategy", string(r.Strategy))
	line("commit", clean.Inline(r.Commit))
	if r.Request != nil {
		task, rest, _ := strings.Cut(strings.TrimSpace(r.Request.Task), "\n")
		if rest != "" {
			task += " …"
		}
		line("task", clean.Inline(task))
		line("revision", clean.Inline(r.Request.Rev))
		line("pinned", clean.Inline(strings.Join(r.Request.Pinned, " ")))
	}
	if r.Used > 0 {
		limit := "no limit"
		if r.Budget > 0 {
			limit = "of " + render.Thousands(r.Budget)
		}
		line("tokens", fmt.Sprintf("%s %s (%s)", render.Thousands(r.Used), limit, clean.Inline(r.Method)))
	}
	if r.Output != nil {
		line("output", fmt.Sprintf("%s, %s, blob %s", clean.Inline(r.Output.Format), base.BytesText(r.Output.Size), r.Output.Blob))
	}
	fmt.Fprintf(l, "\n%s\n", l.Paint.Bold(render.Plural(len(r.Items), "item")))
	for i := range r.Items {
		it := &r.Items[i]
		var marks []string
		if it.Kind != snapshot.KindFile {
			kind := string(it.Kind)
			if it.Other != "" {
				kind = clean.Inline(it.Other)
			}
			marks = append(marks, kind)
		}
		if it.Role == snapshot.Pinned {
			marks = append(marks, "pinned")
		}
		if it.Dirty {
			marks = append(marks, "uncommitted")
		}
		if it.Redacted > 0 {
			marks = append(marks, render.Plural(it.Redacted, "secret")+" redacted")
		}
		text := fmt.Sprintf("  %6.2f  %-8s %5d  %s", it.Score.Value(), it.Detail, it.Tokens, l.Paint.Path(clean.Inline(it.Ref())))
		if len(marks) > 0 {
			text += "  " + l.Paint.Dim(strings.Join(marks, ", "))
		}
		l.WriteString(text + "\n")
	}
	if len(r.Omitted) > 0 {
		fmt.Fprintf(l, "\n%s\n", l.Paint.Bold(fmt.Sprintf("%d left out", len(r.Omitted))))
		for _, n := range omissionCounts(r.Omitted) {
			fmt.Fprintf(l, "  %6d  %s\n", n.count, clean.Inline(n.why))
		}
	}
	for _, n := range r.Said() {
		l.WriteString("note: " + clean.Inline(strings.TrimPrefix(n.Path+": "+n.Text, ": ")) + "\n")
	}
	return a.Page(l.Bytes())
}

type whyCount struct {
	why   string
	count int
}

// omissionCounts counts omissions by reason, in the order of their first
// occurrence.
func omissionCounts(list []satchel.Omission) []whyCount {
	var out []whyCount
	at := make(map[string]int)
	for _, o := range list {
		i, ok := at[o.Why]
		if !ok {
			i = len(out)
			at[o.Why] = i
			out = append(out, whyCount{why: o.Why})
		}
		out[i].count++
	}
	return out
}

func (a *app) snapshotDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show what changed between two snapshots",
		Example: `  satchel snapshot diff previous latest
  satchel snapshot diff previous latest --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				from, err := e.Snapshots().Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				to, err := e.Snapshots().Find(cmd.Context(), args[1])
				if err != nil {
					return err
				}
				return a.compareSnapshots(from, to)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

// snapshotDifferences is the JSON form of how two snapshots differ.
type snapshotDifferences struct {
	Version     int                   `json:"version"`
	From        string                `json:"from"`
	To          string                `json:"to"`
	Differences []snapshot.Difference `json:"differences"`
}

func (a *app) compareSnapshots(from, to *engine.StoredSnapshot) error {
	found := snapshot.Compare(from.Record, to.Record)
	if a.JSON {
		return a.WriteJSON(snapshotDifferences{1, from.ID, to.ID, append([]snapshot.Difference{}, found...)})
	}
	l := a.Table()
	for _, d := range found {
		what := d.What
		if d.Ref != "" {
			what = fmt.Sprintf("%-8s %s", d.What, l.Paint.Path(clean.Inline(d.Ref)))
		}
		l.WriteString(what + "\n")
		for _, how := range d.How {
			l.WriteString("    " + clean.Inline(how) + "\n")
		}
	}
	if len(found) == 0 {
		a.Remark("the two snapshots are equal")
	}
	return a.Page(l.Bytes())
}

// A snapshotAnswer is the JSON form of what a snapshot says of an item.
type snapshotAnswer struct {
	Version int `json:"version"`
	snapshot.Answer
}

func (a *app) snapshotWhyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why ID PATH",
		Short: "Say why a snapshot has a path, or why it does not",
		Example: `  satchel snapshot why latest README.md
  satchel snapshot why previous README.md
  satchel snapshot why latest README.md --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithEngine(cmd.Context(), func(e *engine.Engine) error {
				s, err := e.Snapshots().Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				answer := s.Record.Why(args[1]) // items may be commands and URLs
				if path, err := a.RootPath(args[1]); err == nil && answer.Empty() {
					answer = s.Record.Why(path)
				}
				if a.JSON {
					return a.WriteJSON(snapshotAnswer{1, answer})
				}
				return a.why(s, &answer)
			})
		},
	}
	a.JSONFlag(cmd.Flags())
	return cmd
}

func (a *app) why(s *engine.StoredSnapshot, answer *snapshot.Answer) error {
	l := a.Table()
	brief := len(answer.Items) > maxReasons
	for i := range answer.Items {
		it := &answer.Items[i]
		if brief {
			fmt.Fprintf(l, "%s  %s, %s tokens, score %.2f\n", l.Paint.Path(clean.Inline(it.Ref())), it.Detail, render.Thousands(it.Tokens), it.Score.Value())
			continue
		}
		fmt.Fprintf(l, "%s  %s, %s tokens, score %.2f\n", l.Paint.Path(clean.Inline(it.Ref())), it.Detail, render.Thousands(it.Tokens), it.Score.Value())
		if it.Role == snapshot.Pinned {
			l.WriteString("    asked for by name\n")
		}
		l.Reasons(it.Score)
		what := "blob " + it.Blob
		switch {
		case it.Dirty:
			what += ", not committed then"
		case it.Commit != "":
			what += " of commit " + it.Commit
		}
		l.WriteString("    " + what + "\n")
	}
	for _, o := range answer.Omitted {
		fmt.Fprintf(l, "%s  left out: %s", l.Paint.Path(clean.Inline(o.Ref.String())), clean.Inline(o.Why))
		if o.Score != 0 {
			fmt.Fprintf(l, ", score %.2f", o.Score)
		}
		if o.Tokens > 0 {
			fmt.Fprintf(l, ", about %s tokens", render.Thousands(o.Tokens))
		}
		l.WriteString("\n")
	}
	for _, n := range answer.Diagnostics {
		l.WriteString("note: " + clean.Inline(n.Text) + "\n")
	}
	if brief {
		a.Remark("note: to see the reasons for one item, run satchel snapshot why %s %s", s.ID[:12], clean.Inline(answer.Items[0].Ref()))
	}
	if l.Len() == 0 {
		return fmt.Errorf("snapshot %.12s says nothing about %s: it was not a candidate", s.ID, answer.Path)
	}
	_, err := a.Out.Write(l.Bytes())
	return err
}

// maxReasons is the most items of one path whose reasons are shown together.
const maxReasons = 4
