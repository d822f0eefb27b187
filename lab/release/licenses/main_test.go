package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mit = `MIT License

Copyright (c) 2020 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

// gpl is the notice that files under the GPL carry.
const gpl = `This program is free software: you can redistribute it and/or modify it under the
terms of the GNU General Public License as published by the Free Software Foundation,
either version 3 of the License, or (at your option) any later version.

This program is distributed in the hope that it will be useful, but WITHOUT ANY
WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR A
PARTICULAR PURPOSE. See the GNU General Public License for more details.

You should have received a copy of the GNU General Public License along with this
program. If not, see <https://www.gnu.org/licenses/>.
`

func TestRead(t *testing.T) {
	if testing.Short() {
		t.Skip("loads all known licences")
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string // of the licences, or of the error
	}{
		{"plain", map[string]string{"LICENSE": mit, "a.go": "package a"}, "MIT"},
		{"another name", map[string]string{"Licence.md": mit}, "MIT"},
		{"none", map[string]string{"README": mit}, "no file of"},
		{"unknown", map[string]string{"LICENSE": "Do what you like, on Sundays."}, "holds a licence that is known"},
		{"mostly unknown", map[string]string{"LICENSE": strings.Repeat("But send me a postcard. ", 200) + mit}, "holds a licence that is known"},
		{"copyleft", map[string]string{"LICENSE": mit, "COPYING": gpl}, "COPYING holds the text of GPL-3.0"},
		{"copyleft after much else", map[string]string{"LICENSE": mit, "NOTICE": strings.Repeat("Thank you. ", 2000) + gpl}, "NOTICE holds the text of GPL-3.0"},
	} {
		dir := t.TempDir()
		for name, text := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p, err := read("example.com/a v1.0.0", dir)
		got := strings.Join(p.licences, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: read = %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestModules: what is linked on one system alone is found, too, and what only tests
// need is not.
func TestModules(t *testing.T) {
	dirs, err := modules("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for want, there := range map[string]bool{
		"Go standard library":                  true,
		"github.com/spf13/cobra":               true,
		"github.com/inconshreveable/mousetrap": true, // which cobra needs on Windows
		"github.com/google/go-cmp":             false,
		"github.com/satchel-dev/satchel":       false,
	} {
		found := ""
		for name, dir := range dirs {
			if path, _, _ := strings.Cut(name, " v"); path == want {
				found = dir
			}
		}
		if (found != "") != there {
			t.Errorf("%s: folder %q, want one: %t", want, found, there)
		}
	}
}

// TestWrite: the list names each part once, and each text follows whole.
func TestWrite(t *testing.T) {
	got := string(write([]part{{"example.com/a v1.0.0", []string{"ISC", "MIT"}, []file{{"LICENSE", "Be kind.\n"}, {"NOTICE", "Thanks."}}}}))
	for _, want := range []string{"example.com/a v1.0.0: ISC, MIT\n", "example.com/a v1.0.0, LICENSE\n\nBe kind.\n", "example.com/a v1.0.0, NOTICE\n\nThanks.\n"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q stands %d times in:\n%s", want, strings.Count(got, want), got)
		}
	}
}
