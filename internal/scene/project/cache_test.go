package project

import (
	"path/filepath"
	"runtime"
	"testing"
)

// TestUserCache takes the cache folder from an environment, whose last value counts, and
// refuses relative paths as the XDG specification asks.
func TestUserCache(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have other variables")
	}
	for _, tt := range []struct {
		environ []string
		want    string // "" is an error
	}{
		{[]string{"HOME=/h"}, "/h/.cache"},
		{[]string{"HOME=/h", "XDG_CACHE_HOME=/c"}, "/c"},
		{[]string{"HOME=/h", "XDG_CACHE_HOME=/c", "XDG_CACHE_HOME="}, "/h/.cache"},
		{[]string{"HOME=/h", "XDG_CACHE_HOME=c"}, ""},
		{[]string{"HOME=h"}, ""},
		{[]string{"HOME=/h", "home=/other", "xdg_cache_home=/c"}, "/h/.cache"},
		{[]string{}, ""},
	} {
		got, err := UserCache(tt.environ)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("UserCache(%q) = %q, %v, want %q", tt.environ, got, err, tt.want)
		}
		if folder := FolderCache(tt.environ, "/p"); (folder == "") != (tt.want == "") || folder != "" && filepath.Dir(folder) != tt.want+"/satchel" {
			t.Errorf("FolderCache(%q) = %q", tt.environ, folder)
		}
	}
}
