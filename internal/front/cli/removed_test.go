package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/satchel-dev/satchel/internal/front/config"
)

// TestRemoved checks that nothing in the table of removed names exists, and that every
// command and flag that the table recommends does.
func TestRemoved(t *testing.T) {
	find := func(line string) (*cobra.Command, bool) {
		words := strings.Fields(line)[1:]
		root := Root()
		for root.Name() != "" && len(words) > 0 && !strings.HasPrefix(words[0], "--") {
			sub, _, err := root.Find(words[:1])
			if err != nil || sub == root {
				return root, false
			}
			root, words = sub, words[1:]
		}
		return root, len(words) == 0 || root.Flags().Lookup(words[0][2:]) != nil || root.InheritedFlags().Lookup(words[0][2:]) != nil
	}
	recommended := regexp.MustCompile(`\bsatchel( [a-z][a-z-]*)*( --[a-z-]+)?`)
	for name, instead := range config.Removed {
		switch {
		case strings.HasPrefix(name, "satchel "):
			if _, exists := find(name); exists {
				t.Errorf("%s is in the table of removed names, and still exists", name)
			}
		case !strings.HasPrefix(name, "--"):
			if _, err := config.KeyByName(name); err == nil || !strings.Contains(err.Error(), instead) {
				t.Errorf("KeyByName(%q): %v, want an error with %q", name, err, instead)
			}
		}
		if instead == "" {
			t.Errorf("%s: want a text that says what to use instead", name)
		}
		for _, line := range recommended.FindAllString(instead, -1) {
			if _, exists := find(line); !exists {
				t.Errorf("%s recommends %q, which does not exist", name, line)
			}
		}
	}
}
