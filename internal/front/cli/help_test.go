package cli

import (
	"bytes"
	"maps"
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

// TestCommandTable checks that each row builds the command of its name, and that the rows
// of a group follow each other.
func TestCommandTable(t *testing.T) {
	seen := make(map[string]string)
	for i, c := range Commands() {
		if c.New != nil {
			if got := c.New(base.NewApp(base.Env{})).Name(); got != c.Name {
				t.Errorf("the row %s builds the command %s", c.Name, got)
			}
		}
		if seen[c.Name] != "" {
			t.Errorf("two rows of %s", c.Name)
		}
		if last := Commands()[max(i-1, 0)].Group; slices.Contains(slices.Collect(maps.Values(seen)), c.Group) && last != c.Group {
			t.Errorf("the group %s is in two places", c.Group)
		}
		seen[c.Name] = c.Group
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
	home := t.TempDir()
	for _, c := range commandsBelow(Root()) {
		var out bytes.Buffer
		Main(t.Context(), base.Env{Stdout: &out, Stderr: &out, Environ: []string{"HOME=" + home}}, append(strings.Fields(c.CommandPath())[1:], "--help"))
		text := out.String()
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
				limit = 80
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
