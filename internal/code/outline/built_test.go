package outline_test

import (
	"testing"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

func TestBuilt(t *testing.T) {
	const esModule = "\"use strict\";\nObject.defineProperty(exports, \"__esModule\", { value: true });\n"
	for _, tt := range []struct {
		why, name, lang, text string
		want                  bool
	}{
		{"a script beside dist", "src/a.js", "javascript", esModule, false},
		{"a bundle", "dist/app.js", "javascript", "x()\n", true},
		{"one of a package", "packages/a/dist/app.js", "javascript", "x()\n", true},
		{"declarations", "dist/app.d.ts", "typescript", "export declare const a: 1\n", true},
		{"TypeScript is source", "dist/app.ts", "typescript", "export const a: number = 1\n", false},
		{"a script that is run", "dist/publish.js", "javascript", "#!/usr/bin/env node\nconsole.log(1)\n", false},
		{"a compiled one that is run", "dist/cli.js", "javascript", "#!/usr/bin/env node\n" + esModule, true},
		{"a script over the source", "dist/check.js", "javascript", "const a = require('../src/a')\n", false},
		{"other languages in dist are source", "dist/main.go", "go", "package dist\n", false},
		{"a page of a bundler", "build/static/js/main.3f9c2a1b.js", "javascript", "x()\n", true},
		{"a chunk", "build/static/js/2.3f9c2a1b.chunk.js", "javascript", "x()\n", true},
		{"a source map", "build/app.js.map", "json", "{}\n", true},
		{"compiled into build", "build/index.js", "javascript", esModule, true},
		{"a source map is named", "build/index.js", "javascript", "let a = 1\n//# sourceMappingURL=index.js.map\n", true},
		{"a configuration that builds", "build/webpack.config.js", "javascript", "const path = require('path')\nmodule.exports = { entry: './src' }\n", false},
		{"a script that builds", "build/build.sh", "bash", "#!/bin/sh\nmake\n", false},
		{"a plugin that names a mark in a string", "build/plugin.js", "javascript", "const a = 1\nif (code.endsWith('//# sourceMappingURL=')) a()\n", false},
		{"build in Python", "build/setup.py", "python", "import os\n", false},
		{"generated pages", "build/html/index.html", "html", "<html><head><meta name=\"generator\" content=\"Docutils\" />\n", true},
		{"a page in build", "build/index.html", "html", "<html><body>hello\n", true},
		{"a page in dist", "docs/.vitepress/dist/faq.html", "html", "<html><body>hello\n", true},
		{"text in dist", "dist/notes.txt", "text", "hello\n", true},
		{"a build log", "benchmark/build/link.txt", "text", "ld -o parse\n", true},
		{"a page elsewhere", "docs/index.html", "html", "<html><body>hello\n", false},
		{"a guide to the build", "build/README.md", "markdown", "# Build\n", false},
		{"a guide as text", "dist/README.txt", "text", "hello\n", false},
		{"inputs of a build", "build/requirements.txt", "text", "flask\n", false},
		{"a script of CMake", "build/CMakeLists.txt", "cmake", "project(a)\n", false},
		{"a template", "build/page.html.tmpl", "html", "{{.}}\n", false},
		{"a file called build", "build", "bash", esModule, false},
		{"nothing", "dist/empty.js", "javascript", "", true},
		{"a folder in capitals", "Build/index.js", "javascript", esModule, true},
	} {
		if got := outline.Built(tt.name, tt.lang, []byte(tt.text)); got != tt.want {
			t.Errorf("%s: Built(%q) = %v, want %v", tt.why, tt.name, got, tt.want)
		}
	}
}
