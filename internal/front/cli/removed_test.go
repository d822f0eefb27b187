package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/config"
)

// TestRemoved checks that nothing in the table of removed names exists, and that every
// command and flag that the table recommends does.
func TestRemoved(t *testing.T) {
	exists := func(line string) bool {
		line, flag, _ := strings.Cut(line, " --")
		words := strings.Fields(line)[1:]
		c := Root()
		for c.HasSubCommands() && len(words) > 0 {
			sub, _, err := c.Find(words[:1])
			if err != nil || sub == c {
				return false
			}
			c, words = sub, words[1:]
		}
		return flag == "" || c.Flags().Lookup(flag) != nil || c.InheritedFlags().Lookup(flag) != nil
	}
	recommended := regexp.MustCompile(`\bsatchel( [a-z][a-z-]*)*( --[a-z-]+)?`)
	for name, instead := range config.Removed {
		switch {
		case strings.HasPrefix(name, "satchel "):
			command, flag, _ := strings.Cut(name, " --")
			c, rest, err := Root().Find(strings.Fields(command)[1:])
			if err == nil && len(rest) == 0 && (flag == "" || c.Flags().Lookup(flag) != nil) {
				t.Errorf("%s is in the table of removed names, and still exists", name)
			}
		case strings.HasPrefix(name, "--"):
			for _, c := range commandsBelow(Root()) {
				if c.Flags().Lookup(name[2:]) != nil {
					t.Errorf("%s is in the table of removed names, and %s has it", name, c.CommandPath())
				}
			}
		default:
			if _, err := config.KeyByName(name); err == nil || !strings.Contains(err.Error(), instead) {
				t.Errorf("KeyByName(%q): %v, want an error with %q", name, err, instead)
			}
		}
		if instead == "" {
			t.Errorf("%s: want a text that says what to use instead", name)
		}
		for _, line := range recommended.FindAllString(instead, -1) {
			if !exists(line) {
				t.Errorf("%s recommends %q, which does not exist", name, line)
			}
		}
	}
}
