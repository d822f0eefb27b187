package install

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/install"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
)

// A foundAgent is an agent on this machine, and the state of satchel in it.
type foundAgent struct {
	client install.Client
	state  string
	lacks  bool
	broken bool // install would fail
}

// foundAgents are the agents on this machine.
func (a *app) foundAgents(ctx context.Context, o install.Options) (list []foundAgent) {
	if a.Removed() == nil {
		o.Project = config.Root(a.Dir)
	}
	for _, c := range install.Clients {
		if !o.Present(c) {
			continue
		}
		var states []string
		findings := install.Inspect(o, c)
		for _, f := range findings {
			states = append(states, f.Text)
		}
		try := o
		try.DryRun = true
		_, err := install.Install(try, c)
		if err != nil && !slices.Contains(states, err.Error()) {
			states = append(states, err.Error())
		}
		list = append(list, foundAgent{c, strings.Join(states, "; "), !install.Installed(findings), err != nil})
	}
	return list
}

// askAgents shows the agents on this machine and asks which of them to install into.
// Without a terminal, it only shows them.
func (a *app) askAgents(ctx context.Context, o install.Options) ([]string, error) {
	which := fmt.Sprintf("no agent given: want one or more of %s", strings.Join(clientNames(), ", "))
	if a.JSON {
		return nil, base.Usagef("%s", which)
	}
	list := a.foundAgents(ctx, o)
	if len(list) == 0 {
		return nil, base.Usage(errors.New("no known agent is on this machine"), "satchel install "+strings.Join(clientNames(), " | ")+" writes settings anyway")
	}
	nameWidth, titleWidth := 0, 0
	var lacking, broken []string
	for _, f := range list {
		nameWidth, titleWidth = max(nameWidth, len(f.client)), max(titleWidth, len(f.client.Title()))
		switch {
		case f.broken:
			broken = append(broken, string(f.client))
		case f.lacks:
			lacking = append(lacking, string(f.client))
		}
	}
	for i, f := range list {
		fmt.Fprintf(a.Out, "%2d  %-*s  %-*s  %s\n", i+1, nameWidth, f.client, titleWidth, f.client.Title(), clean.Inline(a.Tilde(f.state)))
	}
	if !a.Env.StdinTTY || !a.Env.StderrTTY {
		hint := "satchel install " + strings.Join(lacking, " ")
		switch {
		case len(lacking) == 0 && len(broken) > 0:
			hint = "correct the settings of " + strings.Join(broken, ", ") + ", then run the command again"
		case len(lacking) == 0:
			hint = "all of these have satchel; check them with satchel doctor"
		}
		return nil, base.Usage(errors.New(which), hint)
	}
	if err := a.Flush(); err != nil {
		return nil, err
	}
	question := "Enter installs nothing; or type names or numbers: "
	if len(lacking) > 0 {
		question = "Enter installs into: " + strings.Join(lacking, " ") + "; or type names, numbers, none: "
	}
	in := bufio.NewReader(io.LimitReader(a.Env.Stdin, base.MaxAnswers))
	for {
		fmt.Fprint(a.Env.Stderr, "satchel: "+question)
		line, err := base.WaitFor(ctx, base.AskPatience, func() (string, error) { return in.ReadString('\n') })
		if err != nil {
			fmt.Fprintln(a.Env.Stderr)
			if errors.Is(err, io.EOF) {
				return nil, nil
			}
			return nil, err
		}
		names, err := chosen(line, list, lacking)
		if err == nil {
			return names, nil
		}
		a.Say("%v", err)
	}
}

// chosen reads an answer: names and numbers of what was shown.
func chosen(line string, list []foundAgent, usual []string) (names []string, err error) {
	fields := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r == ',' || r <= ' ' })
	if len(fields) == 0 {
		return usual, nil
	}
	if len(fields) == 1 && slices.Contains([]string{"none", "no", "n", "q"}, fields[0]) {
		return nil, nil
	}
	for _, f := range fields {
		name := f
		if n, err := strconv.Atoi(f); err == nil && n >= 1 && n <= len(list) {
			name = string(list[n-1].client)
		} else if !install.Client(f).Known() {
			return nil, fmt.Errorf("%.40q is not one of these", f)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// prepare brings the index of the project up to date after an install, so that the
// first prompt has context. It returns what is to be said, and the documents.
func (a *app) prepare(ctx context.Context) (said string, documents int) {
	const later = "the first prompt in a project gets no context, because it builds the index; to build it now, run satchel index"
	if a.NoProject() != "" {
		return later, 0
	}
	if len(a.Faults) > 0 {
		return "index not built: correct the configuration first", 0
	}
	e, err := a.Open(ctx)
	if err != nil {
		return later, 0
	}
	crowded := e.Index().Crowded()
	e.Close()
	if crowded != nil {
		return later, 0
	}
	s, err := a.IndexStatus(ctx, false, false)
	if err == nil {
		err = base.NotKept(s)
	}
	switch {
	case ctx.Err() != nil:
		return "index not finished: the first prompt completes it, and gets no context", 0
	case err != nil:
		return fmt.Sprintf("cannot build the index: %v", err), 0
	}
	return "the index of this project is up to date: " + render.Plural(s.Documents, "document"), s.Documents
}
