package change

import (
	"strings"

	"github.com/satchel-dev/satchel"
)

// MeasureIris fills the Signals of every file for the profile iris, which is
// Git-Iris as its document describes it, or for iris-v2, which is what its
// source has become. Nothing but path, status and the text of the patch is
// looked at, and its rules are kept as they are: parts of a path are found
// anywhere in it, and the headers of a patch count among its lines.
//
// A rename counts as a modification, since Git-Iris knows none.
func MeasureIris(files []Scored, v2 bool) {
	for i := range files {
		files[i].Signals = irisSignals(&files[i].File, v2)
	}
}

var (
	irisSource = []string{".rs", ".py", ".ts", ".tsx", ".js", ".jsx", ".go", ".java", ".kt", ".swift", ".c", ".cpp", ".h"}
	irisConfig = []string{".toml", ".json", ".yaml", ".yml"}
	irisDocs   = []string{".md", ".txt", ".rst"}
)

func irisSignals(f *File, v2 bool) []satchel.Signal {
	var out []satchel.Signal
	set := func(name string, is bool) {
		if is {
			out = append(out, satchel.Signal{Name: name, Value: 1})
		}
	}
	switch f.Status {
	case Added, Copied:
		set("added", true)
	case Deleted:
		set("deleted", true)
	default:
		set("modified", true)
	}
	name := f.Path
	if v2 {
		name = strings.ToLower(name)
	}
	switch {
	case endsIn(name, irisSource):
		set("source", true)
	case endsIn(name, irisConfig):
		set("config", true)
	case endsIn(name, irisDocs):
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
	if f.Binary || v2 && irisExcluded(f.Path) {
		return append(out, satchel.Signal{Name: "diff_lines", Value: 1}) // one line says so
	}
	out = append(out, satchel.Signal{Name: "diff_lines", Value: float64(irisLines(f))})
	for _, label := range irisLabels(f, v2) {
		set(strings.ReplaceAll(label, " ", "_"), true)
	}
	return out
}

func endsIn(name string, ends []string) bool {
	for _, e := range ends {
		if strings.HasSuffix(name, e) {
			return true
		}
	}
	return false
}

// irisExcluded reports whether Git-Iris shows "[Content excluded]" in place of
// a file's diff.
func irisExcluded(name string) bool {
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

// irisLines counts the lines of the patch, its headers included.
func irisLines(f *File) int {
	n := countLines(f.Header)
	for i := range f.Hunks {
		n += 1 + countLines(f.Hunks[i].Body)
	}
	return n
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// irisLabels are the semantic changes that Git-Iris finds, each once, in order
// of first appearance.
func irisLabels(f *File, v2 bool) []string {
	var labels []string
	label := func(l string) {
		for _, have := range labels {
			if have == l {
				return
			}
		}
		labels = append(labels, l)
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
					irisLine(strings.TrimSpace(strings.TrimLeft(line, "+")), ext, label)
				}
			}
		}
	}
	switch {
	case len(labels) > 0:
	case added && removed:
		label("refactors code")
	case removed && v2:
		label("removes code")
	}
	return labels
}

// irisRules are how Git-Iris recognises an added line, by extension.
var irisRules = map[string]struct{ function, inside, imports, types []string }{
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

func irisLine(line, ext string, label func(string)) {
	switch ext {
	case "tsx", "js", "jsx":
		ext = "ts"
	}
	rule, ok := irisRules[ext]
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
	for _, p := range prefixes {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

func containsAny(line string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}
