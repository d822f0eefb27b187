// Package archtest holds the rules of the house that a reviewer would otherwise
// repeat: which package may import which, what a pure package may not touch,
// that every package says what it is for and every comment names what it stands
// on, and which words never stand in the tree.
//
// The rules are functions over an [fs.FS], so that the package's tests can show
// each of them a tree that breaks it. They read the files themselves and never
// start the go command: the result of a test whose child process read the files
// is cached, and a violation would pass unseen.
//
// Start with [Layers], the one list that a new package has to be added to.
package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Module is the path that imports of our own packages begin with.
const Module = "github.com/satchel-dev/satchel"

// Layers lists the folders from the bottom up. A folder stands for the packages
// below it too, unless a longer entry names them; "." is the root's package alone.
// A package imports those of lower layers, and of its own folder. Changing this
// list is a design decision: ARCHITECTURE.md shows it, and the commit says why.
//
// What reproduces another program's design exactly stands in dialect, above the
// stages and the engine, so that none of them can ask for it: ctxmgr and the
// fronts alone do.
//
// What is known about coding agents, internal/agents, is data: it lies at the bottom,
// so that the pure packages which read sessions may ask it as the fronts do.
//
// A program (package main) stands above all layers, since nothing can import it. What measures satchel is a module of its own, lab, whose
// test holds it to the same rules; no layer lists it, so nothing here imports it.
var Layers = [][]string{
	{"internal/text", "internal/agents"},
	{".", "tokens"},
	{"internal/code"},
	{"rank", "budget", "pack", "change", "transcript", "snapshot", "need", "style"},
	{"trim", "finding"},
	{"render"},
	{"internal/world"},
	{"internal/store"},
	{"internal/measure"},
	{"internal/scene"},
	{"internal/source"},
	{"internal/session"},
	{"engine"},
	{"dialect"},
	{"internal/assist"},
	{"ctxmgr"},
	{"internal/front"},
}

// Pure folders compute. They use the standard library only, and not the parts
// of it that reach the outside world.
var Pure = []string{".", "tokens", "internal/text", "internal/agents", "rank", "budget", "pack", "change", "transcript", "snapshot", "need", "style", "internal/code", "trim", "finding", "render"}

// impure lists the standard packages that a pure package may not import, and
// what to do instead. An entry covers the packages below it as well.
var impure = map[string]string{
	"os":        "take an io.Reader or the bytes",
	"io/ioutil": "take an io.Reader or the bytes",
	"log":       "return an error, or a Diagnostic in the result",
	"net":       "the engine never talks to the network",
	"syscall":   "belongs in internal/world/git or internal/store/index",
	"plugin":    "nothing is loaded at run time",
	"math/rand": "the same request gives the same bytes",
}

// Network is the one package that may talk to other machines, and only for a
// user who configured it and asked for it.
const Network = "internal/world/llm"

// TestServer plays a model's server for tests, on a loopback address. Nothing that is
// shipped imports it.
const TestServer = "internal/world/llm/llmtest"

// TestCommands is the package that runs commands in tests. No program imports it.
const TestCommands = "internal/front/cli/clitest"

// Borders are the packages that may ask internal/text/secrets to redact: the one
// that makes Texts, which alone may be shown, and those that keep or hand out
// bytes as they are but for their secrets.
var Borders = []string{
	"internal/text/clean",
	"internal/store/index",        // names and signatures, before they are kept
	"internal/store/state",        // notes, as they were written
	"internal/session",            // files of sessions, which stay what their agent reads
	"internal/session/recordings", // texts of sessions, raw if that is asked for
	"internal/session/snapshots",  // what is replayed to the byte
	"internal/source/files",       // show --raw
}

// secretsDir is the package whose functions Borders may call.
const secretsDir = "internal/text/secrets"

// A File is one Go file of the tree, parsed.
type File struct {
	Path string // slash-separated, relative to the root of the module
	Dir  string // the package's directory, "." for the root
	Test bool   // *_test.go
	AST  *ast.File
}

// Parse reads the Go files of the tree in path order, with their comments.
// It leaves out testdata, hidden directories and nested modules.
func Parse(tree fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(tree, name)
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, File{Path: name, Dir: path.Dir(name), Test: strings.HasSuffix(name, "_test.go"), AST: f})
		return nil
	})
	return files, err
}

func skipDir(tree fs.FS, name string) error {
	base := path.Base(name)
	if name == "." {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir // a module of its own
	}
	return nil
}

// Imports reports every import that climbs, and every pure package that
// reaches out. Test files are free to import what they need.
func Imports(files []File, layers [][]string, pure []string) []string {
	var bad []string
	for _, f := range files {
		if f.Test {
			continue
		}
		from, at := folderOf(f.Dir, layers)
		if f.AST.Name.Name == "main" {
			from, at = "", len(layers)
		} else if from == "" {
			bad = append(bad, fmt.Sprintf("%s: package %q is in no layer: add it to Layers", f.Path, f.Dir))
			continue
		}
		for _, spec := range f.AST.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				bad = append(bad, fmt.Sprintf("%s: import %s: %v", f.Path, spec.Path.Value, err))
				continue
			}
			if why := climbs(imp, from, at, layers); why != "" {
				bad = append(bad, fmt.Sprintf("%s: package %q imports %q, which %s", f.Path, f.Dir, imp, why))
			}
			if folder, _ := folderOf(f.Dir, [][]string{pure}); folder != "" {
				if why := reaches(imp); why != "" {
					bad = append(bad, fmt.Sprintf("%s: pure package %q imports %q: %s", f.Path, f.Dir, imp, why))
				}
			}
		}
	}
	return bad
}

