package git

import (
	"os"
	"path/filepath"
	"testing"
)

// Windows does not tell upper from lower case in the names of variables, and says in
// others than HOME where home is.
func TestEnvironOfWindows(t *testing.T) {
	share, profile := t.TempDir(), "profile"
	for _, c := range []struct {
		env           []string
		path          string
		home          string
		homeElsewhere string
	}{
		{[]string{"Path=a", "USERPROFILE=" + profile}, "a", profile, ""},
		{[]string{"PATH=a", "path=b", "HOME=h", "USERPROFILE=" + profile}, "b", "h", "h"},
		{[]string{"Home=h"}, "", "h", ""},
		{[]string{"HOMEDRIVE=" + filepath.Dir(share), "HOMEPATH=" + string(filepath.Separator) + filepath.Base(share), "USERPROFILE=" + profile}, "", share, ""},
		{[]string{"HOMEDRIVE=Z:", "HOMEPATH=\\gone", "USERPROFILE=" + profile}, "", profile, ""},
		{nil, "", "", ""},
	} {
		e := environ(c.env)
		if got, _ := e.lookupOn("PATH", true); got != c.path {
			t.Errorf("%q: PATH is %q, want %q", c.env, got, c.path)
		}
		if got := e.homeOn(true); got != c.home {
			t.Errorf("%q: home is %q, want %q", c.env, got, c.home)
		}
		if got := e.homeOn(false); got != c.homeElsewhere {
			t.Errorf("%q: elsewhere home is %q, want %q", c.env, got, c.homeElsewhere)
		}
	}
	if got, ok := environ([]string{"Path=a"}).lookupOn("PATH", false); ok {
		t.Errorf("elsewhere Path is PATH: %q", got)
	}
}

// The user's ignore rules are where git looks for them.
func TestDefaultExcludes(t *testing.T) {
	dir := t.TempDir()
	roaming := filepath.Join(dir, "Roaming")
	ours := filepath.Join(dir, "home", ".config", "git", "ignore")
	env := environ{"APPDATA=" + roaming, "HOME=" + filepath.Join(dir, "home")}
	for _, windows := range []bool{false, true} {
		if got := defaultExcludesOn(env, windows); got != ours {
			t.Errorf("on Windows %v: %s, want %s", windows, got, ours)
		}
	}
	theirs := filepath.Join(roaming, "Git", "ignore")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := defaultExcludesOn(env, true); got != theirs {
		t.Errorf("on Windows with a file there: %s, want %s", got, theirs)
	}
	if got := defaultExcludesOn(env, false); got != ours {
		t.Errorf("elsewhere with a file there: %s, want %s", got, ours)
	}
	if got, want := defaultExcludesOn(append(env, "XDG_CONFIG_HOME="+dir), true), filepath.Join(dir, "git", "ignore"); got != want {
		t.Errorf("with XDG_CONFIG_HOME: %s, want %s", got, want)
	}
	if got := defaultExcludesOn(nil, true); got != devNull {
		t.Errorf("without anything: %s", got)
	}
}
