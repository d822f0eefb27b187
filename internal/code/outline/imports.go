package outline

import (
	"regexp"
	"strings"
	"sync"
)

// importPatterns find what a line imports, for languages without a parser and
// as a fallback. Each submatch that took part is an import.
var importPatterns = map[string]func() []*regexp.Regexp{
	"python":     importsOf(`^\s*(?:from\s+([.\w]+)\s+c?import\b|import\s+([\w.]+))`),
	"go":         importsOf(`^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w./~-]+)"\s*$`),
	"rust":       importsOf(`^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([\w:]+)`, `^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;`),
	"java":       importsOf(`^\s*import\s+(?:static\s+)?([\w.*]+)`),
	"csharp":     importsOf(`^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;`),
	"javascript": importsOf(`(?:from\s+|require\(\s*|import\(\s*|^\s*import\s+)['"]([^'"]+)['"]`),
	"c":          importsOf(`^\s*#\s*(?:include|import)\s*["<]([^">]+)[">]`, `^\s*@import\s+([\w.]+)`),
	"swift":      importsOf(`^\s*(?:@\w+\s+)?import\s+(?:class\s+|struct\s+|func\s+|enum\s+)?([\w.]+)`),
	"ruby":       importsOf(`^\s*require(?:_relative)?\s*\(?\s*['"]([^'"]+)['"]`),
	"php":        importsOf(`^\s*use\s+(?:function\s+|const\s+)?([\w\\]+)`, `(?:include|require)(?:_once)?\s*\(?\s*['"]([^'"]+)['"]`),
	"lua":        importsOf(`require\s*\(?\s*['"]([^'"]+)['"]`),
	"perl":       importsOf(`^\s*(?:use|require)\s+([A-Z][\w:]*)`),
	"elixir":     importsOf(`^\s*(?:alias|import|use|require)\s+([A-Z][\w.]*)`),
	"erlang":     importsOf(`^-(?:include|include_lib)\("([^"]+)"`),
	"haskell":    importsOf(`^import\s+(?:qualified\s+)?([\w.]+)`),
	"ocaml":      importsOf(`^\s*open!?\s+([\w.]+)`),
	"fsharp":     importsOf(`^\s*open\s+([\w.]+)`),
	"dart":       importsOf(`^\s*(?:import|export|part)\s+['"]([^'"]+)['"]`),
	"zig":        importsOf(`@import\("([^"]+)"\)`),
	"nim":        importsOf(`^\s*(?:import|include|from)\s+([\w/.]+)`),
	"julia":      importsOf(`^\s*(?:using|import)\s+([\w.]+)`, `include\("([^"]+)"\)`),
	"r":          importsOf(`(?:library|require)\(\s*["']?([\w.]+)`, `source\(\s*["']([^"']+)["']`),
	"bash":       importsOf(`^\s*(?:source|\.)\s+["']?([^\s"';]+)`),
	"proto":      importsOf(`^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"`),
	"thrift":     importsOf(`^\s*include\s+"([^"]+)"`),
	"solidity":   importsOf(`^\s*import\s+(?:[^"']*from\s+)?["']([^"']+)["']`),
	"css":        importsOf(`@(?:import|use|forward)\s+(?:url\()?["']([^"']+)["']`),
	"make":       importsOf(`^-?include\s+(\S+)`),
	"cmake":      importsOf(`(?i)^\s*(?:include|add_subdirectory|find_package)\s*\(\s*([\w./-]+)`),
	"hcl":        importsOf(`^\s*source\s*=\s*"([^"]+)"`),
	"clojure":    importsOf(`\[([a-z][\w.-]+\.[\w.-]+)\s+:(?:as|refer)`),
	"elm":        importsOf(`^import\s+([\w.]+)`),
	"crystal":    importsOf(`^\s*require\s+"([^"]+)"`),
	"starlark":   importsOf(`^\s*load\(\s*["']([^"']+)["']`),
	"jsonnet":    importsOf(`import(?:str)?\s+['"]([^'"]+)['"]`),
	"haxe":       importsOf(`^\s*(?:import|using)\s+([\w.]+)`),
	"vb":         importsOf(`(?i)^\s*imports\s+([\w.]+)`),
	"fortran":    importsOf(`(?i)^\s*use\s+(\w+)`),
	"d":          importsOf(`^\s*(?:public\s+|static\s+)?import\s+([\w.]+)`),
	"verilog":    importsOf("^\\s*`include\\s+\"([^\"]+)\""),
	"jq":         importsOf(`^\s*(?:import|include)\s+"([^"]+)"`),
	"html":       importsOf(`<script[^>]+src=["']([^"']+)["']`),
}

// importsLike names the language whose imports are written alike.
var importsLike = map[string]string{
	"typescript": "javascript", "tsx": "javascript", "vue": "javascript", "svelte": "javascript", "astro": "javascript", "coffee": "javascript",
	"cpp": "c", "objc": "c", "glsl": "c", "kotlin": "java", "scala": "java", "groovy": "java", "cython": "python", "rustlike": "rust", "asm": "c",
}

func importsOf(expressions ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		var out []*regexp.Regexp
		for _, e := range expressions {
			out = append(out, regexp.MustCompile(e))
		}
		return out
	})
}

// importHints are what a line must contain to be worth a regular expression.
var importHints = [...]string{"import", "include", "require", "use", "using", "from", "open", "load", "library", "source", "alias", "mod", "\"", "part", "Imports", ". "}

// imports notes what the lines import.
func (l *lines) imports(lang string) {
	if like := importsLike[lang]; like != "" {
		lang = like
	}
	load := importPatterns[lang]
	if load == nil {
		return
	}
	ps := load()
	for row := range l.starts {
		s, e := l.line(row)
		text := string(l.src[s:min(e, s+matchedPart)])
		if !hinted(text) {
			continue
		}
		if len(l.masked) > s && l.commented(s, e) {
			continue
		}
		for _, p := range ps {
			for _, m := range p.FindAllStringSubmatch(text, 8) {
				for _, path := range m[1:] {
					l.Import(path)
				}
			}
		}
	}
}

// commented reports whether a line is blank once comments are blanked, and was
// not before. Preprocessor lines are blanked too, and are not comments.
func (l *lines) commented(s, e int) bool {
	for i := s; i < e; i++ {
		if l.masked[i] > ' ' {
			return false
		}
	}
	for i := s; i < e; i++ {
		switch c := l.src[i]; {
		case c <= ' ':
		case c == '#':
			return false
		default:
			return true
		}
	}
	return true
}

func hinted(line string) bool {
	for _, h := range importHints {
		if strings.Contains(line, h) {
			return true
		}
	}
	return false
}
