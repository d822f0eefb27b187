package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpelled(t *testing.T) {
	for _, test := range []struct {
		goos     string
		in, want []string
	}{
		{"linux", []string{"Path=x", "USERPROFILE=y"}, []string{"Path=x", "USERPROFILE=y"}},
		{"windows", []string{`Path=C:\bin`, `UserProfile=C:\Users\a`}, []string{`PATH=C:\bin`, `UserProfile=C:\Users\a`, `HOME=C:\Users\a`}},
		{"windows", []string{`Home=C:\h`, `USERPROFILE=C:\Users\a`}, []string{`USERPROFILE=C:\Users\a`, `HOME=C:\h`}},
		{"windows", []string{`=C:=C:\work`, "A=b"}, []string{`=C:=C:\work`, "A=b"}},
	} {
		if d := cmp.Diff(test.want, spelled(test.in, test.goos)); d != "" {
			t.Errorf("%s, %q (-want +got):\n%s", test.goos, test.in, d)
		}
	}
}
