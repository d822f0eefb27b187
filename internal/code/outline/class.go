package outline

import (
	"bytes"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Class is what a file is for. It decides what is excluded before anything
// is ranked (vendored, lock, minified, binary; large generated files) and what
// is demoted (test, docs, generated).
type Class string

const (
	Source    Class = "source"
	Test      Class = "test"
	Config    Class = "config"
	Docs      Class = "docs"
	Data      Class = "data"
	Generated Class = "generated"
	Vendored  Class = "vendored"
	Lock      Class = "lock"
	Minified  Class = "minified"
	Binary    Class = "binary"
	Random    Class = "random" // encoded or encrypted data that is text all the same
)

// sniffed is how much of a file Classify looks at: enough for a NUL and for a
// header that says "generated" below a licence.
const sniffed = 8 << 10

// Classify returns the class of a file. name is slash-separated and relative
// to the root of the repository; lang is what [Language] said; content is the
// text or its beginning (8 KiB suffice, except that a minified file may then be
// missed), or nil if unknown; attrs are git attributes as `git check-attr`
// prints them (linguist-generated, linguist-vendored, diff, binary), or nil.
//
// Names decide by whole segments of the path: latest/ is not a test directory
// and contest.py no test. The first of these that holds wins: binary, lock,
// vendored, generated, minified, random, test, then what the language is.
func Classify(name, lang string, content []byte, attrs map[string]string) Class {
	p := split(name)
	head := content[:min(len(content), sniffed)]
	switch {
	case attrs["binary"] == "set":
		return Binary
	case bytes.IndexByte(head, 0) >= 0: // also UTF-16 without a byte order mark
		return Binary
	case binaryExt[p.ext] && !likelyText(head):
		return Binary
	case p.isLock():
		return Lock
	case attrs["linguist-vendored"] == "set" || attrs["linguist-vendored"] == "true":
		return Vendored
	case !unset(attrs["linguist-vendored"]) && p.isVendored():
		return Vendored
	case attrs["linguist-generated"] == "set" || attrs["linguist-generated"] == "true":
		return Generated
	case !unset(attrs["linguist-generated"]) && (p.isGenerated() || generatedHeader(head, lang)):
		return Generated
	case p.isMinified() || minified(lang, content):
		return Minified
	case random(content):
		return Random
	case attrs["diff"] == "unset" && kindOf(lang) != Source:
		return Data // nobody reads its changes
	case IsTest(name):
		return Test
	}
	switch k := kindOf(lang); {
	case (k == Data || k == "") && p.isConfig():
		return Config
	case k == "":
		return Data
	case lang == "html" && p.within(docsDirs):
		return Docs
	default:
		return k
	}
}

func unset(v string) bool { return v == "unset" || v == "false" }

// A location is a path in pieces, lower-cased.
type location struct {
	dirs []string
	base string
	stem string // base without its last extension
	ext  string // without the dot
	raw  string // base as written
	dir  string // directories as written
}

func split(name string) location {
	lower := strings.ToLower(name)
	segments := strings.Split(strings.Trim(lower, "/"), "/")
	base := segments[len(segments)-1]
	dot := path.Ext(base)
	return location{
		dirs: segments[:len(segments)-1],
		base: base,
		stem: strings.TrimSuffix(base, dot),
		ext:  strings.TrimPrefix(dot, "."),
		raw:  path.Base(name),
		dir:  path.Dir(name),
	}
}

// within reports whether one of the directories is in the set.
func (p location) within(set map[string]bool) bool {
	return slices.ContainsFunc(p.dirs, func(d string) bool { return set[d] })
}

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	testDirs = setOf("test tests testing testdata __tests__ spec specs __mocks__ __snapshots__ fixture fixtures e2e it benches bench benchmark benchmarks")

	// vendorDirs hold other people's code. They count wherever they stand, since
	// a vendored tree is often nested.
	vendorDirs = setOf("vendor vendored _vendor third_party third-party thirdparty 3rdparty node_modules bower_components jspm_packages " +
		".cache site-packages .venv venv .tox .yarn .bundle .gradle .m2 __pycache__ .pnpm .nox .eggs")

	// vendorNames are such directories too, but in lower case are anyone's.
	vendorNames = setOf("Pods Carthage Godeps")

	lockFiles = setOf("package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock cargo.lock " +
		"gemfile.lock poetry.lock pipfile.lock uv.lock pdm.lock composer.lock go.sum go.work.sum mix.lock pubspec.lock podfile.lock " +
		"package.resolved flake.lock gradle.lockfile packages.lock.json .terraform.lock.hcl buf.lock cartfile.resolved " +
		"conda-lock.yml pixi.lock rebar.lock stack.yaml.lock cabal.project.freeze paket.lock shard.lock manifest.toml.lock")

	// secondaryDirs hold what supports the product without being it.
	secondaryDirs = setOf("docs doc examples example samples sample demos demo tutorial tutorials website playground playgrounds " +
		"scripts script tools tool contrib vendor third_party node_modules dist build single_include singleheader generated gen " +
		"asv_bench ci .github .ci .gitlab .circleci legacy deprecated migrations templates template")

	recordedExt  = setOf("csv tsv psv jsonl ndjson geojson har svg map snap snapshot ambr storyshot lock lockfile")
	snapshotDirs = setOf("__snapshots__ __image_snapshots__")

	docsDirs   = setOf("docs doc documentation website site")
	configDirs = setOf(".github .gitlab .circleci .vscode .idea .devcontainer .husky config configs configuration")

	binaryExt = setOf("png jpg jpeg gif bmp ico icns tif tiff webp avif heic psd ai eps pdf ps mp3 mp4 m4a m4v wav ogg oga ogv flac aac avi mov mkv webm " +
		"woff woff2 ttf otf eot zip gz tgz bz2 xz zst lz4 7z rar tar jar war ear class so dylib dll exe o a obj lib bin dat pyc pyo pyd whl egg " +
		"db sqlite sqlite3 mdb parquet arrow feather orc avro npy npz pickle pt pth onnx safetensors gguf h5 hdf5 wasm swf keystore jks p12 pfx der " +
		"doc docx xls xlsx ppt pptx odt ods odp dmg iso img apk ipa deb rpm nupkg mo glb fbx blend stl bc pdb snap.gz dcm")
)

