package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-dev/satchel/internal/world/fsx/fsxtest"
)

func TestOwnFolders(t *testing.T) {
	for _, test := range []struct {
		link string // this is a link
		dir  string
		ok   bool
	}{
		{"none", ".git/satchel", true},
		{"none", ".git/satchel/index", true},
		{".git/satchel", ".git/satchel", false},
		{".git/satchel", ".git/satchel/index", false},
		{".git/satchel/index", ".git/satchel/index", false},
		{".git/satchel/index", ".git/satchel/refresh", true},
		{"cache/satchel/0123/refresh", "cache/satchel/0123/refresh", false},
		{"cache/satchel/0123", "cache/satchel/0123/refresh", false},
		{"cache/satchel", "cache/satchel/0123/refresh", false},
		{"cache", "cache/satchel/0123", true}, // the user's own
		{"disk", "disk/my/index", true},
		{"my/index", "my/index", false},
	} {
		for _, target := range []string{"there", "not there"} {
			root := t.TempDir()
			behind := filepath.Join(root, "behind")
			name := filepath.Join(root, test.link)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if test.ok || target == "there" {
				if err := os.MkdirAll(behind, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			fsxtest.Link(t, behind, name)
			dir := filepath.Join(root, test.dir)
			_, checked := CheckOwn(dir)
			made := MakeOwn(dir)
			if test.ok != (checked == nil && made == nil) || !test.ok && !(errors.Is(checked, ErrOwnLink) && errors.Is(made, ErrOwnLink)) {
				t.Errorf("%s with %s a link, target %s: check %v, make %v", test.dir, test.link, target, checked, made)
			}
			if there, err := CheckOwn(dir); test.ok && (err != nil || !there) {
				t.Errorf("%s was not made: %v", test.dir, err)
			}
			if list, err := os.ReadDir(behind); !test.ok && (target == "there" && (err != nil || len(list) > 0) || target != "there" && err == nil) {
				t.Errorf("%s with %s a link: the target holds %v, %v", test.dir, test.link, list, err)
			}
		}
	}
}
