package outline

import (
	"bytes"
	"path"
	"strings"
)

// Language returns the language of a file by its name and, where that leaves a
// choice, by the first bytes of its text; "" if unknown. head may be short or
// empty; 1 KiB is plenty.
func Language(name string, head []byte) string {
	base := path.Base(name)
	lower := strings.ToLower(base)
	if lang, ok := languageByBase[lower]; ok {
		return lang
	}
	for _, p := range languageByPrefix {
		if strings.HasPrefix(lower, p.prefix) {
			return p.lang
		}
	}
	ext := strings.TrimPrefix(path.Ext(lower), ".")
	for _, template := range [...]string{"in", "tmpl", "tpl", "template", "dist", "example", "sample", "j2", "erb"} {
		if ext == template { // config.yaml.tmpl is as good as config.yaml
			if inner := strings.TrimPrefix(path.Ext(strings.TrimSuffix(lower, "."+ext)), "."); languageByExt[inner] != "" {
				ext = inner
			}
			break
		}
	}
	lang := languageByExt[ext]
	switch ext {
	case "h":
		if cppHeader(head) {
			return "cpp"
		}
		if bytes.Contains(head, []byte("@interface")) || bytes.Contains(head, []byte("#import ")) {
			return "objc"
		}
	case "inc":
		if len(head) > 0 && !bytes.Contains(head, []byte("<?")) {
			return "cpp"
		}
	case "v":
		if bytes.Contains(head, []byte("endmodule")) || bytes.Contains(head, []byte("`timescale")) || bytes.HasPrefix(head, []byte("module ")) && bytes.Contains(head, []byte(");")) {
			return "verilog"
		}
	case "m":
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("%")) || bytes.HasPrefix(head, []byte("function ")) {
			return "matlab"
		}
	case "ts":
		if bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")) { // Qt's translations
			return "xml"
		}
	}
	if lang != "" {
		return lang
	}
	return shebang(head)
}

// cppHeader reports whether the beginning of a .h file is C++.
func cppHeader(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case bytes.HasPrefix(line, []byte("namespace ")), bytes.HasPrefix(line, []byte("template")),
			bytes.HasPrefix(line, []byte("class ")), bytes.HasPrefix(line, []byte("using ")),
			bytes.HasPrefix(line, []byte("public:")), bytes.HasPrefix(line, []byte("private:")),
			bytes.HasPrefix(line, []byte("inline namespace")), bytes.HasPrefix(line, []byte("constexpr ")):
			return true
		case bytes.HasPrefix(line, []byte("#include <")):
			// <vector> is C++, <stdio.h> may be either
			name, _, ok := bytes.Cut(line[len("#include <"):], []byte(">"))
			if ok && !bytes.Contains(name, []byte(".")) {
				return true
			}
		}
	}
	return false
}

// shebang returns the language of a script by its first line.
func shebang(head []byte) string {
	if !bytes.HasPrefix(head, []byte("#!")) {
		if bytes.HasPrefix(head, []byte("<?php")) {
			return "php"
		}
		return ""
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	words := strings.Fields(string(line[2:]))
	if len(words) == 0 {
		return ""
	}
	program := path.Base(words[0])
	if program == "env" {
		program = ""
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
				program = path.Base(w)
				break
			}
		}
	}
	program = strings.TrimRight(program, "0123456789.")
	return languageByProgram[program]
}

var languageByProgram = map[string]string{
	"sh": "bash", "bash": "bash", "dash": "bash", "ksh": "bash", "zsh": "bash", "ash": "bash",
	"python": "python", "pypy": "python", "node": "javascript", "nodejs": "javascript", "deno": "typescript",
	"bun": "typescript", "ts-node": "typescript", "tsx": "typescript",
	"ruby": "ruby", "jruby": "ruby", "php": "php", "perl": "perl", "lua": "lua", "luajit": "lua", "tclsh": "tcl", "wish": "tcl",
	"awk": "awk", "gawk": "awk", "mawk": "awk", "sed": "sed", "make": "make", "fish": "fish", "Rscript": "r",
	"swift": "swift", "scala": "scala", "kotlin": "kotlin", "groovy": "groovy", "elixir": "elixir", "escript": "erlang",
	"runhaskell": "haskell", "julia": "julia", "pwsh": "powershell", "nix-shell": "nix", "osascript": "applescript",
}

