package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/internal/agents"
	"github.com/satchel-dev/satchel/internal/world/runner"
)

// A Level says how much a finding matters.
type Level string

const (
	OK      Level = "ok"
	Note    Level = "note"    // as it should be, or a choice: nothing has to be done
	Problem Level = "problem" // satchel does not do what it was installed for
)

// A Finding is what the doctor found out about one thing.
type Finding struct {
	About string `json:"about"` // an agent, path, git, index, notes or endpoints
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"` // what to do
	Store bool   `json:"-"`             // the index or the notes are damaged or locked
}

// absent is what is found out about an agent that is not there.
const absent = "not on this machine"

// Absent reports whether the finding is that an agent is not there.
func (f *Finding) Absent() bool { return Client(f.About).Known() && f.Text == absent }

// Inspect reports what satchel has in the settings of an agent: in the user's and in
// the project's (o.Project). It changes nothing.
func Inspect(o Options, c Client) []Finding {
	at := func(level Level, fix, format string, args ...any) Finding {
		return Finding{About: string(c), Level: level, Text: fmt.Sprintf(format, args...), Fix: fix}
	}
	var list []Finding
	found := map[agents.Scope]bool{}
	fixNone := "" // for an agent without satchel
	present := o.Present(c)
	for _, s := range []struct {
		scope       agents.Scope
		where, flag string
	}{
		{User, "your settings", ""},
		{Project, "the settings of this project", " --project"},
	} {
		if s.scope == Project && (o.Project == "" || sameFile(o.Project, o.Home())) {
			continue // in the home folder, a project's settings are the user's
		}
		o.Scope = s.scope
		in := inspect(o, c)
		for _, why := range in.off {
			list = append(list, at(Problem, "enable them in that file", "%s", why))
		}
		fix := "satchel install " + string(c) + s.flag
		because := "it is from an older version or another system, or was removed"
		if len(in.taken) > 0 {
			fix = fmt.Sprintf("rename or remove %s, then run %s", strings.Join(in.taken, " and "), fix)
			because = "another entry has its name, and install never replaces it"
		}
		if s.scope == User && len(in.broken) == 0 { // else it would fail
			fixNone = fix
		}
		for _, err := range in.broken {
			list = append(list, at(Problem, fixOf(err), "%v", err))
		}
		found[s.scope] = in.entries > 0
		switch {
		case in.entries == 0:
		case len(in.broken) > 0:
			list = append(list, at(Note, "", "installed in %s, in the part that can be read", s.where))
		case len(in.missing) > 0:
			list = append(list, at(Problem, fix, "installed in %s, but without %s: %s", s.where, strings.Join(in.missing, ", "), because))
		default:
			list = append(list, at(OK, "", "installed in %s", s.where))
		}
	}
	plugin, installed := asPlugin(o, c), found[User] || found[Project]
	if plugin {
		list = append(list, at(OK, "", "installed as a plugin"))
	}
	switch {
	case plugin && installed:
		list = append(list, at(Problem, "satchel uninstall "+string(c)+", or remove the plugin", "installed in the settings and as a plugin: each hook runs twice"))
	case plugin:
	case found[User] && found[Project]:
		list = append(list, at(Problem, fmt.Sprintf("satchel uninstall %s, or satchel uninstall %[1]s --project", c), "installed in your settings and the project's: hooks may run twice"))
	case installed:
	case present:
		list = append(list, at(Note, fixNone, "not installed"))
	default:
		list = append(list, at(OK, "", absent))
	}
	if h := c.row().Hooks; h != nil && h.Trusted && (plugin || installed) {
		list = append(list, inspectTrust(o))
	}
	return list
}

// fixOf says what helps against settings that cannot be used.
func fixOf(err error) string {
	var e *RefusedError
	if errors.As(err, &e) && e.Hint != "" {
		return e.Hint
	}
	return "correct the file"
}

