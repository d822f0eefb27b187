package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// homes are the places where agents keep sessions, one function each.
var homes = []func(*lister){
	claudeHome, codexHome, piHome, gitclawHome, openCodeHome, copilotHome, geminiHome, clineHome, openHandsHome,
}

func (l *lister) env(key string) string { return l.q.Getenv(key) }

// below joins a home folder and names; "" if the home is not known.
func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// user is a folder of the user's home.
func (l *lister) user(names ...string) string { return below(l.env("HOME"), names...) }

// data is a folder below XDG_DATA_HOME.
func (l *lister) data(names ...string) string {
	if d := l.env("XDG_DATA_HOME"); d != "" {
		return below(d, names...)
	}
	return l.user(append([]string{".local", "share"}, names...)...)
}

// either is the folder that a variable names, else one of the user's home.
func (l *lister) either(key string, names ...string) string {
	if d := l.env(key); d != "" {
		return d
	}
	return l.user(names...)
}

// add proposes a file.
func (l *lister) add(h *home, f file, format transcript.Format, head func(*lister, *candidate)) *candidate {
	l.found = append(l.found, candidate{
		Session: Session{
			Path:   filepath.Join(h.dir, filepath.FromSlash(f.name)),
			Format: format, Bytes: f.info.Size(), Time: f.info.ModTime().UTC(),
		},
		home: h, name: f.name, head: head,
	})
	return &l.found[len(l.found)-1]
}

// claudeHome: projects/<cwd with every sign but letters and digits as a
// dash>/<uuid>.jsonl, and agent-*.jsonl of subagents beside them or in
// <uuid>/subagents.
func claudeHome(l *lister) {
	dirs := []string{l.either("CLAUDE_CONFIG_DIR", ".claude")}
	if l.env("CLAUDE_CONFIG_DIR") == "" {
		config := l.env("XDG_CONFIG_HOME")
		if config == "" {
			config = l.user(".config")
		}
		dirs = append(dirs, below(config, "claude"))
	}
	for _, dir := range dirs {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, p := range h.folders("projects") {
			if !l.mayHold(path.Base(p.name), dashed) {
				continue
			}
			for _, f := range h.files(p.name) {
				if strings.HasSuffix(f.name, ".jsonl") {
					l.claudeFile(h, f)
				}
			}
			if !l.q.Side {
				continue
			}
			for _, s := range h.folders(p.name) {
				for _, f := range h.files(s.name + "/subagents") {
					if strings.HasSuffix(f.name, ".jsonl") {
						l.claudeFile(h, f)
					}
				}
			}
		}
	}
}

func (l *lister) claudeFile(h *home, f file) {
	base := path.Base(f.name)
	c := l.add(h, f, transcript.ClaudeCode, headLines)
	c.ID = strings.TrimSuffix(base, ".jsonl")
	c.Side = strings.HasPrefix(base, "agent-")
}

// dashed is how Claude Code names the folder of a project.
func dashed(dir string) string {
	const most = 200 // longer names are cut and get a hash
	b := []byte(dir)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			b[i] = '-'
		}
	}
	return string(b[:min(len(b), most)])
}

// mayHold reports whether a folder whose name was made from a path may hold
// sessions of the project: since names are ambiguous, the files' heads decide.
func (l *lister) mayHold(name string, encode func(string) string) bool {
	if l.q.Dir == "" {
		return true
	}
	for _, r := range l.roots {
		if strings.HasPrefix(name, encode(r)) {
			return true
		}
	}
	return false
}

// codexHome: sessions/YYYY/MM/DD/rollout-*.jsonl, formerly without the folders,
// and archived_sessions.
func codexHome(l *lister) {
	h := l.home(l.codexDir())
	if h == nil {
		return
	}
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		for _, f := range h.files(dir) {
			if base := path.Base(f.name); strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, ".jsonl") {
				l.add(h, f, transcript.Codex, headLines).ID = lastUUID(strings.TrimSuffix(base, ".jsonl"))
			}
		}
		if depth > 0 {
			for _, d := range h.folders(dir) {
				walk(d.name, depth-1)
			}
		}
	}
	walk("sessions", 3)
	walk("archived_sessions", 0)
}

