package cli

// A profile names the rules by which a session is cut.
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