// Holds reports whether the readable settings of the options hold anything of
// satchel.
func Holds(o Options, c Client) bool { return inspect(o, c).entries > 0 }

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// asPlugin reports whether the agent has satchel as a plugin or an extension
// that is switched on.
func asPlugin(o Options, c Client) bool {
	mark := c.row().Plugin
	if mark.None() {
		return false
	}
	o.Scope = User
	f := o.files(c)[mark.In]
	if mark.Beside != "" {
		return exists(filepath.Join(filepath.Dir(f.Path), filepath.FromSlash(mark.Beside)))
	}
	text, _ := glance(f.Path) // unreadable settings enable no plugin
	if f.Table != "" {
		doc, _ := parseTOML(text)
		list, _ := doc[mark.List].(map[string]any)
		for name, v := range list {
			if p, _ := v.(map[string]any); strings.HasPrefix(name, pluginName) && p["enabled"] == true {
				return true
			}
		}
		return false
	}
	root, err := parseJSON(text)
	list := root.find(mark.List)
	return err == nil && list != nil && slices.ContainsFunc(list.members, func(m member) bool {
		return strings.HasPrefix(m.key, pluginName) && m.value.kind == 't'
	})
}

// pluginName begins the name of satchel in a list of plugins, which ends with a
// marketplace.
const pluginName = "satchel@"

// An inspection is what settings files hold of ours.
type inspection struct {
	entries int
	missing []string // the entries that they lack
	taken   []string // the places of those where install does not replace another value
	off     []string // the settings that keep ours from having an effect
	broken  []error  // why a file cannot be read or changed
}

// inspect inspects the settings files of an agent.
func inspect(o Options, c Client) (in inspection) {
	for _, f := range o.files(c) {
		in.add(&f)
	}
	return in
}

// add inspects one file.
func (in *inspection) add(f *file) {
	err := in.read(f)
	var at *syntaxError
	if errors.As(err, &at) {
		err = fmt.Errorf("%s:%w", f.Path, err)
	}
	if err != nil {
		in.broken = append(in.broken, err)
	}
}

func (in *inspection) read(f *file) error {
	p, err := open(f.Path, "")
	if err != nil {
		return err
	}
	defer p.close()
	switch {
	case f.Whole != "":
		if p.exists && strings.HasPrefix(string(p.text), agents.PluginMark) {
			in.entries++
		}
		if string(p.text) != f.Whole {
			in.missing = append(in.missing, "the plugin of this version")
		}
		return nil
	case f.Table != "":
		doc, err := parseTOML(p.text)
		if err != nil {
			return err
		}
		have, ok := server(doc)
		command, _ := have["command"].(string)
		if ok && have["url"] == nil && (have["command"] == nil || strings.Contains(command, "satchel")) {
			in.entries++
			return nil
		}
		in.missing = append(in.missing, "the MCP server")
		if ok {
			in.taken = append(in.taken, tomlTable+" in "+f.Path)
		}
		_, err = addTOML(p.text, f.Table)
		return err
	}
	root, err := parseJSON(p.text)
	if err != nil {
		return err
	}
	entries := 0
	for _, e := range f.entries() {
		here, stale, other := e.present(root)
		switch {
		case e.Frame:
			continue
		case here:
			entries++
			continue
		case stale != nil:
			entries++
		case other != nil && !e.Wraps && strings.Contains(commandOf(other), "satchel"):
			continue
		case other != nil && !e.runs(other):
			in.taken = append(in.taken, strings.Join(e.Path, ".")+" in "+f.Path)
		}
		in.missing = append(in.missing, "the "+e.What)
	}
	if entries > 0 {
		in.entries += entries
		in.off = append(in.off, switchedOff(f, root)...)
	}
	if _, err := parsePlain(p.text, f.Plain); err != nil {
		return err
	}
	// install refuses settings of another shape than ours.
	_, err = addEntries(p.text, f.entries())
	return err
}