var languageByBase = map[string]string{
	"makefile": "make", "gnumakefile": "make", "bsdmakefile": "make", "kbuild": "make",
	"dockerfile": "dockerfile", "containerfile": "dockerfile",
	"cmakelists.txt": "cmake", "meson.build": "meson", "meson_options.txt": "meson", "justfile": "just",
	"build": "starlark", "build.bazel": "starlark", "workspace": "starlark", "workspace.bazel": "starlark", "module.bazel": "starlark", "buck": "starlark", "tiltfile": "starlark",
	"sconstruct": "python", "sconscript": "python", "wscript": "python",
	"rakefile": "ruby", "gemfile": "ruby", "podfile": "ruby", "vagrantfile": "ruby", "guardfile": "ruby", "capfile": "ruby", "fastfile": "ruby", "brewfile": "ruby", "dangerfile": "ruby",
	"jenkinsfile": "groovy", "procfile": "yaml",
	"go.mod": "gomod", "go.work": "gomod", "go.sum": "text",
	".bashrc": "bash", ".bash_profile": "bash", ".profile": "bash", ".zshrc": "bash", ".envrc": "bash", "configure": "bash", "gradlew": "bash", "mvnw": "bash",
	".gitignore": "ignore", ".dockerignore": "ignore", ".npmignore": "ignore", ".eslintignore": "ignore", ".prettierignore": "ignore",
	".gitattributes": "ini", ".gitmodules": "ini", ".gitconfig": "ini", ".editorconfig": "ini", ".npmrc": "ini", ".flake8": "ini", ".pylintrc": "ini", ".coveragerc": "ini",
	".eslintrc": "json", ".babelrc": "json", ".prettierrc": "json", "composer.lock": "json", "pipfile.lock": "json", "flake.lock": "json",
	"cargo.lock": "toml", "poetry.lock": "toml", "uv.lock": "toml", "pdm.lock": "toml", "pipfile": "toml",
	"yarn.lock": "yaml", "pubspec.lock": "yaml", "podfile.lock": "yaml", ".clang-format": "yaml", ".clang-tidy": "yaml",
	"readme": "text", "license": "text", "copying": "text", "notice": "text", "authors": "text", "contributors": "text", "changelog": "text", "changes": "text", "news": "text", "todo": "text", "install": "text", "codeowners": "text", "owners": "text", "maintainers": "text", "thanks": "text", "version": "text",
}

var languageByPrefix = []struct{ prefix, lang string }{
	{"dockerfile.", "dockerfile"}, {"makefile.", "make"}, {"readme.txt", "text"}, {"license-", "text"}, {"license.", "text"}, {".env", "dotenv"},
}

