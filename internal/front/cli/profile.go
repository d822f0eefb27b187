package cli

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
	return "", usagef("--profile %s: want default or gitclaw", name)
}
