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
	if l := byBasename[lower]; l != nil {
		return l.name
	}
	for _, p := range byPrefix {
		if strings.HasPrefix(lower, p.text) {
			return p.lang.name
		}
	}
	ext := strings.TrimPrefix(path.Ext(lower), ".")
	for _, template := range [...]string{"in", "tmpl", "tpl", "template", "dist", "example", "sample", "j2", "erb"} {
		if ext == template { // config.yaml.tmpl is as good as config.yaml
			if inner := strings.TrimPrefix(path.Ext(strings.TrimSuffix(lower, "."+ext)), "."); byExtension[inner] != nil {
				ext = inner
			}
			break
		}
	}
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
	if l := byExtension[ext]; l != nil {
		return l.name
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
	if l := byProgram[strings.TrimRight(program, "0123456789.")]; l != nil {
		return l.name
	}
	return ""
}
