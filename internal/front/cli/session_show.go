package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/tokens"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

type sessionShowFlags struct {
	profile string
	turn    int
	explain bool
	raw     bool
}

// turnList is the JSON form of the command's result.
type turnList struct {
	Version     int                  `json:"version"`
	Path        string               `json:"path"`
	Profile     trim.Profile         `json:"profile"`
	Turns       []shownTurn          `json:"turns"`
	Diagnostics []satchel.Diagnostic `json:"notes"`
}

type shownTurn struct {
	Turn     int           `json:"turn"`
	Type     trim.TurnType `json:"type"`
	Priority int           `json:"priority"`
	Tokens   int           `json:"tokens"`
	Method   string        `json:"method"`
	Error    float64       `json:"error"`
	Title    string        `json:"title"`
	Paths    []string      `json:"paths,omitempty"`
	Reasons  []trim.Reason `json:"reasons"`
	Text     string        `json:"text,omitempty"` // with --turn
}

func (a *app) sessionShowCommand() *cobra.Command {
	f := sessionShowFlags{turn: -1}
	cmd := &cobra.Command{
		Use:   "show [FILE|latest|-]",
		Short: "Show the turns of a session and how much each matters",
		Long: `Show the turns of a session that the model would be sent next: priority (0 to
100), tokens, type, and what each is about. --explain adds the reasons; the
priority is their sum. --turn N shows the whole of one turn.

The profile gitclaw scores every message by the rules of GITCLAW's design; the
default one looks at what a turn holds and what became of it.`,
		Example: `  satchel session show session.jsonl --explain
  satchel session show session.jsonl --turn 1
  satchel session show session.jsonl --profile gitclaw --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.turn < 0 && cmd.Flags().Changed("turn") {
				return usagef("--turn %d: want 0 or more", f.turn)
			}
			return a.sessionShow(cmd.Context(), &f, args)
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&f.turn, "turn", -1, "show the whole of turn `N`, the first being 0")
	fs.Lookup("turn").DefValue = "0" // all turns are shown without the flag: help names no default
	fs.StringVar(&f.profile, "profile", string(trim.Default), "score by the rules of `NAME`: default or gitclaw")
	fs.BoolVar(&f.explain, "explain", false, "show the reasons of each priority")
	fs.BoolVar(&f.raw, "raw", false, "with --turn, leave secrets and control characters as they are")
	a.jsonFlag(fs)
	a.settingFlags(fs, []string{"model"})
	a.settingFlags(fs, pageSettings)
	return cmd
}

// parseProfile reads the name of a profile.
func parseProfile(name string) (trim.Profile, error) {
	for _, p := range trim.Profiles {
		if string(p) == name {
			return p, nil
		}
	}
	return "", usagef("--profile %s: want default or gitclaw", name)
}

func (a *app) sessionShow(ctx context.Context, f *sessionShowFlags, args []string) error {
	profile, err := parseProfile(f.profile)
	if err != nil {
		return err
	}
	name, err := a.sessionPath(args)
	if err != nil {
		return err
	}
	s, err := a.readSession(ctx, name)
	if err != nil {
		return err
	}
	model, err := a.sessionModel(s)
	if err != nil {
		return err
	}
	out := turnList{Version: 1, Path: name, Profile: profile, Turns: []shownTurn{}, Diagnostics: append([]satchel.Diagnostic{}, s.Diagnostics...)}
	turns := trim.Prioritize(s.Messages, profile)
	sizes := transcript.Measure(s, model)
	if f.turn >= len(turns) {
		return &hintError{fmt.Errorf("turn %d: the session has %s", f.turn, render.Plural(len(turns), "turn")), "the first is turn 0"}
	}
	for i := range turns {
		if f.turn >= 0 && i != f.turn {
			continue
		}
		out.Turns = append(out.Turns, a.shownTurn(&turns[i], s, sizes, f))
	}
	if a.json {
		return a.writeJSON(&out)
	}
	a.diagnostics(out.Diagnostics)
	if len(turns) == 0 {
		a.remark("the session holds no message that would be sent")
		return nil
	}
	for i := range out.Turns {
		out.Turns[i].Title = near(" "+out.Turns[i].Title, s.Dir)[1:]
	}
	return a.page(a.turnsText(&out, f))
}

func (a *app) shownTurn(t *trim.Turn, s *transcript.Session, sizes *transcript.Sizes, f *sessionShowFlags) shownTurn {
	v := shownTurn{Turn: t.Index, Type: t.Type, Priority: t.Priority, Title: redact(t.Title), Reasons: slices.Clone(t.Reasons)}
	for i := range v.Reasons {
		v.Reasons[i].Why = redact(v.Reasons[i].Why)
	}
	for _, p := range t.Paths {
		v.Paths = append(v.Paths, redact(p))
	}
	var count tokens.Count
	for i := t.From; i < t.To; i++ {
		c := sizes.Messages[i]
		count.Tokens += c.Tokens
		v.Error += c.Error * float64(c.Tokens)
		if count.Method == "" || c.Error > 0 {
			count.Method = c.Method
		}
	}
	v.Tokens, v.Method = count.Tokens, count.Method
	v.Error /= float64(max(count.Tokens, 1))
	if f.turn >= 0 {
		v.Text = turnText(s.Messages[t.From:t.To])
		if !f.raw {
			v.Text = redact(v.Text)
		}
	}
	return v
}

// turnText writes messages for people to read.
func turnText(messages []transcript.Message) string {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		for j := range m.Blocks {
			x := &m.Blocks[j]
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			switch x.Type {
			case transcript.Text:
				fmt.Fprintf(&b, "── %s\n%s\n", m.Kind, strings.TrimRight(x.Text, "\n"))
			case transcript.Thinking:
				fmt.Fprintf(&b, "── thinking\n%s\n", cmp.Or(strings.TrimRight(x.Text, "\n"), fmt.Sprintf("(%d bytes that only the provider can read)", x.Opaque)))
			case transcript.Call:
				fmt.Fprintf(&b, "── call of %s\n%s\n", x.Name, inputText(x.Input))
			case transcript.Result:
				failed := ""
				if x.Failed {
					failed = ", failed"
				}
				fmt.Fprintf(&b, "── result of %s%s\n%s\n", cmp.Or(x.Name, "a tool"), failed, strings.TrimRight(x.Text, "\n"))
			default:
				fmt.Fprintf(&b, "── %s\n", x.Type)
			}
		}
	}
	return b.String()
}

// inputText writes the input of a call, one field a line, long texts as they
// are.
func inputText(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return string(input)
	}
	var lines []string
	for name, v := range inOrder(input, fields) {
		var text string
		if json.Unmarshal(v, &text) != nil {
			text = string(v)
		}
		lines = append(lines, name+": "+text)
	}
	return strings.Join(lines, "\n")
}

// inOrder gives the fields of an object in the order in which they are written.
func inOrder(object json.RawMessage, fields map[string]json.RawMessage) func(func(string, json.RawMessage) bool) {
	return func(yield func(string, json.RawMessage) bool) {
		dec := json.NewDecoder(strings.NewReader(string(object)))
		if _, err := dec.Token(); err != nil {
			return
		}
		for dec.More() {
			t, err := dec.Token()
			name, ok := t.(string)
			var skip json.RawMessage
			if err != nil || !ok || dec.Decode(&skip) != nil || !yield(name, fields[name]) {
				return
			}
		}
	}
}

func (a *app) turnsText(out *turnList, f *sessionShowFlags) []byte {
	t := a.table()
	columns, cells := "turn  priority   tokens  type           about", fiveCells
	if t.width > 0 && t.width < narrow { // the words need the room
		columns, cells = "turn  prio   tokens  type           about", func(int) string { return "" }
	}
	if f.turn < 0 {
		t.WriteString(t.paint.dim(columns) + "\n")
	}
	for _, v := range out.Turns {
		head := fmt.Sprintf("%4d  %3d %s  %7s  %-13s  ", v.Turn, v.Priority, cells(v.Priority), thousands(v.Tokens), v.Type)
		t.WriteString(head + fitWidth(render.Clean(v.Title), rest(t.width, render.Width(head))) + "\n")
		if f.explain || f.turn >= 0 {
			for _, r := range strongest(v.Reasons, f.turn < 0) {
				fmt.Fprintf(t, "      %s\n", t.paint.dim(fitWidth(fmt.Sprintf("%+4d  %s", r.Add, shown(r.Why)), rest(t.width, 6))))
			}
		}
		if f.turn >= 0 {
			text := v.Text
			if !f.raw {
				text, _ = render.CleanText(text)
			}
			fmt.Fprintf(t, "      %s\n\n%s", t.paint.dim(fmt.Sprintf("%s tokens: %s", thousands(v.Tokens), render.CountMethod(tokens.Count{Tokens: v.Tokens, Method: v.Method, Error: v.Error}))), text)
		}
	}
	return t.Bytes()
}

// strongest returns the reasons of a priority, of more than a person wants to read
// in a list the strongest and one for the rest.
func strongest(reasons []trim.Reason, few bool) []trim.Reason {
	if !few || len(reasons) <= shownReasons+1 {
		return reasons
	}
	out := slices.Clone(reasons)
	slices.SortStableFunc(out, func(a, b trim.Reason) int { return cmp.Compare(max(b.Add, -b.Add), max(a.Add, -a.Add)) })
	rest := trim.Reason{Why: render.Plural(len(out)-shownReasons, "other reason")}
	for _, r := range out[shownReasons:] {
		rest.Add += r.Add
	}
	return append(out[:shownReasons], rest)
}

// fiveCells draws a priority.
func fiveCells(priority int) string {
	full := (priority + 10) / 20
	return strings.Repeat("▮", full) + strings.Repeat("▯", 5-full)
}