var languageByExt = map[string]string{
	"go": "go",
	"py": "python", "pyi": "python", "pyw": "python", "pyx": "cython", "pxd": "cython", "pxi": "cython", "bzl": "starlark", "star": "starlark", "ipynb": "json",
	"js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "es6": "javascript", "jsm": "javascript",
	"ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
	"vue": "vue", "svelte": "svelte", "astro": "astro",
	"rs": "rust", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "sc": "scala", "sbt": "scala",
	"groovy": "groovy", "gradle": "groovy", "gvy": "groovy",
	"c": "c", "h": "c", "y": "c", "l": "c", "idc": "c",
	"cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp", "h++": "cpp", "inl": "cpp", "ipp": "cpp", "tpp": "cpp", "tcc": "cpp", "cu": "cpp", "cuh": "cpp", "ino": "cpp", "yy": "cpp", "ll": "asm",
	"m": "objc", "mm": "objc", "metal": "cpp", "glsl": "glsl", "vert": "glsl", "frag": "glsl", "comp": "glsl", "hlsl": "glsl", "wgsl": "rustlike",
	"cs": "csharp", "csx": "csharp", "fs": "fsharp", "fsx": "fsharp", "fsi": "fsharp", "vb": "vb", "razor": "razor", "cshtml": "razor", "xaml": "xml",
	"rb": "ruby", "rake": "ruby", "gemspec": "ruby", "ru": "ruby", "podspec": "ruby", "jbuilder": "ruby",
	"php": "php", "phtml": "php", "php5": "php", "inc": "php",
	"sh": "bash", "bash": "bash", "zsh": "bash", "ksh": "bash", "bats": "bash", "ebuild": "bash", "fish": "fish",
	"ps1": "powershell", "psm1": "powershell", "psd1": "powershell", "bat": "batch", "cmd": "batch",
	"swift": "swift", "dart": "dart", "zig": "zig", "nim": "nim", "v": "v", "d": "d", "cr": "crystal", "odin": "odin", "jai": "odin", "sol": "solidity", "move": "rustlike", "cairo": "rustlike", "mojo": "python",
	"lua": "lua", "luau": "lua", "pl": "perl", "pm": "perl", "t": "perl", "raku": "perl", "tcl": "tcl", "r": "r", "jl": "julia",
	"ex": "elixir", "exs": "elixir", "erl": "erlang", "hrl": "erlang", "hs": "haskell", "lhs": "haskell", "elm": "elm", "purs": "haskell", "ml": "ocaml", "mli": "ocaml", "re": "ocaml",
	"clj": "clojure", "cljs": "clojure", "cljc": "clojure", "edn": "clojure", "el": "lisp", "lisp": "lisp", "lsp": "lisp", "scm": "lisp", "rkt": "lisp", "jq": "jq",
	"sql": "sql", "psql": "sql", "ddl": "sql", "prisma": "prisma", "proto": "proto", "thrift": "thrift", "graphql": "graphql", "gql": "graphql", "graphqls": "graphql", "fbs": "thrift", "capnp": "thrift", "avdl": "thrift", "smithy": "thrift",
	"tf": "hcl", "tfvars": "hcl", "hcl": "hcl", "nomad": "hcl", "nix": "nix", "bicep": "bicep", "cue": "cue", "rego": "rego", "dhall": "dhall", "jsonnet": "jsonnet", "libsonnet": "jsonnet",
	"mk": "make", "mak": "make", "cmake": "cmake", "dockerfile": "dockerfile", "just": "just", "ninja": "make", "bazel": "starlark",
	"css": "css", "scss": "css", "sass": "css", "less": "css", "styl": "css", "pcss": "css",
	"html": "html", "htm": "html", "xhtml": "html", "hbs": "html", "handlebars": "html", "mustache": "html", "ejs": "html", "jinja": "html", "jinja2": "html", "liquid": "html", "twig": "html", "erb": "html", "haml": "html", "pug": "html", "gohtml": "html", "tmpl": "html", "tpl": "html", "heex": "html",
	"xml": "xml", "xsd": "xml", "xsl": "xml", "xslt": "xml", "wsdl": "xml", "plist": "xml", "csproj": "xml", "fsproj": "xml", "vbproj": "xml", "props": "xml", "targets": "xml", "resx": "xml", "svg": "svg", "pom": "xml", "nuspec": "xml", "storyboard": "xml", "xib": "xml",
	"md": "markdown", "markdown": "markdown", "mdx": "markdown", "mdc": "markdown", "rmd": "markdown", "qmd": "markdown", "rst": "rst", "rest": "rst", "adoc": "asciidoc", "asciidoc": "asciidoc", "org": "org", "tex": "latex", "sty": "latex", "txt": "text", "text": "text", "log": "text", "pod": "text", "texi": "text", "man": "text", "1": "text", "3": "text", "5": "text", "7": "text", "8": "text",
	"json": "json", "json5": "json", "jsonc": "json", "webmanifest": "json", "geojson": "json", "jsonl": "jsonl", "ndjson": "jsonl", "har": "json", "map": "json", "tfstate": "json", "avsc": "json",
	"yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "ini", "desktop": "ini", "service": "ini", "env": "dotenv",
	"csv": "csv", "tsv": "csv", "psv": "csv", "diff": "diff", "patch": "diff", "po": "po", "pot": "po", "asm": "asm", "s": "asm", "vim": "vim", "f": "fortran", "f90": "fortran", "f95": "fortran", "for": "fortran", "pas": "pascal", "ada": "ada", "adb": "ada", "ads": "ada", "vhd": "vhdl", "vhdl": "vhdl", "sv": "verilog", "svh": "verilog", "coffee": "coffee", "gd": "gdscript", "hx": "haxe", "awk": "awk", "ld": "text", "lock": "text",
	"cob": "cobol", "cbl": "cobol", "abap": "abap", "pkl": "pkl", "wat": "lisp", "wit": "rustlike", "pest": "text", "snap": "text", "golden": "text", "txtar": "text",
}
