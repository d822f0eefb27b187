// Package recordings answers questions about the sessions that agents recorded of
// a project: which there are, where the tokens of one are, what fills its window,
// its turns, and what a block holds that a trim left out. The answers are the JSON
// forms of what the commands show.
//
// It reads; what a terminal or a model is shown is its callers' business, but for
// secrets, which a [Status] never holds and [Project.Block] takes out. Where
// sessions lie and how they are opened is internal/world/sessions.
//
// Start with [Project].
package recordings

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/sessions"
)

// A Project is a folder that agents work in. Only what the agents' own folders
// hold of it is looked at, so that no id leads to another file.
type Project struct {
	Dir    string
	Getenv func(string) string
}

// latest is another name of the newest session.
const latest = "latest"

// newest returns the path of the session that was written last.
func (p Project) newest() (string, error) {
	s, ok, _ := sessions.Latest(sessions.Query{Dir: p.Dir, Getenv: p.Getenv})
	if !ok {
		return "", errors.New("no agent has recorded a session of this project")
	}
	return s.Path, nil
}

// named returns the paths of the sessions that an id names, newest first: all of
// them if it is empty or "latest". A path is an id too, if it is that of a session
// of the project.
func (p Project) named(id string) ([]string, error) {
	list, _ := sessions.List(sessions.Query{Dir: p.Dir, Getenv: p.Getenv, Side: true})
	var paths []string
	for _, s := range list {
		if id == "" || id == latest || id == s.ID || id == s.Path {
			paths = append(paths, s.Path)
		}
	}
	switch {
	case len(paths) == 0 && (id == "" || id == latest):
		return nil, errors.New("no agent has recorded a session of this project")
	case len(paths) == 0:
		return nil, fmt.Errorf("session %.80q: no agent has recorded one of this project with that id", id)
	}
	return paths, nil
}

// One returns the path of the session that an id names, the newest if it is empty
// or "latest".
func (p Project) One(id string) (string, error) {
	if id == "" || id == latest {
		return p.newest()
	}
	paths, err := p.named(id)
	if err != nil {
		return "", err
	}
	return paths[0], nil
}

// Block returns the block that a handle names in a session, or in any of the
// project's if the id is empty, secrets redacted.
func (p Project) Block(ctx context.Context, handle, id string) (*Block, error) {
	paths, err := p.named(id)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		b, err := Find(ctx, path, handle)
		var ambiguous *AmbiguousError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &ambiguous):
			return nil, err
		case err != nil && id != "":
			return nil, fmt.Errorf("read session: %w", err)
		case b != nil:
			b.Redact()
			return b, nil
		}
	}
	return nil, fmt.Errorf("handle %s: no session of this project has such a block", handle)
}

// withoutSecrets takes the secrets out of a text that a session holds, and counts
// them. All else stays as it is, since who asks may want it raw.
func withoutSecrets(text string) (redacted string, found int) {
	b, list := secrets.RedactTurn([]byte(text))
	return string(b), len(list)
}

func redact(text string) string {
	redacted, _ := withoutSecrets(text)
	return redacted
}
