package assist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/assist/ask"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/hygiene"
	"github.com/satchel-dev/satchel/style"
	"github.com/spf13/cobra"
)

// commitFlags are the flags of commit.
type commitFlags struct {
	assistFlags
	hints            []string
	amend            bool
	kind, typ, scope string
	subject          int
	body             string
	edit, yes, print bool
	hook             string
	hookSource       string
	git              []string // flags of git commit
	run              string   // id of the run that wrote the message, once kept
}

func NewCommit(b *base.App) *cobra.Command {
	a := &app{b}
	var f commitFlags
	cmd := &cobra.Command{
		Use:   "commit [-- FLAGS OF GIT COMMIT]",
		Short: "Write a message for the staged changes, and commit them",
		Long: `Write a commit message with help of a model, in the style of the repository's
history. satchel checks its form, its length, and that the names in it occur in the
change. Trailers, issue numbers, people and links appear only if you gave them.
satchel stages nothing, and commits only after you say yes or with -y. It runs your
own git commit, with your hooks, your signing and the flags after --. Without a
terminal, add -y, --print or --hook.`,
		Example: `  satchel commit --print
  satchel commit -y --hint "fixes the race at shutdown"
  satchel commit --amend --print`,
		Args: func(cmd *cobra.Command, args []string) error {
			at := cmd.ArgsLenAtDash()
			if at < 0 {
				at = len(args)
			}
			if f.hook == "" && at > 0 || at > 2 {
				return base.Usage(fmt.Errorf("unexpected argument %s", args[0]), "satchel commit takes the staged changes; flags of git commit go after --")
			}
			if f.hook != "" && at > 0 {
				f.hookSource = args[0]
			}
			f.git = args[at:]
			return allowed(f.git)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.hook != "" {
				return a.commitHook(cmd.Context(), &f)
			}
			return a.commit(cmd.Context(), &f)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.hints, "hint", nil, "what you meant by the change, in a `text` (repeatable)")
	fs.BoolVar(&f.amend, "amend", false, "replace the last commit, with the staged changes added")
	fs.StringVar(&f.kind, "style", "auto", "subject `style`: plain, conventional, gitmoji, ticket, package")
	fs.StringVar(&f.typ, "type", "", "the `type` of a conventional subject, such as fix")
	fs.StringVar(&f.scope, "scope", "", "the `scope` of a conventional subject")
	fs.IntVar(&f.subject, "subject", 0, "limit the subject to this many `characters`")
	fs.StringVar(&f.body, "body", string(assist.BodyAuto), "`when` to write a body: auto, always or never")
	fs.BoolVarP(&f.edit, "edit-message", "e", false, "edit the message in git's editor before committing")
	fs.BoolVarP(&f.yes, "yes", "y", false, "commit without asking")
	fs.BoolVar(&f.print, "print", false, "print the message, and commit nothing")
	fs.StringVar(&f.hook, "hook", "", "write to this `file` as a prepare-commit-msg hook")
	a.JSONFlag(fs)
	a.askFlags(fs, &f.assistFlags)
	return cmd
}

// allowed refuses flags of git commit that are not ours to pass on.
func allowed(list []string) error {
	plain := []string{"-s", "--signoff", "-S", "--gpg-sign", "--no-gpg-sign", "--no-verify", "-n", "--allow-empty"}
	valued := []string{"--author", "--date", "--trailer"}
	for i := 0; i < len(list); i++ {
		name, _, has := strings.Cut(list[i], "=")
		switch {
		case slices.Contains(plain, list[i]), name == "--gpg-sign", slices.Contains(valued, name) && has:
		case slices.Contains(valued, name) && i+1 < len(list):
			i++
		default:
			return base.Usage(fmt.Errorf("%s cannot be passed on to git commit", list[i]), "these can: "+strings.Join(append(plain, "--author=…", "--date=…", "--trailer=…"), " "))
		}
	}
	return nil
}

var errNothingStaged error = base.Hint(errors.New("nothing is staged"), "stage changes with git add PATH")

// change is the change that the message describes.
func (f *commitFlags) change() engine.DiffRequest {
	if f.amend {
		return engine.DiffRequest{Source: "amend"}
	}
	return engine.DiffRequest{Source: "staged"}
}

// request is what the flags ask for.
func (f *commitFlags) request() (assist.CommitRequest, error) {
	q := assist.CommitRequest{Amend: f.amend, Hints: f.hints, Type: f.typ, Scope: f.scope, Subject: f.subject, Body: assist.Bodies(f.body)}
	if f.kind != "auto" {
		q.Kind = style.Kind(f.kind)
		if !slices.Contains(style.Kinds, q.Kind) {
			return q, base.Usagef("--style %s: want auto, plain, conventional, gitmoji, ticket or package", f.kind)
		}
	}
	switch {
	case !slices.Contains([]assist.Bodies{assist.BodyAuto, assist.BodyAlways, assist.BodyNever}, q.Body):
		return q, base.Usagef("--body %s: want auto, always or never", f.body)
	case f.subject != 0 && (f.subject < 20 || f.subject > 200):
		return q, base.Usagef("--subject %d: want 20 to 200 characters", f.subject)
	case f.yes && f.print:
		return q, base.Usagef("--yes commits and --print does not; choose one")
	}
	return q, nil
}

func (a *app) commit(ctx context.Context, f *commitFlags) error {
	q, err := f.request()
	if err != nil {
		return err
	}
	e, err := a.OpenAsking(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if !f.yes && !f.print && !f.dryRun && !a.JSON && (!a.Env.StdinTTY || !a.Env.StderrTTY) {
		if r, err := e.Change(ctx, f.change()); err != nil || len(r.Files) == 0 {
			return cmp.Or(err, errNothingStaged)
		}
		return base.Usage(errors.New("no terminal to ask on"), "-y commits without asking, --print only prints the message")
	}
	if f.amend {
		list, err := e.History().Messages(ctx, "HEAD", 1)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			q.Old = list[0]
		}
	}
	return a.converse(ctx, e, f, q)
}

// converse asks for messages until one is committed, only written, or declined.
func (a *app) converse(ctx context.Context, e *engine.Engine, f *commitFlags, q assist.CommitRequest) error {
	for {
		m, err := a.message(ctx, e, f, q)
		if err != nil || m == nil {
			return err
		}
		if f.print || a.JSON || f.dryRun {
			return a.lacking(m)
		}
		again, err := a.settle(ctx, e, f, m, &q)
		if err != nil || !again {
			return err
		}
	}
}

// lacking is the error of a message that is incomplete.
func (a *app) lacking(m *assist.Message) error {
	if len(m.Incomplete) > 0 {
		return &base.IncompleteError{Why: m.Incomplete}
	}
	return nil
}

// message asks for a message, and writes it; nil after a dry run.
func (a *app) message(ctx context.Context, e *engine.Engine, f *commitFlags, q assist.CommitRequest) (*assist.Message, error) {
	r, err := a.desk(ctx, e, &f.assistFlags, f.change())
	if err != nil {
		return nil, err
	}
	var m *assist.Message
	text, dry, err := r.answer(ctx, func() (text string, shown *assist.Material, err error) {
		m, err = r.Commit(ctx, q)
		switch {
		case errors.Is(err, assist.ErrNothing):
			return "", nil, errNothingStaged
		case err != nil && m == nil:
			return "", nil, err
		case err != nil:
			return "", &m.Material, err
		}
		r.incomplete, text = m.Incomplete, m.Text
		if a.JSON {
			text, err = r.messageJSON(m)
		}
		return text, &m.Material, err
	})
	if err != nil || dry {
		return nil, err
	}
	f.run = r.snapshot
	return m, r.writeMessage(m, text)
}

// rule frames a message on a terminal: a line of 64 columns, or as many as there are.
func (a *app) rule() string {
	width := 64
	if w := a.Env.Width; w > 1 {
		width = min(width, w-1)
	}
	return strings.Repeat("─", width) + "\n"
}

// writeMessage writes a message to standard output, and what is to be known about it
// to standard error.
func (r *deskRun) writeMessage(m *assist.Message, text string) error {
	a := r.app
	a.Remark("%s", changeLine("staged", &m.Material))
	s := &m.Convention
	if s.Seen > 0 {
		a.Remark("style: %s (%d of %d subjects) · %s at %s", s.Kind, int(s.Share*float64(s.Seen)+0.5), s.Seen, clean.Inline(r.Top.Model.Endpoint().Model), clean.Inline(base.Host(r.address)))
	} else {
		a.Remark("style: %s (nothing to learn from yet) · %s at %s", s.Kind, clean.Inline(r.Top.Model.Endpoint().Model), clean.Inline(base.Host(r.address)))
	}
	framed := a.Env.StdoutTTY && !a.JSON
	if framed {
		text = a.rule() + text + a.rule()
	}
	if _, err := a.Out.WriteString(text); err != nil {
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	a.remarkChecks("check: ", m.Checks, m.UnknownNames, m.Taken)
	a.Remark("%s", r.spent(1).String())
	return nil
}

// remarkChecks says what of a message is not as messages are written here, what it names
// that the change lacks, and what was taken out of it.
func (a *app) remarkChecks(of string, checks []assist.MessageCheck, unknown []string, taken []hygiene.Taken) {
	for _, c := range checks {
		if !c.OK {
			a.Remark("%s%s: %s", of, c.Name, clean.Inline(c.What))
		}
	}
	if len(unknown) > 0 {
		a.Remark("check: not in the change: %s", clean.Inline(strings.Join(unknown, ", ")))
	}
	if len(taken) > 0 {
		a.Remark("removed: %s", clean.Inline(hygiene.Sum(taken)))
	}
}

// messageDocument is the JSON form of a message.
type messageDocument struct {
	Version int `json:"version"`
	Style   struct {
		Kind style.Kind `json:"kind"`
		From int        `json:"from"` // messages that were looked at
		Seen int        `json:"seen"` // that it was learned from
	} `json:"style"`
	Message      string                `json:"message"`
	Subject      string                `json:"subject"`
	Body         string                `json:"body"`
	Trailers     []string              `json:"trailers"`
	Checks       []assist.MessageCheck `json:"checks"`
	UnknownNames []string              `json:"unknown_names"`
	Taken        []hygiene.Taken       `json:"taken"`
	Coverage     []ask.Shown           `json:"coverage"`
	Redacted     int                   `json:"redacted"`
	Spent        assist.Spent          `json:"spent"`
	Incomplete   []string              `json:"incomplete"`
}

func (r *deskRun) messageJSON(m *assist.Message) (string, error) {
	d := messageDocument{
		Version: 2, Message: m.Text, Subject: m.Subject, Body: m.Body, Trailers: orEmpty(m.Trailers), Checks: orEmpty(m.Checks), UnknownNames: orEmpty(m.UnknownNames),
		Taken: orEmpty(m.Taken), Coverage: orEmpty(m.Coverage), Redacted: m.Redacted, Spent: m.Spent, Incomplete: orEmpty(m.Incomplete),
	}
	d.Style.Kind, d.Style.From, d.Style.Seen = m.Convention.Kind, m.Convention.Of, m.Convention.Seen
	return base.JSONText(&d)
}

func orEmpty[T any](list []T) []T { return append([]T{}, list...) }

// hookLimit is how long a hook may take: somebody waits for an editor.
const hookLimit = 30 * time.Second
