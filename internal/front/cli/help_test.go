package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
	"github.com/satchel-dev/satchel/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandsBelow returns a command and all below it.
func commandsBelow(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all[i].InitDefaultHelpFlag()
		all = append(all, all[i].Commands()...)
	}
	return all
}

// TestCommandGroups: each command stands in one group of the help.
func TestCommandGroups(t *testing.T) {
	groups := make(map[string]string)
	for _, g := range commandGroups {
		for _, name := range g.commands {
			if groups[name] != "" {
				t.Errorf("command %s is in two groups, %s and %s", name, groups[name], g.title)
			}
			groups[name] = g.title
		}
	}
	for _, c := range Root().Commands() {
		if groups[c.Name()] == "" && !c.Hidden {
			t.Errorf("command %s is in no group of the help; give it a place in commandGroups (help_groups.go)", c.Name())
		}
		delete(groups, c.Name())
	}
	for name := range groups {
		t.Errorf("commandGroups names %s, which is no command", name)
	}
}

// TestFewFlags checks that no command has more than 25 flags, and that there are at most
// 38 settings: a rare flag is a setting, and a setting without users is a constant.
func TestFewFlags(t *testing.T) {
	const mostFlags, mostSettings = 25, 38
	for _, c := range commandsBelow(Root()) {
		n := 0
		count := func(f *pflag.Flag) {
			if !f.Hidden {
				n++
			}
		}
		c.LocalFlags().VisitAll(count)
		c.InheritedFlags().VisitAll(count)
		if n > mostFlags {
			t.Errorf("%s has %d flags, want at most %d", c.CommandPath(), n, mostFlags)
		}
	}
	if n := len(config.Keys); n > mostSettings {
		t.Errorf("%d settings, want at most %d", n, mostSettings)
	}
}

// TestShorthands: a flag with a letter has it on every command, and a letter
// means one flag.
func TestShorthands(t *testing.T) {
	letters := map[string]string{"n": "dry-run", "C": "dir", "h": "help", "v": "version", "y": "yes", "e": "edit-message"}
	for name, letter := range base.Shorthands {
		letters[letter] = name
	}
	for _, c := range commandsBelow(Root()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if want := base.Shorthands[f.Name]; want != "" && f.Shorthand != want {
				t.Errorf("%s: --%s has the letter %q, want %q", c.CommandPath(), f.Name, f.Shorthand, want)
			}
			if f.Shorthand != "" && letters[f.Shorthand] != f.Name {
				t.Errorf("%s: -%s is --%s, and elsewhere --%s", c.CommandPath(), f.Shorthand, f.Name, letters[f.Shorthand])
			}
		})
	}
}

// TestHelpNamesAll checks that the help of a command has one line for each flag and each
// command that is not hidden.
func TestHelpNamesAll(t *testing.T) {
	for _, c := range commandsBelow(Root()) {
		text := helpText(c, helpWidth)
		once := func(pattern string) {
			if n := len(regexp.MustCompile(`(?m)^ +`+pattern+`( |$)`).FindAllString(text, -1)); n != 1 {
				t.Errorf("help of %s: %d lines for %s", c.CommandPath(), n, pattern)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { once("(-[a-zA-Z], )?--" + f.Name) })
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				once(sub.Name())
			} else if strings.Contains(text, "\n  "+sub.Name()+" ") && sub.Hidden {
				t.Errorf("help of satchel names the hidden command %s", sub.Name())
			}
		}
	}
}

// TestHelpFits: help keeps within the terminal; only examples and the line of
// usage are never cut.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{80, 120, 0} {
		for _, c := range commandsBelow(Root()) {
			var out bytes.Buffer
			env := base.Env{Stdout: &out, Stderr: &out, StdoutTTY: width > 0, Width: width}
			Main(t.Context(), env, append(strings.Fields(c.CommandPath())[1:], "--help"))
			limit := width
			if width == 0 {
				limit = helpWidth
			}
			examples := strings.Split(c.Example, "\n")
			for line := range strings.Lines(out.String()) {
				line = strings.TrimRight(line, "\n")
				if render.Width(line) > limit && !slices.Contains(examples, line) && !strings.HasPrefix(line, "  "+c.CommandPath()) && strings.Contains(strings.TrimSpace(line), " ") && c.Name() != "completion" && c.Parent().Name() != "completion" {
					t.Errorf("help of %s at %d columns: %q", c.CommandPath(), width, line)
				}
			}
		}
	}
}

func TestWrap(t *testing.T) {
	text := "One two three\nfour.\n\n  kept   as it is, however long\nfive\n"
	want := "One two\nthree four.\n\n  kept   as it is, however long\nfive\n"
	if got := wrap(text, 12); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTitles: lists have titles above their columns on a terminal, and only rows
// elsewhere.
func TestTitles(t *testing.T) {
	dir := writeTree(t, map[string]string{"README.md": "# Read\n", "a.go": "package a\n"})
	home := t.TempDir()
	environ := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "PAGER=cat"}
	run := func(tty bool, args ...string) string {
		var out, errs bytes.Buffer
		env := base.Env{Dir: dir, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTTY: tty, Width: 80}
		if code := Main(t.Context(), env, append(args, "--set", "color=never")); code != base.ExitOK {
			t.Fatalf("%q: exit code %d, stderr %q", args, code, errs.String())
		}
		return out.String()
	}
	gittest.At(t, dir)
	for _, args := range [][]string{{"note", "add", "one"}, {"context", "add", "README.md"}, {"pack", "--snapshot"}} {
		run(false, args...)
	}
	for _, tt := range []struct {
		title string
		args  []string
	}{
		{"tokens  file", []string{"tokens", filepath.Join(dir, "a.go")}},
		{"model ", []string{"tokens", "--models"}},
		{"tokens  share  file", []string{"tokens", dir}},
		{"snapshot ", []string{"snapshot", "list"}},
		{" tokens  file", []string{"context", "list"}},
		{"score tokens  file  why", []string{"context", "suggest"}},
		{"id  weight  state   note", []string{"note", "list"}},
	} {
		if out := run(true, tt.args...); !strings.HasPrefix(out, tt.title) || strings.Count(out, "\n") < 2 {
			t.Errorf("%q on a terminal: %q, want the title %q and rows", tt.args, out, tt.title)
		}
		if out := run(false, tt.args...); strings.HasPrefix(out, tt.title) {
			t.Errorf("%q off a terminal: %q", tt.args, out)
		}
	}
}
