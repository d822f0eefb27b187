package git_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

func TestRemoteHosts(t *testing.T) {
	r := gittest.New(t)
	r.Write("a", "a\n")
	r.Commit("a")
	open := func() []string {
		repo, err := (&git.Options{Env: r.Env()}).Open(t.Context(), r.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		hosts, err := repo.RemoteHosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return hosts
	}
	if got := open(); got != nil {
		t.Errorf("hosts %q of no remote", got)
	}
	for name, url := range map[string]string{
		"a": "https://me:secret@Code.Example.org/x/y", "b": "git@forge.example:x/y.git", "c": "../beside", "d": "ext::sh -c id", "e": "ssh://git@code.example.org:22/x",
	} {
		r.Git("config", "remote."+name+".url", url)
	}
	got := open()
	if d := cmp.Diff(map[string]bool{"code.example.org": true, "forge.example": true}, set(got)); d != "" || len(got) != 2 {
		t.Errorf("%q\n%s", got, d)
	}
}

func set(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}
