package main

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/lab/sessions/state"
)

// labels are facts that were found by reading sessions, not by rules, one a line:
// the blob of the session in its repository, how many messages were read, a kind,
// and the key of the fact as package state names it; a minus before the key says
// that it is none. No words of a session stand there.
//
//go:embed testdata/facts.txt
var labels string

// A claim is a fact that was found, or refused, by reading a session.
type claim struct {
	session string // the beginning of its blob
	to      int    // messages
	kind    state.Kind
	key     string
	wrong   bool // it is no fact
}

func parseLabels(text string) ([]claim, error) {
	var out []claim
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		var l claim
		if n, err := fmt.Sscan(line, &l.session, &l.to, &l.kind, &l.key); n < 4 {
			return nil, fmt.Errorf("label %q: %w", line, err)
		}
		if !slices.Contains(state.Kinds, l.kind) {
			return nil, fmt.Errorf("label %q: no kind %s", line, l.kind)
		}
		l.key, l.wrong = strings.TrimPrefix(l.key, "-"), strings.HasPrefix(l.key, "-")
		out = append(out, l)
	}
	return out, nil
}

// printAgreement compares the labels with what the rules find in the sessions, by
// kind, and lists where they differ.
func printAgreement(w io.Writer, ss []*session, text string) error {
	ls, err := parseLabels(text)
	if err != nil {
		return err
	}
	all, agree := map[state.Kind]int{}, map[state.Kind]int{}
	missing := map[string]bool{}
	for _, l := range ls {
		s := sessionOf(ss, l.session)
		if s == nil || l.to > len(s.Messages) {
			missing[l.session] = true
			continue
		}
		keys := state.Of(s.Messages[:l.to]).Keys()[l.kind]
		all[l.kind]++
		if slices.Contains(keys, l.key) != l.wrong {
			agree[l.kind]++
			continue
		}
		fmt.Fprintf(w, "differs: %s to %d, %s: a reader says %s%s, the rules say %s\n", l.session, l.to, l.kind, map[bool]string{true: "not "}[l.wrong], l.key, strings.Join(keys, " "))
	}
	n, sum := 0, 0
	for _, k := range state.Kinds {
		if all[k] > 0 {
			fmt.Fprintf(w, "%-6s %2d of %2d facts agree\n", k, agree[k], all[k])
		}
		n, sum = n+all[k], sum+agree[k]
	}
	fmt.Fprintf(w, "%-6s %2d of %2d; %d sessions are not here\n", "all", sum, n, len(missing))
	return nil
}

// sessionOf returns the session whose file ends with the beginning of its blob.
func sessionOf(ss []*session, blob string) *session {
	for _, s := range ss {
		name := filepath.Base(s.File)
		if strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "__"+blob) {
			return s
		}
	}
	return nil
}
