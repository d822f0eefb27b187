//go:build browser

package main

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A browser is Chromium with one page of the real documentation, from file://.
type browser struct {
	t    *testing.T
	ctx  context.Context
	dir  string // of the version
	mu   sync.Mutex
	said []string // requests beyond the folder, errors of scripts
}

// open renders the documentation and starts Chromium, which must be installed. What a
// page asks for beyond its folder, and what its scripts complain of, fails the test.
func open(t *testing.T) *browser {
	t.Helper()
	out := t.TempDir()
	if err := run("../../..", "v0.1.0", out); err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // it shows our own files
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, dir: filepath.Join(out, "v0.1.0")}
	b.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(func(ev any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, "file://"+filepath.ToSlash(out)+"/") {
				b.said = append(b.said, "asks for "+u)
			}
		case *cdpruntime.EventExceptionThrown:
			b.said = append(b.said, ev.ExceptionDetails.Text)
		case *cdpruntime.EventConsoleAPICalled:
			b.said = append(b.said, "prints to the console")
		}
	}))
	t.Cleanup(cancel)
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, s := range b.said {
			t.Error(s)
		}
	})
	return b
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// see looks at a page in a window of this size.
func (b *browser) see(page string, width, height int64, scheme string) {
	b.t.Helper()
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(b.dir, page))}
	b.do(chromedp.EmulateViewport(width, height))
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate(u.String()))
}

