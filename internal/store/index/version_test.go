package index

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestAnalyserVersion fails if the same repository gives other documents under
// the same version, since segments that were written before would then stay in
// use. Change analyserVersion, then run the test with -update.
func TestAnalyserVersion(t *testing.T) {
	r := sample(t)
	r.Write(
		"a.py", "import os.path\n\nclass A(object):\n    \"\"\"Holds things.\"\"\"\n\n    def put(self, thing):\n        # later\n        return os.path.join(thing)\n",
		"a.ts", "import {x} from './x';\n\n/** Adds. */\nexport function add(a: number): number {\n  return a + x;\n}\n",
		"a.rs", "use std::io::Read;\n\n/// A thing.\npub struct Thing { n: u32 }\n\nimpl Thing {\n    pub fn new() -> Self { Thing { n: 0 } }\n}\n",
		"a.c", "#include \"a.h\"\n\n/* Adds. */\nint add(int a, int b)\n{\n\treturn a + b;\n}\n",
		"a.swift", "import Foundation\n\nclass A {\n    func go() {\n    }\n}\n",
		"long.md", strings.Repeat("# Part\n\nSome words about parts.\n\n", 40),
	)
	r.Commit("languages")
	v := view(t, openIndex(t, Options{}), r.open(), "HEAD")
	got := fmt.Sprintf("version %d.%d documents %x\n", formatVersion, analyserVersion, sha256.Sum256([]byte(dumped(v))))
	name := filepath.Join("testdata", "analyser.golden")
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	before, _, _ := strings.Cut(string(want), " documents")
	if strings.HasPrefix(got, before) {
		t.Errorf("the same files give other documents than before: increase analyserVersion, then run with -update")
	} else {
		t.Errorf("%s is of %s: run with -update", name, before)
	}
}
