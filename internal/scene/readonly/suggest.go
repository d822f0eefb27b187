package readonly

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
	"github.com/satchel-dev/satchel/internal/measure/signal"
	"github.com/satchel-dev/satchel/internal/store/index"
)

// A Suggestion is a file that may be worth keeping at hand.
type Suggestion struct {
	Path    string   `json:"path"`
	Score   float64  `json:"score"`   // 0..1
	Reasons []string `json:"reasons"` // why, strongest first
	Tokens  int      `json:"tokens"`  // about
}

// What makes a file worth keeping at hand: judgement, after the list of the
// reference design (manifests, README, ARCHITECTURE, AGENTS, build files) and what
// people add by hand. The first of its kind counts in full, deeper ones less.
var suggested = []struct {
	score float64
	why   string
	is    func(name, base, stem, ext string) bool
}{
	{1, "instructions for agents", func(name, base, stem, _ string) bool {
		return base == "agents.md" || base == "claude.md" || base == "gemini.md" || name == ".github/copilot-instructions.md" || base == ".cursorrules"
	}},
	{0.95, "the architecture", func(name, base, stem, ext string) bool {
		return document(ext) && (stem == "architecture" || stem == "design" || stem == "overview" || strings.HasPrefix(stem, "architecture"))
	}},
	{0.9, "the first page", func(name, base, stem, _ string) bool { return signal.Readme(name) && !strings.Contains(name, "/") }},
	{0.85, "an interface specification", func(name, base, stem, ext string) bool {
		switch ext {
		case ".proto", ".graphql", ".graphqls", ".avdl", ".thrift", ".smithy", ".wsdl":
			return true
		case ".yaml", ".yml", ".json":
			return strings.Contains(stem, "openapi") || strings.Contains(stem, "swagger") || strings.Contains(stem, "asyncapi")
		}
		return false
	}},
	{0.8, "a schema", func(name, base, stem, ext string) bool {
		switch ext {
		case ".sql", ".prisma", ".xsd", ".json", ".rb", ".cue":
			return strings.Contains(stem, "schema") || stem == "structure" && ext == ".sql"
		}
		return ext == ".prisma"
	}},
	{0.75, "a specification", func(name, base, stem, ext string) bool {
		if !document(ext) {
			return false
		}
		dir := "/" + path.Dir(name) + "/"
		return strings.Contains(stem, "spec") || stem == "requirements" || stem == "rfc" || strings.Contains(dir, "/spec/") || strings.Contains(dir, "/specs/") || strings.Contains(dir, "/rfcs/")
	}},
	{0.7, "how to contribute", func(name, base, stem, _ string) bool {
		return stem == "contributing" || stem == "style" || stem == "conventions"
	}},
	{0.6, "dependencies and build", func(name, base, stem, _ string) bool {
		switch base {
		case "go.mod", "package.json", "cargo.toml", "pyproject.toml", "requirements.txt", "pom.xml", "gemfile", "build.gradle", "build.gradle.kts", "composer.json":
			return true
		}
		return false
	}},
	{0.5, "how to build and run it", func(name, base, stem, _ string) bool {
		switch base {
		case "makefile", "justfile", "taskfile.yml", "dockerfile", "docker-compose.yml", "compose.yaml", "compose.yml", "tsconfig.json", ".env.example":
			return true
		}
		return false
	}},
	{0.45, "a recorded decision", func(name, base, stem, ext string) bool {
		dir := "/" + path.Dir(name) + "/"
		return document(ext) && (strings.Contains(dir, "/adr/") || strings.Contains(dir, "/adrs/") || strings.Contains(dir, "/decisions/") || strings.Contains(dir, "/docs/design/"))
	}},
}

func document(ext string) bool {
	return ext == ".md" || ext == ".rst" || ext == ".adoc" || ext == ".txt"
}

const (
	deeper        = 0.75 // for each folder a file lies below the root
	sameKind      = 0.8  // for each better file for the same reason
	centralScore  = 0.7  // of the file that most others lead to
	centralFiles  = 20   // how many of the most central files are suggested
	leastSuggest  = 0.1  // a lower score is not a suggestion
	largest       = 200 << 10
	bytesPerToken = 4
)

// suggest returns the files of a view that may be worth keeping at hand, best first,
// at most limit (0 means no limit), without those in have. now is a Unix time, or 0.
func suggest(v *index.View, now int64, have func(path string) bool, limit int) []Suggestion {
	files := v.Files()
	best := map[int]*Suggestion{}
	add := func(i int, score float64, why string) {
		f := &files[i]
		if score < leastSuggest || have(f.Path) || f.Size > largest || f.Size == 0 {
			return
		}
		s := best[i]
		if s == nil {
			s = &Suggestion{Path: f.Path, Tokens: int(f.Size / bytesPerToken)}
			best[i] = s
		}
		// A second reason closes half of what the first left open.
		if score > s.Score {
			s.Score, s.Reasons = score+s.Score*(1-score)/2, append([]string{why}, s.Reasons...)
		} else {
			s.Score, s.Reasons = s.Score+score*(1-s.Score)/2, append(s.Reasons, why)
		}
	}
	for _, kind := range suggested {
		var list []int
		for i := range files {
			name := strings.ToLower(files[i].Path)
			base, ext := path.Base(name), path.Ext(name)
			if c := files[i].Class; c == outline.Test || c == outline.Generated || inFixtures(name) {
				continue
			}
			if kind.is(name, base, strings.TrimSuffix(base, ext), ext) {
				list = append(list, i)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int {
			return strings.Count(files[a].Path, "/") - strings.Count(files[b].Path, "/")
		})
		for k, i := range list {
			add(i, kind.score*math.Pow(deeper, float64(strings.Count(files[i].Path, "/")))*math.Pow(sameKind, float64(k)), kind.why)
		}
	}
	for k, i := range central(v, now) {
		add(i, centralScore*math.Pow(0.93, float64(k)), fmt.Sprintf("central to the code: rank %d of %d files", k+1, len(files)))
	}
	out := make([]Suggestion, 0, len(best))
	for _, s := range best {
		s.Score = math.Round(s.Score*1e3) / 1e3
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	if limit > 0 {
		out = out[:min(len(out), limit)]
	}
	return out
}

// central returns the source files that most imports and uses of names lead to.
func central(v *index.View, now int64) []int {
	important := signal.Important(v, now)
	files := v.Files()
	var list []int
	for i := range files {
		if files[i].Class == outline.Source && important[i].Central > 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(important[b].Central, important[a].Central) })
	return list[:min(len(list), centralFiles)]
}

// inFixtures reports whether a file is input or output of tests or examples.
func inFixtures(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch part {
		case "testdata", "test", "tests", "fixtures", "__fixtures__", "examples", "example", "samples", "vendor", "third_party", "node_modules":
			return true
		}
	}
	return false
}

// usual lists the files that describe a project, as hawk lists them.
var usual = []string{"go.mod", "package.json", "Cargo.toml", "README.md", "ARCHITECTURE.md", "AGENTS.md", ".env.example", "Makefile", "Dockerfile"}

// Usual returns the names of the files in a folder that describe a project, or nil
// without such a folder.
func Usual(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	var out []string
	for _, name := range usual {
		if st, err := root.Lstat(name); err == nil && st.Mode().IsRegular() {
			out = append(out, name)
		}
	}
	return out
}
