package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
)

// Text of many characters a token is too long at first for every limit of
// characters. However few there are, what fits is found, and never too long.
func TestAsideFindsWhatFits(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	var body strings.Builder
	for i := range 30 {
		fmt.Fprintf(&body, "\t// international representatives understand administrative responsibilities %d\n", i)
	}
	files := make(map[string]string)
	for i := range 30 {
		files[fmt.Sprintf("other%02d/store.go", i)] = fmt.Sprintf("package other%02d\n\nfunc Open() int { return %d }\n", i, i)
	}
	var file strings.Builder
	file.WriteString("package proxy\n")
	for i := range 6 {
		fmt.Fprintf(&file, "\nfunc (p *Proxy) retryWithBackoff%d() {\n%s}\n", i, body.String())
	}
	files["proxy/proxy.go"] = file.String()
	e := open(t, engine.Options{Dir: write(t, files)})
	if _, err := e.Pack(context.Background(), satchel.Request{Task: "x", Budget: 2000}); err != nil {
		t.Fatal(err)
	}
	prompt := "fix retryWithBackoff0 retryWithBackoff1 retryWithBackoff2 retryWithBackoff3 retryWithBackoff4 retryWithBackoff5"
	for characters := 3500; characters <= 9000; characters += 250 {
		a, err := e.Aside(context.Background(), engine.AsideRequest{Prompt: prompt, Characters: characters, Now: noted})
		if err != nil {
			t.Fatal(err)
		}
		if n := render.Characters(a.Text); n == 0 || n > characters {
			t.Errorf("Aside in %d characters has %d: %s", characters, n, a.Why)
		}
	}
	a, err := e.Aside(context.Background(), engine.AsideRequest{Prompt: prompt, Characters: 40, Now: noted})
	if err != nil {
		t.Fatal(err)
	}
	if want := "nothing relevant fits 40 characters"; a.Text != "" || a.Why != want {
		t.Errorf("Aside in 40 characters = %q, why %q, want why %q", a.Text, a.Why, want)
	}
}