// codexDir is where Codex keeps its files.
func (l *lister) codexDir() string { return l.either("CODEX_HOME", ".codex") }

// lastUUID returns the UUID that ends a name, or the name.
func lastUUID(name string) string {
	const n = 36
	if len(name) > n && name[len(name)-n-1] == '-' || strings.LastIndexByte(name, '_') == len(name)-n-1 {
		return name[max(len(name)-n, 0):]
	}
	return name
}

// piHome: sessions/--<cwd with slashes and colons as dashes>--/<time>_<uuid>.jsonl.
func piHome(l *lister) {
	h := l.home(l.either("PI_CODING_AGENT_DIR", ".pi", "agent"))
	if h == nil {
		return
	}
	for _, p := range h.folders("sessions") {
		if !l.mayHold(path.Base(p.name), piDashed) {
			continue
		}
		for _, f := range h.files(p.name) {
			l.piFile(h, f, false)
		}
	}
	for _, f := range h.files("sessions") {
		l.piFile(h, f, false)
	}
}

func (l *lister) piFile(h *home, f file, ours bool) {
	if base := path.Base(f.name); strings.HasSuffix(base, ".jsonl") {
		c := l.add(h, f, transcript.Pi, headLines)
		c.ID, c.ours = lastUUID(strings.TrimSuffix(base, ".jsonl")), ours
	}
}

var piSigns = strings.NewReplacer("/", "-", "\\", "-", ":", "-")