// eval asks the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// shot keeps a picture in the folder SHOTS, if the caller names one: to be looked at.
func (b *browser) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// TestWidths opens every page in three widths. No page scrolls sideways, and no line of
// code is cut; only tables scroll in their box.
func TestWidths(t *testing.T) {
	b := open(t)
	s, err := Read(os.DirFS("../../.."), groups)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{400, 820, 1280} {
		for _, p := range s.Pages {
			b.see(p.Target, width, 900, "light")
			if got := eval[int64](b, "document.documentElement.scrollWidth"); got > width {
				wide := eval[string](b, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest(".table")).map(e => e.outerHTML.slice(0, 200))[0] || ""`)
				t.Errorf("%s at %d: %d wide, by %s", p.Target, width, got, wide)
			}
			if cut := eval[string](b, `[...document.querySelectorAll("pre")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent.slice(0, 200))[0] || ""`); cut != "" {
				t.Errorf("%s at %d cuts a line of %q", p.Target, width, cut)
			}
		}
	}
}

// TestSearch finds a heading and a word of the text by the keyboard, and goes there.
func TestSearch(t *testing.T) {
	b := open(t)
	b.see("design/001-pack-format.html", 1400, 900, "light")
	b.do(chromedp.KeyEvent("/"), chromedp.WaitVisible("#query:focus"), chromedp.SendKeys("#query", "may only lower"), chromedp.WaitVisible("#found a"))
	b.shot("search-1400")
	if got := eval[string](b, `document.getElementById("query").value`); got != "may only lower" {
		t.Errorf("the search holds %q", got)
	}
	rows := eval[[]string](b, `[...document.querySelectorAll("#found a")].map(a => a.getAttribute("href"))`)
	if len(rows) == 0 || rows[0] != "../settings.html#it-may-only-lower" {
		t.Errorf("found %q, want that heading first", rows)
	}
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(`//h1[contains(., "Settings")]`))
	if at := eval[string](b, "location.href"); !strings.HasSuffix(at, "/v0.1.0/settings.html#it-may-only-lower") {
		t.Errorf("Enter leads to %s", at)
	}
	if top := eval[float64](b, `document.querySelector(":target").getBoundingClientRect().top`); top < 40 || top > 200 {
		t.Errorf("the heading stands at %v, want it below the bar", top)
	}

	b.see("index.html", 1400, 900, "light")
	b.do(chromedp.SendKeys("#query", "wgsl"), chromedp.WaitVisible("#found a"))
	if got := eval[string](b, `document.querySelector("#found a").getAttribute("href")`); got != "languages.html" {
		t.Errorf("a word of the text leads to %q", got)
	}

	// On a telephone: no word of it, then one that many headings have.
	b.see("index.html", 390, 800, "light")
	b.do(chromedp.SendKeys("#query", "xyzzyx"), chromedp.WaitVisible("#found .none"))
	b.see("index.html", 390, 800, "light")
	b.do(chromedp.SendKeys("#query", "session"), chromedp.WaitVisible("#found a"), chromedp.KeyEvent(kb.ArrowDown))
	b.shot("search-390")
	if n := eval[int](b, `document.querySelectorAll("#found [role=option]").length`); n != 12 {
		t.Errorf("session: %d headings, want 12", n)
	}
	if at := eval[int](b, `[...document.querySelectorAll("#found [role=option]")].findIndex(e => e.getAttribute("aria-selected") == "true")`); at != 1 {
		t.Errorf("the arrow chooses %d, want 1", at)
	}
	if wide := eval[bool](b, `document.getElementById("found").getBoundingClientRect().left >= 0 && document.documentElement.scrollWidth <= innerWidth`); !wide {
		t.Error("what is found leaves the screen")
	}
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#found"))
}

// TestNavigation goes from page to page by what stands beside and below the text.
func TestNavigation(t *testing.T) {
	b := open(t)
	b.see("index.html", 1400, 900, "light")
	b.do(chromedp.Click(`nav.pages a[href="review.html"]`), chromedp.WaitVisible(`nav.pages a[aria-current][href="review.html"]`))
	b.do(chromedp.Click("a[rel=next]"), chromedp.WaitVisible(`nav.pages a[aria-current][href="sessions.html"]`))
	b.do(chromedp.Click("nav.contents a"))
	if at := eval[string](b, "location.hash"); at != "#find-a-session" {
		t.Errorf("the contents lead to %q", at)
	}
	// Narrow, the list of pages is folded; a touch unfolds it.
	b.see("design/002-index-format.html", 390, 800, "light")
	if eval[bool](b, `document.getElementById("pages").open`) {
		t.Error("the list of pages stands above the text of a narrow page")
	}
	b.do(chromedp.Click("#pages summary"), chromedp.WaitVisible(`nav.pages a[href="../automate.html"]`))
	b.shot("pages-390")
	b.do(chromedp.Click(`nav.pages a[href="../automate.html"]`), chromedp.WaitVisible(`//h1[contains(., "Automate")]`))
}

// TestColors: both schemes have their own colours, and text can be read in both: a
// contrast of 4.5 and more, as WCAG 2.2 AA has it.
func TestColors(t *testing.T) {
	b := open(t)
	const contrast = `(() => {
  const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map(Number).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const back = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!c.startsWith("rgba(0, 0, 0, 0")) return c; } return "rgb(255, 255, 255)"; };
  let worst = 99;
  for (const e of document.querySelectorAll("p, li, a:not(.anchor), code, th, td, h1, h2, summary")) {
    const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x);
    worst = Math.min(worst, (a + .05) / (b + .05));
  }
  return worst;
})()`
	backs := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.see("install.html", 1400, 900, scheme)
		backs[eval[string](b, "getComputedStyle(document.body).backgroundColor")] = true
		if got := eval[float64](b, contrast); got < 4.5 {
			t.Errorf("%s: a contrast of %.2f, want 4.5", scheme, got)
		}
		if os.Getenv("SHOTS") == "" {
			continue
		}
		for _, page := range []string{"index", "context", "commands", "benchmarks", "design/003-ranking"} {
			for _, width := range []int64{400, 1280} {
				b.see(page+".html", width, 1000, scheme)
				b.shot(strings.ReplaceAll(page, "/", "-") + "-" + map[int64]string{400: "400", 1280: "1280"}[width] + "-" + scheme)
			}
		}
	}
	if len(backs) != 2 {
		t.Errorf("light and dark have the background %v", backs)
	}
}
