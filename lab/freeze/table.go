package main

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

// A group is a list of steps in one folder, one after the other.
type group struct {
	name    string
	repo    string // OWNER/NAME, or fixtureRepo; empty is a folder without a repository
	commit  string // or the archive of a fixture
	without string // a path of the repository that is not checked out
	steps   []step
}

// fixtureRepo stands for OWNER/NAME where the repository is made of an archive.
const fixtureRepo = "fixture"

// A verb says what a step does.
type verb int

const (
	runCase   verb = iota // text is a shell command whose output is digested
	sendCase              // text is a method and its parameters for the server
	setUp                 // text is a shell command that has to succeed
	remember              // text is a pattern whose first part in the last output is kept under name
	serve                 // text is the command of a server
	takeFile              // text is a session, which is copied to name
	forgetAll             // the repository becomes as it was cloned
)

// A step is one line of the table.
type step struct {
	verb verb
	name string
	text string
	mute bool // standard error is not digested
	line int
}

var (
	caseLine   = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*)(~?): +(.+)$`)
	serverLine = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]*)> +(\S.*)$`)
)

// parseTable reads the table: its groups, and the input files that stand below
// it. Names of cases come out as GROUP/NAME.
func parseTable(text []byte) ([]*group, []txtar.File, error) {
	archive := txtar.Parse(text)
	var groups []*group
	var g *group
	seen := map[string]bool{}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "group "); ok {
			g = parseGroup(strings.Fields(rest))
			groups = append(groups, g)
			continue
		}
		s, ok := parseStep(line)
		if !ok || g == nil {
			return nil, nil, fmt.Errorf("line %d of the table: not understood: %s", i+1, line)
		}
		s.line = i + 1
		if s.verb == runCase || s.verb == sendCase {
			s.name = g.name + "/" + s.name
			if seen[s.name] {
				return nil, nil, fmt.Errorf("line %d of the table: there are two cases %s", i+1, s.name)
			}
			seen[s.name] = true
		}
		g.steps = append(g.steps, s)
	}
	return groups, archive.Files, nil
}

// parseGroup reads NAME [OWNER/NAME COMMIT [without PATH]], or NAME fixture FILE.
func parseGroup(words []string) *group {
	words = append(words, "", "", "", "", "")
	return &group{name: words[0], repo: words[1], commit: words[2], without: words[4]}
}

// parseStep reads a line that is no group.
func parseStep(line string) (step, bool) {
	if line == "fresh" {
		return step{verb: forgetAll}, true
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "do":
		return step{verb: setUp, text: rest}, rest != ""
	case "serve":
		return step{verb: serve, text: rest}, rest != ""
	case "let":
		name, pattern, ok := strings.Cut(rest, " ")
		return step{verb: remember, name: name, text: strings.TrimSpace(pattern)}, ok
	case "session":
		name, file, ok := strings.Cut(rest, " ")
		return step{verb: takeFile, name: name, text: strings.TrimSpace(file)}, ok
	}
	if m := caseLine.FindStringSubmatch(line); m != nil {
		return step{verb: runCase, name: m[1], mute: m[2] != "", text: m[3]}, true
	}
	if m := serverLine.FindStringSubmatch(line); m != nil {
		return step{verb: sendCase, name: m[1], text: m[2]}, true
	}
	return step{}, false
}