// Families reports every family of commands, a package below cli, that imports another
// one, or that has more than 20 files. Package base has what they share.
func Families(files []File, cli string) []string {
	var bad []string
	sizes := make(map[string]int)
	for _, f := range files {
		if f.Test || !within(f.Dir, cli) || f.Dir == TestCommands {
			continue
		}
		if sizes[f.Dir]++; sizes[f.Dir] == 21 {
			bad = append(bad, fmt.Sprintf("%s: more than 20 files: split it by subject", f.Dir))
		}
		for _, spec := range f.AST.Imports {
			imp := strings.Trim(spec.Path.Value, `"`)
			if other, ok := strings.CutPrefix(imp, Module+"/"+cli+"/"); ok && f.Dir != cli && other != "base" {
				bad = append(bad, fmt.Sprintf("%s: a family of commands imports another, %s: move what both need to base", f.Path, other))
			}
		}
	}
	return bad
}

// folderOf returns the longest entry of layers that a package's directory lies in,
// or is, and the layer's number; "" if there is none.
func folderOf(dir string, layers [][]string) (folder string, level int) {
	for i, layer := range layers {
		for _, p := range layer {
			if within(dir, p) && len(p) > len(folder) {
				folder, level = p, i
			}
		}
	}
	return folder, level
}

// within reports whether a directory is a folder or lies below it. Nothing lies
// below ".", the root's package.
func within(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

// climbs says why a package of the folder and its level may not import imp, or "".
func climbs(imp, from string, at int, layers [][]string) string {
	dir, ours := ownDir(imp)
	if !ours {
		return ""
	}
	switch to, l := folderOf(dir, layers); {
	case to == "":
		return "is in no layer"
	case to != from && l >= at:
		return "is not below it"
	}
	return ""
}

// tables are modules of Unicode tables that the standard library lacks. Pure packages may
// import them.
var tables = []string{"golang.org/x/text/unicode/norm", "github.com/mattn/go-runewidth"}

// reaches says why a pure package may not import imp, or "".
func reaches(imp string) string {
	for bad, instead := range impure {
		if imp == bad || strings.HasPrefix(imp, bad+"/") {
			return instead
		}
	}
	first, _, _ := strings.Cut(imp, "/")
	if _, ours := ownDir(imp); !ours && strings.Contains(first, ".") && !slices.Contains(tables, imp) {
		return "third-party code hides under internal/"
	}
	return ""
}

// Connections reports every package but some that imports what opens
// connections. Taking addresses apart (net/url, net/netip) opens none.
func Connections(files []File, only ...string) []string {
	var bad []string
	for _, f := range files {
		if f.Test || slices.Contains(only, f.Dir) {
			continue
		}
		for _, spec := range f.AST.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if path := strings.TrimPrefix(imp, Module+"/"); (path == TestServer || path == TestCommands) && f.Dir != TestCommands {
				bad = append(bad, fmt.Sprintf("%s: package %q imports %s, which is for tests", f.Path, f.Dir, path))
			}
			if err != nil || imp == "net/url" || imp == "net/netip" || imp == "net/textproto" {
				continue
			}
			if imp == "net" || strings.HasPrefix(imp, "net/") || imp == "crypto/tls" || strings.HasPrefix(imp, "golang.org/x/net") {
				bad = append(bad, fmt.Sprintf("%s: package %q imports %q: only %s talks to the network", f.Path, f.Dir, imp, strings.Join(only, " and ")))
			}
		}
	}
	return bad
}

// Redactions reports every package but the borders that redacts by itself, where
// it could take a Text.
func Redactions(files []File, borders ...string) []string {
	var bad []string
	for _, f := range files {
		if f.Test || f.Dir == secretsDir || slices.Contains(borders, f.Dir) {
			continue
		}
		name := importedAs(f, Module+"/"+secretsDir)
		if name == "" {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && strings.HasPrefix(sel.Sel.Name, "Redact") {
				bad = append(bad, fmt.Sprintf("%s: package %q calls %s.%s: make a Text of internal/text/clean", f.Path, f.Dir, name, sel.Sel.Name))
			}
			return true
		})
	}
	return bad
}