// switchedOff returns the settings of a file that disable all hooks of its agent.
func switchedOff(f *file, root *node) (list []string) {
	for _, s := range f.off {
		kind := map[bool]byte{true: 't', false: 'f'}[s.When]
		if v := root.walk(s.Path); v != nil && v.kind == kind {
			list = append(list, fmt.Sprintf("hooks are disabled: %s in %s", strings.Join(s.Path, "."), f.Path))
		}
	}
	return list
}

// InspectPath says which satchel the hook lines find, compared with the program
// at self, of the given version.
func InspectPath(ctx context.Context, getenv func(string) string, self, version string) Finding {
	f := Finding{About: "path", Level: Problem}
	found := onPath(getenv("PATH"))
	if found == "" {
		f.Text = "satchel is not on PATH: agents cannot start hooks or MCP servers"
		f.Fix = "put " + filepath.Dir(self) + " on PATH"
		return f
	}
	if sameFile(found, self) {
		f.Level, f.Text = OK, fmt.Sprintf("hooks use %s, version %s", found, version)
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, found, "--version")
	cmd.Env = []string{"HOME=" + getenv("HOME"), "PATH=" + getenv("PATH")}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	other := strings.TrimPrefix(strings.TrimSpace(string(out)), "satchel ")
	switch {
	case err != nil:
		f.Text = fmt.Sprintf("hooks use %s, which does not run: %v", found, err)
		f.Fix = "put " + filepath.Dir(self) + " before it on PATH"
	case other != version:
		f.Text = fmt.Sprintf("hooks use another satchel: %s is version %.60s, this is %s", found, other, version)
		f.Fix = "remove the older one, or change the order of PATH"
	default:
		f.Level, f.Text = OK, fmt.Sprintf("hooks use %s, the same version %s", found, version)
	}
	return f
}

// lookPath returns the program of a name on a PATH, or "". Relative folders are
// passed over.
func lookPath(path, name string) string {
	file, err := runner.LookPath(name, "", []string{"PATH=" + path})
	if err != nil {
		return ""
	}
	return file
}

// onPath returns the satchel that a hook line finds, or "".
func onPath(path string) string { return lookPath(path, "satchel") }

// Worst returns the highest level of the findings, and whether everything that
// is a problem is one of the index or the notes.
func Worst(list []Finding) (level Level, store bool) {
	level, store = OK, true
	for _, f := range list {
		if f.Level == Problem {
			level = Problem
			store = store && f.Store
		} else if f.Level == Note && level == OK {
			level = Note
		}
	}
	return level, store && level == Problem
}

// Installed reports whether the findings name an agent that has satchel.
func Installed(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool {
		return Client(f.About).Known() && strings.HasPrefix(f.Text, "installed")
	})
}

// inspectTrust says for how many of our hooks Codex has recorded trust. It skips the
// others silently.
func inspectTrust(o Options) Finding {
	recorded, all := recordedTrust(o), len(agents.ByName("codex").Hooks.Events)
	if recorded >= all {
		return Finding{About: "codex", Level: OK, Text: fmt.Sprintf("hooks: trust is recorded for all %d; check it with /hooks in Codex", all)}
	}
	return Finding{About: "codex", Level: Problem, Fix: "start codex and trust the hooks in /hooks",
		Text: fmt.Sprintf("hooks: trust is recorded for %d of %d; Codex silently skips the others", recorded, all)}
}

// recordedTrust counts the hooks of satchel's file for which Codex keeps a
// record of trust. It does not know whether the hashes still hold.
func recordedTrust(o Options) (n int) {
	o.Scope = User
	files := o.files("codex")
	text, _ := glance(files[1].Path) // unreadable settings record no trust
	doc, _ := parseTOML(text)
	hooks, _ := doc["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for key, v := range state {
		file, _, _ := strings.Cut(filepath.ToSlash(key), "hooks.json:")
		record, _ := v.(map[string]any)
		if hash, ok := record["trusted_hash"].(string); ok && hash != "" && strings.HasSuffix(file, "/") {
			n++
		}
	}
	return n
}