func piDashed(dir string) string { return "--" + piSigns.Replace(strings.TrimLeft(dir, `/\`)) }

// gitclawHome: sessions that a repository carries itself, written by pi where
// the repository's automation ran.
func gitclawHome(l *lister) {
	for _, r := range l.roots {
		if resolved(r) != r {
			continue // the same folder under another name
		}
		h := l.home(r)
		if h == nil {
			continue
		}
		for _, d := range []string{".GITCLAW", ".gitclaw"} {
			for _, f := range h.files(d + "/state/sessions") {
				l.piFile(h, f, true)
			}
		}
	}
}

// copilotHome: session-state/<uuid>/events.jsonl, formerly
// session-state/<uuid>.jsonl.
func copilotHome(l *lister) {
	dirs := []string{l.either("COPILOT_HOME", ".copilot")}
	if s := l.env("XDG_STATE_HOME"); s != "" {
		dirs = append(dirs, below(s, ".copilot"), below(s, "copilot"))
	}
	for _, dir := range dirs {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, state := range []string{"session-state", "history-session-state"} {
			for _, f := range h.files(state) {
				if base := path.Base(f.name); strings.HasSuffix(base, ".jsonl") {
					l.add(h, f, transcript.Copilot, headLines).ID = strings.TrimSuffix(base, ".jsonl")
				}
			}
			for _, d := range h.folders(state) {
				for _, f := range h.files(d.name) {
					if path.Base(f.name) == "events.jsonl" {
						l.add(h, f, transcript.Copilot, headLines).ID = path.Base(d.name)
					}
				}
			}
		}
	}
}

// geminiHome: tmp/<name or SHA-256 of the project's path>/chats/session-*.json
// or .jsonl; subagents in chats/<session>/.
func geminiHome(l *lister) {
	dirs := []string{l.geminiDir()}
	if d := l.env("GEMINI_DIR"); d != "" {
		dirs = append(dirs, d)
	}
	for _, dir := range dirs {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, p := range h.folders("tmp") {
			cwd := strings.TrimSpace(string(h.small(p.name + "/.project_root")))
			for _, r := range l.roots {
				sum := sha256.Sum256([]byte(r))
				if cwd == "" && path.Base(p.name) == hex.EncodeToString(sum[:]) {
					cwd = r
				}
			}
			if l.q.Dir != "" && !l.within(cwd) {
				continue
			}
			l.geminiChats(h, p.name+"/chats", cwd)
		}
	}
}

// geminiDir is where Gemini CLI keeps its files.
func (l *lister) geminiDir() string {
	if d := l.env("GEMINI_CLI_HOME"); d != "" {
		return below(d, ".gemini")
	}
	return l.user(".gemini")
}

func (l *lister) geminiChats(h *home, dir, cwd string) {
	add := func(f file, side bool) {
		ext := path.Ext(f.name)
		if ext != ".json" && ext != ".jsonl" {
			return
		}
		c := l.add(h, f, transcript.Gemini, headGemini)
		c.Dir, c.Side = cwd, side
		c.ID = strings.TrimSuffix(path.Base(f.name), ext)
	}
	for _, f := range h.files(dir) {
		if strings.HasPrefix(path.Base(f.name), "session-") {
			add(f, false)
		}
	}
	if l.q.Side {
		for _, d := range h.folders(dir) {
			for _, f := range h.files(d.name) {
				add(f, true)
			}
		}
	}
}

// Extensions of VS Code that keep tasks, and the editors that run them.
var (
	clineExtensions = []string{"saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code"}
	clineEditors    = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}
)

// clineHome: globalStorage/<extension>/tasks/<id>/api_conversation_history.json
// of each editor, and the data of the command-line client.
func clineHome(l *lister) {
	config := l.env("XDG_CONFIG_HOME")
	if config == "" {
		config = l.user(".config")
	}
	var dirs []string
	for _, e := range clineEditors {
		dirs = append(dirs, below(config, e, "User", "globalStorage"), l.user("Library", "Application Support", e, "User", "globalStorage"))
		if roaming := l.env("APPDATA"); roaming != "" {
			dirs = append(dirs, below(roaming, e, "User", "globalStorage"))
		}
	}
	dirs = append(dirs,
		l.user(".vscode-server", "data", "User", "globalStorage"), l.user(".vscode-remote", "data", "User", "globalStorage"),
		l.user(".vscode-server-insiders", "data", "User", "globalStorage"), l.user(".cursor-server", "data", "User", "globalStorage"))
	for _, dir := range dirs {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, x := range clineExtensions {
			l.clineTasks(h, x+"/tasks")
		}
	}
	data := l.env("CLINE_DATA_DIR")
	if dir := l.either("CLINE_DIR", ".cline"); data == "" && dir != "" {
		data = filepath.Join(dir, "data")
	}
	if h := l.home(data); h != nil {
		l.clineTasks(h, "tasks")
		if l.env("CLINE_SESSION_DATA_DIR") == "" {
			l.clineSessions(h, "sessions")
		}
	}
	if h := l.home(l.env("CLINE_SESSION_DATA_DIR")); h != nil {
		l.clineSessions(h, ".")
	}
}

// openHandsHome: sessions/<id>/events/<n>.json.
func openHandsHome(l *lister) {
	for _, dir := range []string{l.env("FILE_STORE_PATH"), l.user(".openhands"), l.user(".openhands-state")} {
		h := l.home(dir)
		if h == nil {
			continue
		}
		for _, d := range h.folders("sessions") {
			l.openHandsEvents(h, d.name)
		}
	}
}

func (l *lister) openHandsEvents(h *home, dir string) {
	events := h.files(dir + "/events")
	if len(events) == 0 {
		return
	}
	var size int64
	last := events[0]
	for _, f := range events {
		size += f.info.Size()
		if f.info.ModTime().After(last.info.ModTime()) {
			last = f
		}
	}
	c := l.add(h, last, transcript.OpenHands, headOpenHands)
	c.name, c.Bytes, c.ID = dir, size, path.Base(dir)
	c.Path = filepath.Join(h.dir, filepath.FromSlash(dir))
}
