package iris

import (
	"slices"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// measure fills the Signals of every file: as the document says, or if v2 is set
// as the newer source does. Nothing but path, status and the text of the patch is
// looked at, and the rules are kept as they are: parts of a path are found
// anywhere in it, and the headers of a patch count among its lines.
//
// A rename counts as a modification, since Git-Iris knows none.
func measure(files []change.Scored, v2 bool) {
	for i := range files {
		files[i].Signals = signals(&files[i].File, v2)
	}
}

var (
	sourceEnds = []string{".rs", ".py", ".ts", ".tsx", ".js", ".jsx", ".go", ".java", ".kt", ".swift", ".c", ".cpp", ".h"}
	configEnds = []string{".toml", ".json", ".yaml", ".yml"}
	docEnds    = []string{".md", ".txt", ".rst"}
)

func signals(f *change.File, v2 bool) []satchel.Signal {
	var out []satchel.Signal
	set := func(name string, is bool) {
		if is {
			out = append(out, satchel.Signal{Name: name, Value: 1})
		}
	}
	switch f.Status {
	case change.Added, change.Copied:
		set("added", true)
	case change.Deleted:
		set("deleted", true)
	default:
		set("modified", true)
	}
	name := f.Path
	if v2 {
		name = strings.ToLower(name)
	}
	switch {
	case endsIn(name, sourceEnds):
		set("source", true)
	case endsIn(name, configEnds):
		set("config", true)
	case endsIn(name, docEnds):
		set("docs", true)
	}
	set("core", strings.Contains(name, "/src/") || strings.HasPrefix(name, "src/"))
	test := strings.Contains(name, "/test")
	lock := strings.Contains(name, ".lock")
	if v2 {
		test = test || strings.Contains(name, "_test.") || strings.Contains(name, ".test.")
		lock = lock || strings.Contains(name, "package-lock")
	}
	set("test", test)
	set("lock", lock) // one rule in two names
	set("generated", !lock && strings.Contains(name, "generated"))
	set("vendored", v2 && (strings.Contains(name, "/vendor/") || strings.Contains(name, "/node_modules/")))
	if f.Binary || v2 && excluded(f.Path) {
		return append(out, satchel.Signal{Name: "diff_lines", Value: 1}) // one line says so
	}
	out = append(out, satchel.Signal{Name: "diff_lines", Value: float64(patchLines(f))})
	for _, label := range labels(f, v2) {
		set(strings.ReplaceAll(label, " ", "_"), true)
	}
	return out
}

func endsIn(name string, ends []string) bool {
	return slices.ContainsFunc(ends, func(e string) bool { return strings.HasSuffix(name, e) })
}

// excluded reports whether Git-Iris shows "[Content excluded]" in place of
// a file's diff.
func excluded(name string) bool {
	dirs := strings.Split(name, "/")
	base := dirs[len(dirs)-1]
	for _, d := range dirs {
		switch d {
		case ".git", ".svn", ".hg", "node_modules", "target", "build", "dist", ".vscode", ".idea", ".vs":
			return true
		}
	}
	return base == ".DS_Store" || endsIn(base, []string{"package-lock.json", ".lock", ".log", ".tmp", ".temp", ".swp", ".min.js"})
}

// patchLines counts the lines of the patch, its headers included.
func patchLines(f *change.File) int {
	n := clip.Lines(f.Header)
	for i := range f.Hunks {
		n += 1 + clip.Lines(f.Hunks[i].Body)
	}
	return n
}

// labels are the semantic changes that Git-Iris finds, each once, in order
// of first appearance.
func labels(f *change.File, v2 bool) []string {
	var found []string
	label := func(l string) {
		if !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	name := f.Path
	ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	// The document looks for marks in the whole patch, whose headers have both.
	added, removed := !v2 && strings.Contains(f.Header, "\n+++"), !v2 && strings.Contains(f.Header, "\n---")
	for i := range f.Hunks {
		for line := range strings.Lines(f.Hunks[i].Body) {
			switch line[0] {
			case '-':
				removed = true
			case '+':
				added = true
				if !v2 || !strings.HasPrefix(line, "+++") {
					labelLine(strings.TrimSpace(strings.TrimLeft(line, "+")), ext, label)
				}
			}
		}
	}
	switch {
	case len(found) > 0:
	case added && removed:
		label("refactors code")
	case removed && v2:
		label("removes code")
	}
	return found
}

// lineRules are how Git-Iris recognises an added line, by extension.
var lineRules = map[string]struct{ function, inside, imports, types []string }{
	"rs": {
		function: []string{"pub fn ", "fn ", "pub async fn ", "async fn "},
		imports:  []string{"use ", "pub use "},
		types:    []string{"pub struct ", "struct ", "pub enum ", "enum "},
	},
	"ts": {
		function: []string{"function ", "async function "},
		inside:   []string{" = () =>", " = async () =>"},
		imports:  []string{"import ", "export "},
		types:    []string{"interface ", "type ", "class "},
	},
	"py": {
		function: []string{"def ", "async def "},
		imports:  []string{"import ", "from "},
		types:    []string{"class "},
	},
	"go": {
		function: []string{"func "},
		imports:  []string{"import "},
		types:    []string{"type "},
	},
}

func labelLine(line, ext string, label func(string)) {
	switch ext {
	case "tsx", "js", "jsx":
		ext = "ts"
	}
	rule, ok := lineRules[ext]
	if !ok {
		return
	}
	if startsWith(line, rule.function) || containsAny(line, rule.inside) {
		label("adds function")
	}
	if startsWith(line, rule.imports) {
		label("modifies imports")
	}
	if startsWith(line, rule.types) {
		label("adds type")
	}
	if ext == "rs" && strings.HasPrefix(line, "impl ") {
		label("adds impl")
	}
}

func startsWith(line string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
}

func containsAny(line string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(line, p) })
}
