package cli

import (
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/transcript"
	"github.com/satchel-dev/satchel/trim"
)

// A profile names a way to say how much the turns of a session matter, and to cut
// by it.
type profile string

const (
	profileDefault profile = "default"
	profileGitClaw profile = "gitclaw"
)

// parseProfile reads the name of a profile.
func parseProfile(name string) (profile, error) {
	switch p := profile(name); p {
	case profileDefault, profileGitClaw:
		return p, nil
	}
	return "", usagef("--profile %s: want default or gitclaw", name)
}

// turns scores the turns of a session.
func (p profile) turns(messages []transcript.Message) []trim.Turn {
	if p == profileGitClaw {
		return gitclaw.Turns(messages)
	}
	return trim.Prioritize(messages)
}
