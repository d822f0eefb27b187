package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel/internal/front/cli"
)

func TestWrite(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	dir := t.TempDir()
	if err := write(cli.Root(), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"satchel.1":              {`.TH "SATCHEL" "1" "Nov 2023"`, "satchel-pack(1)"},
		"satchel-session-trim.1": {`\fB--budget\fP`, "satchel-session(1)"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %q", name, w)
			}
		}
	}
}
