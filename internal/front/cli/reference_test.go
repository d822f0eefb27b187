package cli_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/front/cli"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/config"
)

// TestReference keeps the generated pages of docs equal to the commands, flags, settings,
// documents and agents that there are; -update writes them.
func TestReference(t *testing.T) {
	for name, text := range map[string]string{
		"commands.md": commandsPage(t),
		"flags.md":    flagsPage(),
		"settings.md": settingsPage(t),
		"schemas.md":  schemasPage(),
		"agents.md":   agentsPage(),
	} {
		file := filepath.Join("../../../docs", name)
		if *clitest.Update {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := gocmp.Diff(readDoc(t, name), text); diff != "" {
			t.Errorf("docs/%s differs; go test ./internal/front/cli -run TestReference -update writes it (-page +test):\n%s", name, diff)
		}
	}
}

// documented reports whether a command is in the reference.
func documented(c *cobra.Command) bool {
	return c.HasParent() && c.Name() != "help" && c.Parent().Name() != "completion"
}

// commandsPage lists the commands in the order and the groups of the help.
func commandsPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nEach command with its own flags. Most also take `--cache-dir`, `--exclude` and `--json`.\n[Flags](flags.md) explains them; `satchel COMMAND --help` has examples.\n")
	_, help, _ := run(t, base.Env{}, "--help")
	group := ""
	listed := map[string]bool{}
	list := func(c *cobra.Command) {
		for _, c := range append([]*cobra.Command{c}, c.Commands()...) {
			if !documented(c) {
				continue
			}
			listed[c.CommandPath()] = true
			fmt.Fprintf(&b, "- `%s`: %s.", strings.TrimSuffix(c.UseLine(), " [flags]"), c.Short)
			var names []string
			c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
				if !f.Hidden && !slices.Contains([]string{"cache-dir", "exclude", "help", "json"}, f.Name) {
					names = append(names, "`--"+f.Name+"`")
				}
			})
			if len(names) > 0 {
				b.WriteString(" " + strings.Join(names, ", ") + ".")
			}
			b.WriteString("\n")
		}
	}
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutSuffix(line, ":"); ok && !strings.HasPrefix(line, " ") {
			group = "\n## " + title + "\n\n"
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		c, _, err := cli.Root().Find([]string{name})
		if !strings.HasPrefix(line, "  ") || err != nil || c.Name() != name || listed[c.CommandPath()] || !documented(c) {
			continue
		}
		b.WriteString(group)
		group = ""
		list(c)
	}
	b.WriteString("\n## For programs\n\n")
	for _, c := range cli.Root().Commands() {
		if !listed[c.CommandPath()] && documented(c) {
			list(c)
		}
	}
	return b.String()
}

// flagsPage lists the flags by name, once for each text.
func flagsPage() string {
	type use struct {
		name, text string
		commands   []string
	}
	var uses []*use
	for _, c := range everyCommand() {
		if !documented(c) && c.HasParent() {
			continue
		}
		c.InitDefaultHelpFlag()
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, text := pflag.UnquoteUsage(f)
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			name = strings.TrimSpace(name + " " + value)
			if f.Name == "help" {
				text = "print help"
			}
			i := slices.IndexFunc(uses, func(u *use) bool { return u.name == name && u.text == text })
			if i < 0 {
				i = len(uses)
				uses = append(uses, &use{name: name, text: text})
			}
			uses[i].commands = append(uses[i].commands, strings.TrimPrefix(c.CommandPath(), "satchel "))
		})
	}
	long := func(u *use) string { return u.name[strings.Index(u.name, "--"):] }
	slices.SortStableFunc(uses, func(a, b *use) int { return cmp.Compare(long(a), long(b)) })

	var b strings.Builder
	b.WriteString("# Flags\n\nEvery flag, by name. Where its text differs between commands, each command has a line.\n\n")
	for i, u := range uses {
		fmt.Fprintf(&b, "- `%s`: %s", u.name, u.text)
		other := func(j int) bool {
			return j >= 0 && j < len(uses) && strings.Fields(long(uses[j]))[0] == strings.Fields(long(u))[0]
		}
		if other(i-1) || other(i+1) {
			fmt.Fprintf(&b, " (%s)", strings.Join(u.commands, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// settingsPage lists the settings by what the file of a repository may do with them.
func settingsPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# Settings\n\n`satchel config` shows the value of each setting and where it comes from. To set one, write\n" +
		"`name = value` in your config.toml. For all but `llm`, `models` and `prices`, you can also\n" +
		"export `SATCHEL_NAME`, with `_` for `-`, or use `--set name=value`.\n")
	defaults, written := config.Defaults(), 0
	for _, part := range []struct{ power, title string }{
		{"sets it", "A repository's .satchel.toml may set"},
		{"adds to it", "It may add to"},
		{"may only lower it", "It may only lower"},
		{"may not set it", "It may not set"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		for _, k := range config.Keys {
			if string(k.Repository) != part.power {
				continue
			}
			written++
			fmt.Fprintf(&b, "- `%s`: %s", k.Name, k.Use)
			if d := fmt.Sprint(k.Value(&defaults)); d != "" && d != "0" && d != "false" && d != "[]" && d != "map[]" {
				fmt.Fprintf(&b, " (default %s)", d)
			}
			b.WriteString("\n")
		}
	}
	if written != len(config.Keys) {
		t.Errorf("%d of %d settings are on the page", written, len(config.Keys))
	}
	return b.String()
}

func schemasPage() string {
	var b strings.Builder
	b.WriteString("# JSON documents\n\nEach document has a `version`, raised when a reader of it would break. `satchel schema NAME`\nprints its JSON Schema.\n\n")
	for _, d := range cli.Documents() {
		fmt.Fprintf(&b, "- [%s](schema/%s): %s\n", d.Name, d.File(), d.What)
	}
	return b.String()
}

func agentsPage() string {
	var b strings.Builder
	b.WriteString("# Agents\n\nWhat satchel does for each agent. *context*: hooks add context to each prompt. *tools*: it can\n" +
		"call satchel's tools. *sessions*: satchel reads, measures and trims them. *run*: `satchel run`\ncan start it. *resume*: it goes on with a trimmed session.\n\n")
	for _, a := range agents.All {
		var can []string
		for _, c := range []struct {
			name string
			is   bool
		}{
			{"context", a.Hooks != nil}, {"tools", a.Settings != nil}, {"sessions", a.Format != ""},
			{"run", a.Start != nil}, {"resume", a.Resume != nil},
		} {
			if c.is {
				can = append(can, c.name)
			}
		}
		fmt.Fprintf(&b, "- %s (`satchel install %s`): %s\n", a.Title, a.Name, strings.Join(can, ", "))
	}
	return b.String()
}