// IsTest reports whether a path is a test, a benchmark, or their data, by whole
// segments: a directory such as tests/, testdata/, commonTest/ or Core.Tests/, or a
// name such as test_x.py, x_test.go, x.spec.ts, XTest.java, conftest.py. A source directory
// that happens to be called testing/ counts as tests too: the rest of the
// world, which names what is under test, cannot tell it apart either, and tests
// are demoted, not excluded.
func IsTest(name string) bool {
	p := split(name)
	if p.within(testDirs) || testDirs[p.base] || slices.ContainsFunc(strings.Split(p.dir, "/"), endsInTests) {
		return true
	}
	stem, raw := p.stem, p.raw
	if i := strings.LastIndexByte(raw, '.'); i > 0 {
		raw = raw[:i]
	}
	if l := byExtension[p.ext]; l != nil && l.tests != nil && l.tests(stem, raw) {
		return true
	}
	switch p.ext {
	case "bats", "t", "snap", "golden": // the last two are expected output
		return true
	}
	return false
}

// endsInTests reports whether the last word of a directory's name is test or tests.
func endsInTests(dir string) bool {
	dir = strings.TrimSuffix(dir, "s")
	before, upper := strings.CutSuffix(dir, "Test")
	if !upper {
		before, _ = strings.CutSuffix(dir, "test")
	}
	if before == dir || before == "" {
		return false
	}
	c := before[len(before)-1]
	return c == '.' || c == '-' || c == '_' || upper && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9')
}

// Secondary reports whether a path lies in a directory of documentation,
// examples, scripts, tools, templates, legacy or built code. Such files are
// seldom what a task changes; ranking weighs it, nothing excludes by it.
func Secondary(name string) bool {
	p := split(name)
	return p.within(secondaryDirs) || secondaryDirs[p.base]
}

// Recorded reports whether a path belongs to a table, a drawing, a source map, a
// snapshot or a lock file: lines that programs write and people do not read one by
// one, in whatever folder they are.
func Recorded(name string) bool {
	p := split(name)
	return recordedExt[p.ext] || p.within(snapshotDirs)
}

func (p location) isLock() bool {
	return lockFiles[p.base] || strings.HasSuffix(p.base, ".lockb") || p.base == "gradle.lockfile"
}

func (p location) isVendored() bool {
	if p.within(vendorDirs) {
		return true
	}
	for _, d := range strings.Split(p.dir, "/") {
		if vendorNames[d] {
			return true
		}
	}
	switch p.base {
	case "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", ".pnp.cjs", ".pnp.js", ".pnp.loader.mjs":
		return true
	}
	return false
}

func (p location) isConfig() bool {
	return p.within(configDirs) || strings.HasPrefix(p.base, ".") || strings.Contains(p.stem, "config") || strings.HasSuffix(p.base, "rc")
}

