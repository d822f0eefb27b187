package licence

import (
	"strings"
	"testing"
)

const apache = ` Copyright (C) 2011 Example Inc.

 Licensed under the Apache License, Version 2.0 (the "License");
 you may not use this file except in compliance with the License.
 You may obtain a copy of the License at

     http://www.apache.org/licenses/LICENSE-2.0

 Unless required by applicable law or agreed to in writing, software
 distributed under the License is distributed on an "AS IS" BASIS,
 WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
`

const isc = ` Copyright (c) 2007 A. Author <a@example.com>

 Permission to use, copy, modify, and distribute this software for any
 purpose with or without fee is hereby granted, provided that the above
 copyright notice and this permission notice appear in all copies.

 THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 WITH REGARD TO THIS SOFTWARE.
`

const bsd = ` Copyright 2009, The Authors
 All rights reserved.

 Redistribution and use in source and binary forms, with or without
 modification, are permitted provided that the following conditions are met:

 1. The name of the authors may not be used to endorse products.

 2. Redistributions in binary form must reproduce the above copyright notice.
`

// marked puts a sign before each line of a text.
func marked(sign, text string) string {
	return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
}

func block(text string) string { return "/*\n" + marked(" *", text) + " */\n" }

func TestLines(t *testing.T) {
	for _, tc := range []struct{ name, licence, rest string }{
		{"block", block(apache), "package a\n"},
		{"block and a blank line", block(apache) + "\n", "package a\n"},
		{"lines", marked("//", apache), "package a\n"},
		{"signs", marked("#", isc) + "\n", "import os\n"},
		{"clauses without the words", marked("#", bsd), "import os\n"},
		{"two lines", "// Copyright (c) Example\n// SPDX-License-Identifier: MIT\n\n", "package a\n"},
		{"a package comment follows", "// Copyright 2009 The Authors. All rights reserved.\n\n", "// Package a does things.\npackage a\n"},
		{"more paragraphs of one comment", marked("#", isc) + "#\n", "# This module does things.\nimport os\n"},
		{"two comments", "// Copyright 2009 The Authors.\n\n" + block(apache), "package a\n"},
		{"a docstring follows", marked("#", apache), "\"\"\"Does things.\"\"\"\n"},
		{"script", "#!/bin/sh\n" + marked("#", apache), "set -e\n"},
		{"php", "<?php\n\n/*\n * This file is part of the package.\n *\n * (c) A. Author <a@example.com>\n *\n * For the full copyright and license information, view the LICENSE\n */\n\n", "namespace A;\n"},
		{"keyword of version control", "/*\t$Id: a.c,v 1.3 2001/02/03 a Exp $ */\n\n" + block(isc), "#include <a.h>\n"},
		{"project in large letters", "/*****\n * _ | |\n *  Project\n *\n" + marked(" *", isc) + " *****/\n", "int a;\n"},
		{"the package comment goes on", "// Copyright 2009 The Authors\n", "// Package a does things.\npackage a\n"},
		{"a directive follows", "// Copyright 2009 The Authors. All rights reserved.\n", "//go:build linux\n"},
		{"a directive behind a licence", "// Copyright 2009 The Authors.\n// Use is governed by a license\n// that stands beside it.\n", "//go:build linux\n"},
		{"the end of a sentence", "// Copyright 2009 A\n//\n// Use it as the licence\n// lets you.\n", "// Package a does things.\npackage a\n"},
		{"an address at the end", "/*\n * Copyright 2009 A\n *\n * You can redistribute it.\n *\n * You have a copy of the License; if not, write to the\n * Foundation, Inc., Some Street\n */\n", "int a;\n"},
		{"lines of code behind it", "# Copyright 2009 A\n", "#include \"copyright.h\"\n"},
		{"markup", "<!--\n" + apache + "-->\n", "<project/>\n"},
		{"SQL", marked("--", isc), "SELECT 1;\n"},

		{"none", "", "package a\n"},
		{"a comment of another kind", "", "// Package a reads files.\npackage a\n"},
		{"package about licences", "", "// Package license knows what licenses ask for.\npackage license\n"},
		{"described in the same block", "", "/**\n * @file a.c\n * @brief does many things with files\n *\n * @copyright 2009 The Authors\n */\nint a;\n"},
		{"description behind it in the same block", "", "/*\n * Copyright 2009 The Authors\n *\n * Does many things with files.\n */\nint a;\n"},
		{"guards", "", "#ifndef COPYRIGHT_BANNER_H\n#define COPYRIGHT_BANNER_H\n#include \"banner.h\"\n#define MAX_WALRUS 12\n\nint other(void);\n"},
		{"attributes", "", "#![doc = \"copyright\"]\n#[derive(Copyright)]\nstruct A;\n"},
		{"rules of a style sheet", "", "#copyright { color: red }\n\na { color: red }\n"},
		{"variables of a style sheet", "", "--copyright: 1;\n\nx\n"},
		{"a description in the same block and paragraph", "", "/*\n * Copyright 2009 The Authors\n * Walks a tree.\n */\nint a;\n"},
		{"code behind it", "", "/* (c) 2009 The Authors */ int a;\n"},
		{"below code", "", "package a\n\n// Copyright 2009 The Authors\n"},
		{"nothing else", "", block(apache)},
		{"without an end", "", "/*\n * Copyright 2009 The Authors\n"},
		{"empty", "", ""},
	} {
		if got, want := Lines(tc.licence+tc.rest), strings.Count(tc.licence, "\n"); got != want {
			t.Errorf("%s: %d lines, want %d", tc.name, got, want)
		}
		crlf := strings.ReplaceAll(tc.licence+tc.rest, "\n", "\r\n")
		if got, want := Lines(crlf), strings.Count(tc.licence, "\n"); got != want {
			t.Errorf("%s with CRLF: %d lines, want %d", tc.name, got, want)
		}
	}
}

func TestMeant(t *testing.T) {
	for text, want := range map[string]bool{"add SPDX headers": true, "the Licence of a file": true, "bump copyright years": true, "login times out": false, "": false} {
		if got := Meant(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What is taken away is comments that say something of rights, and something stays.
func FuzzLines(f *testing.F) {
	f.Add(block(apache) + "package a\n")
	f.Add("#!/bin/sh\n" + marked("#", bsd) + "#\n# more\n")
	f.Add("/* $Id$ */\n/* (c) me */ int a;\n/*\n")
	f.Fuzz(func(t *testing.T, text string) {
		n := Lines(text)
		if n == 0 {
			return
		}
		lines := strings.Split(text, "\n")
		if n < 0 || n >= len(lines) || n > Longest {
			t.Fatalf("%d of %d lines", n, len(lines))
		}
		if strings.TrimSpace(lines[n]) == "" {
			t.Error("a blank line is left behind it")
		}
		if !holds(strings.ToLower(strings.Join(lines[:n], "\n")), grants) {
			t.Error("nothing in it grants anything")
		}
		if m := Lines(text + "\nmore"); m != n && len(lines) > n+1 {
			t.Errorf("%d lines, and with more below %d", n, m)
		}
	})
}
