package session

import "github.com/satchel-dev/satchel/internal/front/cli/base"

// A profile names a set of rules for trimming a session.
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
	return "", base.Usagef("--profile %s: want default or gitclaw", name)
}