// isGenerated judges by names that only generators give.
func (p location) isGenerated() bool {
	return strings.HasPrefix(p.base, "zz_generated.") || slices.ContainsFunc(generatedNames, func(s string) bool { return strings.HasSuffix(p.base, s) })
}

// generatedNames leaves out what people call their own files too, such as
// _gen.go and _string.go: there the header tells.
var generatedNames = []string{
	".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h", "_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb.js", "_pb.d.ts", "_pb.ts", ".pb.ts",
	".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", ".g.i.cs", ".generated.cs", ".generated.ts", ".generated.tsx", ".generated.js",
	".generated.go", ".gen.go", ".gen.ts", ".gen.rs", "_generated.go", "_generated.rs", "_easyjson.go",
	".js.map", ".css.map", ".mjs.map", ".cjs.map", ".d.ts.map",
}

// generatedHeader looks for a generator's mark in the comments at the top.
func generatedHeader(head []byte, lang string) bool {
	if !slices.ContainsFunc(markWords[:], func(w string) bool { return bytes.Contains(head, []byte(w)) }) {
		return false
	}
	n := 0
	for line := range bytes.Lines(head) {
		if n++; n > 60 {
			return false
		}
		text := bytes.TrimSpace(line)
		if len(text) == 0 {
			continue
		}
		if !commentLine(text) {
			// A statement ends the header, but for what may precede the mark.
			if lang == "go" && !bytes.HasPrefix(text, []byte("package ")) || n > 20 {
				return false
			}
			continue
		}
		if lang == "go" && !goMark(text) {
			continue
		}
		if marked(text) {
			return true
		}
	}
	return false
}

// markWords are parts of words of which every mark holds one.
var markWords = [...]string{"enerated", "ENERATED", "o not edit", "O NOT EDIT", "malgamat", "merged from"}

func commentLine(text []byte) bool {
	switch text[0] {
	case '#', '*', ';', '%', '\'', '{':
		return true
	case '/', '-', '<', '(', '"':
		return len(text) > 1 && (text[1] == '/' || text[1] == '*' || text[1] == '-' || text[1] == '!' || text[1] == '"')
	}
	return bytes.HasPrefix(text, []byte("REM ")) || bytes.HasPrefix(text, []byte("dnl "))
}

// goMark reports whether a comment may be the mark that Go's tools look for,
// which begins a line. Prose about generators is common in Go.
func goMark(text []byte) bool {
	text = bytes.ToLower(bytes.TrimLeft(text, "/* \t"))
	marks := []string{"code generated", "@generated", "generated by", "this file", "autogenerated", "auto-generated", "automatically generated"}
	return slices.ContainsFunc(marks, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) })
}

// marked reports whether a comment line says that its file was generated.
func marked(text []byte) bool {
	if bytes.Contains(text, []byte("@generated")) && !bytes.Contains(text, []byte("@generated by hand")) {
		return true
	}
	lower := bytes.ToLower(text)
	edit := bytes.Contains(lower, []byte("do not edit")) || bytes.Contains(lower, []byte("do not modify")) || bytes.Contains(lower, []byte("don't edit")) || bytes.Contains(lower, []byte("not be edited"))
	generated := bytes.Contains(lower, []byte("generated")) || bytes.Contains(lower, []byte("merged from")) || bytes.Contains(lower, []byte("amalgamat"))
	switch {
	case generated && edit:
		return true
	case bytes.Contains(lower, []byte("this file is an amalgamation")), bytes.Contains(lower, []byte("this file has been merged from")):
		return true // many sources in one header, as SQLite and Catch2 ship them
	case bytes.Contains(lower, []byte("code generated by")), bytes.Contains(lower, []byte("autogenerated by")),
		bytes.Contains(lower, []byte("auto-generated by")), bytes.Contains(lower, []byte("automatically generated by")),
		bytes.Contains(lower, []byte("this file is generated")), bytes.Contains(lower, []byte("this file was generated")),
		bytes.Contains(lower, []byte("this file is auto-generated")), bytes.Contains(lower, []byte("this file is autogenerated")),
		bytes.Contains(lower, []byte("this file was automatically generated")), bytes.Contains(lower, []byte("this file is automatically generated")),
		bytes.Contains(lower, []byte("this code was generated")), bytes.Contains(lower, []byte("generated by the protocol buffer compiler")):
		return true
	}
	return false
}

func (p location) isMinified() bool {
	if p.ext != "js" && p.ext != "css" && p.ext != "mjs" && p.ext != "cjs" {
		return false
	}
	return strings.HasSuffix(p.stem, ".min") || strings.HasSuffix(p.stem, "-min") || strings.HasSuffix(p.stem, ".bundle") && p.within(setOf("dist build public static assets"))
}