// Renames reports every package but the one that replaces files (which may be what
// the lab or a release does) that renames some by itself: see ARCHITECTURE.md on files
// that are open. Whatever is called Rename counts, as that of an os.Root does, but for
// that package's and for the one that gives a session another id.
func Renames(files []File) []string {
	var bad []string
	for _, f := range files {
		if f.Test || f.Dir == replacesFiles || strings.HasPrefix(f.Dir, "lab") || strings.HasPrefix(f.Dir, "release") {
			continue
		}
		allowed := []string{importedAs(f, Module+"/"+replacesFiles), importedAs(f, Module+"/transcript")}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Rename" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || !slices.Contains(allowed, x.Name) {
				bad = append(bad, fmt.Sprintf("%s: package %q calls %s: use %s", f.Path, f.Dir, types.ExprString(sel), replacesFiles))
			}
			return true
		})
	}
	return bad
}

// replacesFiles is the package through which files are replaced.
const replacesFiles = "internal/world/fsx"

// importedAs is the name that a file gives to a package, or "".
func importedAs(f File, imp string) string {
	for _, spec := range f.AST.Imports {
		if spec.Path.Value != strconv.Quote(imp) {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imp)
	}
	return ""
}

// ownDir returns the directory of a package of this module.
func ownDir(imp string) (dir string, ours bool) {
	if imp == Module {
		return ".", true
	}
	return strings.CutPrefix(imp, Module+"/")
}

// Docs reports every package without a doc comment, with more than one, or with
// one that does not begin as the go command wants it.
func Docs(files []File) []string {
	type doc struct {
		name  string
		texts []string
		paths []string
	}
	packages := make(map[string]*doc)
	var dirs []string
	for _, f := range files {
		if f.Test {
			continue
		}
		p := packages[f.Dir]
		if p == nil {
			p = &doc{name: f.AST.Name.Name}
			packages[f.Dir] = p
			dirs = append(dirs, f.Dir)
		}
		if text := f.AST.Doc.Text(); text != "" {
			p.texts = append(p.texts, text)
			p.paths = append(p.paths, f.Path)
		}
	}
	slices.Sort(dirs)
	var bad []string
	for _, dir := range dirs {
		p := packages[dir]
		switch {
		case len(p.texts) == 0:
			bad = append(bad, fmt.Sprintf("%s: package %s has no doc comment: say what it is for and what it does not do", dir, p.name))
		case len(p.texts) > 1 && p.name != "main":
			bad = append(bad, fmt.Sprintf("%s: package %s has doc comments in %s: keep one", dir, p.name, strings.Join(p.paths, " and ")))
		case p.name != "main" && !strings.HasPrefix(p.texts[0], "Package "+p.name+" "):
			bad = append(bad, fmt.Sprintf("%s: the doc comment does not begin with %q", p.paths[0], "Package "+p.name))
		}
	}
	return bad
}

// Names that say nothing, for packages and as the last word of a type.
var (
	emptyPackages = []string{"util", "utils", "common", "types", "models", "helper", "helpers", "misc"}
	emptyWords    = []string{"Manager", "Helper", "Impl", "Info", "Base"}
)

// Adapter is the one package whose exported names are another program's.
const Adapter = "ctxmgr"

// Names reports packages and types whose names say nothing, and exported
// functions and methods that begin with Get.
func Names(files []File) []string {
	var bad []string
	for _, f := range files {
		if slices.Contains(emptyPackages, f.AST.Name.Name) {
			bad = append(bad, fmt.Sprintf("%s: package name %q says nothing", f.Path, f.AST.Name.Name))
		}
		if f.Test || f.Dir == Adapter {
			continue
		}
		for _, decl := range f.AST.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				rest, get := strings.CutPrefix(d.Name.Name, "Get")
				if get && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z') {
					bad = append(bad, fmt.Sprintf("%s: func %s: leave out the Get", f.Path, d.Name.Name))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					t, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					for _, w := range emptyWords {
						if strings.HasSuffix(t.Name.Name, w) {
							bad = append(bad, fmt.Sprintf("%s: type %s: %q says nothing", f.Path, t.Name.Name, w))
						}
					}
				}
			}
		}
	}
	return bad
}

// forbidden are words that mark unfinished work: finish it, or write it into
// docs/design/014-rough-edges.md with a date. They are put together here so that this file
// may hold them.
var forbidden = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}

// textFiles are the endings of the files that people wrote.
var textFiles = []string{".go", ".md", ".toml", ".yml", ".yaml", ".sh", ".mod", "Makefile", "/run"}

// Words reports the lines of hand-written files that hold a forbidden word.
// Test data is free to hold anything.
func Words(tree fs.FS) ([]string, error) {
	var bad []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := path.Base(name); base == "testdata" || base == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.ContainsFunc(textFiles, func(end string) bool { return strings.HasSuffix("/"+name, end) }) {
			return nil
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(src), "\n") {
			for _, w := range forbidden {
				if hasWord(line, w) {
					bad = append(bad, fmt.Sprintf("%s:%d: %q: finish it, or date it in docs/design/014-rough-edges.md", name, i+1, w))
				}
			}
		}
		return nil
	})
	return bad, err
}

// hasWord reports whether line holds w with no letter or digit beside it.
func hasWord(line, w string) bool {
	for from := 0; ; {
		i := strings.Index(line[from:], w)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(w)
		if (start == 0 || !wordByte(line[start-1])) && (end == len(line) || !wordByte(line[end])) {
			return true
		}
		from = end
	}
}

func wordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
