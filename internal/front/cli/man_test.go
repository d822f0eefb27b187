package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestManPages: each page names every flag, begins as a page does, and no line
// of its text is a command of roff.
func TestManPages(t *testing.T) {
	requests := map[string]bool{"TH": true, "SH": true, "SS": true, "TP": true, "PP": true, "B": true, "BR": true, "I": true, "br": true, "nf": true, "fi": true}
	for _, c := range commandsBelow(Root()) {
		page := manPage(c)
		if !strings.HasPrefix(page, ".TH \"SATCHEL") || !strings.Contains(page, "\n.SH NAME\n") {
			t.Errorf("%s: %.80q", c.CommandPath(), page)
		}
		for line := range strings.Lines(page) {
			request, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "."), " ")
			if line[0] == '\'' || line[0] == '.' && !requests[request] {
				t.Errorf("%s: line %q", c.CommandPath(), line)
			}
			for _, r := range line {
				if r >= 0x80 {
					t.Errorf("%s: %q is not ASCII", c.CommandPath(), line)
				}
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if want := `\-\-` + strings.ReplaceAll(f.Name, "-", `\-`); !strings.Contains(page, want) {
				t.Errorf("%s: no %s", c.CommandPath(), want)
			}
		})
	}
}

func TestRoff(t *testing.T) {
	got := roffText(".TH x\n'tis \\fBbold\n\n  $ cmd -n '*'\n\nlast …\n")
	want := "\\&.TH x\n\\(aqtis \\efBbold\n.PP\n.PP\n.nf\n  $ cmd \\-n \\(aq*\\(aq\n.fi\n.PP\nlast \\[u2026]\n"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