// Minified code has lines that nobody wrote: on average longer than any style
// guide allows, and hardly a blank in them. Measured on jQuery, d3, bootstrap
// and three.js: 300 to 90,000 bytes a line minified, 25 to 45 as written.
const (
	minifiedAverage = 250  // bytes per line
	minifiedLeast   = 1024 // bytes; a shorter file is not worth the judgement
)

func minified(lang string, content []byte) bool {
	switch lang {
	case "javascript", "typescript", "css", "html":
	default:
		return false
	}
	if len(content) < minifiedLeast {
		return false
	}
	lines := bytes.Count(content, []byte{'\n'}) + 1
	if len(content)/lines < minifiedAverage {
		return false
	}
	blanks := bytes.Count(content, []byte{' '}) + bytes.Count(content, []byte{'\t'})
	return lang != "html" && blanks*8 < len(content) || len(content)/lines > 20*minifiedAverage
}

// likelyText reports whether a file with a binary's name is text after all,
// such as a list called x.dat. Without content the name decides.
func likelyText(head []byte) bool {
	if len(head) == 0 {
		return false
	}
	odd := 0
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' || c >= 0x80 {
			odd++
		}
	}
	return odd*20 < len(head) && !bytes.HasPrefix(head, []byte("%PDF")) && !bytes.HasPrefix(head, []byte("%!PS"))
}

// kindOf returns the class of ordinary files of a language; "" if unknown.
func kindOf(lang string) Class {
	if lang == "" {
		return ""
	}
	if l := byName[lang]; l != nil && l.kind != "" {
		return l.kind
	}
	return Source
}

// readme is how much of a README [DeclaresVendored] reads: who keeps other
// people's code in a folder says so at its top.
const readme = 1 << 10

var vendoredHere = lazy.Regexp(`(?i)\bvendored (copy|copies|fork|from|here|into|subset|version)\b|\b(we|which|that) vendor (in|into|here|from)\b|\bwe vendor (these|this)\b`)

// DeclaresVendored reports whether a file is the README of a folder, the root
// aside, and says in its first lines that what lies there was vendored. Some
// projects keep other people's code in a folder that no rule knows by its name,
// such as packages/, and mark it only so. content is the text or its beginning.
func DeclaresVendored(name string, content []byte) bool {
	dir, base := path.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	if dir == "" || !strings.EqualFold(stem, "readme") {
		return false
	}
	return vendoredHere().Match(bytes.Join(bytes.Fields(content[:min(len(content), readme)]), []byte(" ")))
}

// Random data is found by the entropy of blocks, each on its own: a test with a
// key in base64 among its lines is source, a file that is all base64 is not.
//
// In blocks of 4 KiB, base64 has 5.97 to 5.99 bits a byte and ascii85 6.3, minified
// JavaScript 5.1 to 5.6, prose and code 4.2 to 5.1, JSON full of hashes 4.3 to 5.2.
// Hexadecimal digits (4.0) cannot be told from code by it. Bytes above 0x7f are no
// sign: Chinese in UTF-8 has 5.5 to 6.6; blocks that hold many of them do not count.
const (
	randomBlock = 4 << 10
	randomLeast = 16 << 10 // a smaller file costs little, and may be what a test is about
	randomBits  = 5.85
	randomShare = 0.9 // of the blocks
	randomASCII = 0.95
)

// random reports whether nearly all of a text is encoded or encrypted data.
func random(content []byte) bool {
	if len(content) < randomLeast {
		return false
	}
	blocks, high := 0, 0
	for from := 0; from+randomBlock <= len(content); from += randomBlock {
		blocks++
		if highEntropy(content[from : from+randomBlock]) {
			high++
		} else if float64(blocks-high) > (1-randomShare)*float64(len(content)/randomBlock) {
			return false // so most files take one block
		}
	}
	return blocks > 0 && float64(high) >= randomShare*float64(blocks)
}

// highEntropy reports whether a block of a text is random.
func highEntropy(block []byte) bool {
	var counts [256]int
	n := 0
	for _, c := range block {
		if c != '\n' && c != '\r' && c != ' ' { // ends of lines say nothing
			counts[c]++
			n++
		}
	}
	ascii := 0
	for _, k := range counts[:0x80] {
		ascii += k
	}
	if n < randomBlock/2 || float64(ascii) < randomASCII*float64(n) {
		return false
	}
	bits := 0.0
	for _, k := range counts {
		if k > 0 {
			p := float64(k) / float64(n)
			bits -= p * math.Log2(p)
		}
	}
	return bits >= randomBits
}
