package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/runner"
)

// progress shows a bar for long work on a terminal. It gives way to all that is
// written meanwhile.
type progress struct {
	w     io.Writer // nil shows nothing
	width int
	from  time.Time

	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	stage string
	lined bool // a line of words is visible
}

// progressAfter is how long work has to last before it is worth a bar.
const progressAfter = 300 * time.Millisecond

// progress returns the bar of a command that begins now.
func (a *app) progress() *progress {
	p := &progress{from: time.Now(), width: a.env.Width}
	if a.env.StderrTTY && !a.settings.Quiet && a.getenv("TERM") != "dumb" {
		p.w = a.env.Stderr
	}
	return p
}

// step has the signature of engine.Options.Progress.
func (p *progress) step(stage string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || total <= 0 {
		return
	}
	if time.Since(p.from) < progressAfter {
		return
	}
	if p.bar == nil || stage != p.stage {
		p.erase()
		p.stage = stage
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription("satchel: "+stage),
			progressbar.OptionSetWidth(24),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(65*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	_ = p.bar.Set(min(done, total)) // failing to draw the bar is not an error
}

// line shows a line of words until something else is written.
func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	p.erase()
	if p.width > 1 {
		text = text[:min(p.width-1, len(text))] // ASCII
	}
	fmt.Fprint(p.w, "\r"+text+eraseRest)
	p.lined = true
}

// eraseRest makes a terminal erase the rest of its line.
const eraseRest = "\x1b[K"

// again waits as long as at the beginning before it shows a bar.
func (p *progress) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from = time.Now()
}

// stop takes the bar away for good.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.w = nil
}

// clear takes the bar away until the next step.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.bar != nil && !p.bar.IsFinished() {
		_ = p.bar.Clear()
	}
	p.bar = nil
	if p.lined {
		fmt.Fprint(p.w, "\r"+eraseRest)
		p.lined = false
	}
}

// page writes text to standard output, through a pager if that is a terminal:
// the one of the user's own settings or environment, never of a repository, or
// else less.
func (a *app) page(text []byte) error {
	cmd := a.pager()
	if cmd == nil {
		_, err := a.out.Write(text)
		return err
	}
	if err := a.flush(); err != nil {
		return err
	}
	cmd.Dir = a.env.Dir
	if a.getenv("LESS") == "" {
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "LESS=FRX") // as git does: colours, and no paging of one screen
	}
	cmd.Stdin = bytes.NewReader(text)
	cmd.Stdout, cmd.Stderr = a.env.Stdout, a.env.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		_, err := a.out.Write(text) // it never ran
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code == 126 || code == 127 { // the shell found nothing to run
		a.say("cannot run the pager %q", a.settings.Pager)
		_, err := a.out.Write(text)
		return err
	}
	return nil // how a pager ends is its own affair
}

// pager returns the pager, or nil without one or without a terminal.
func (a *app) pager() *exec.Cmd {
	pager := strings.TrimSpace(a.settings.Pager)
	switch {
	case !a.env.StdoutTTY || pager == "cat":
		return nil
	case pager != "":
		return runner.Shell(context.Background(), pager, a.env.Environ)
	case len(a.settings.Origins["pager"]) > 0 && a.settings.Origins["pager"][0].Source != config.Default || a.getenv("TERM") == "dumb":
		return nil // there is to be none, or it could not move the cursor
	case slices.ContainsFunc(a.env.Environ, func(kv string) bool {
		return strings.HasPrefix(kv, "PAGER=") || strings.HasPrefix(kv, "SATCHEL_PAGER=")
	}):
		return nil // set, and empty
	}
	less, err := runner.LookPath("less", "", a.env.Environ)
	if err != nil {
		return nil
	}
	cmd := exec.Command(less)
	cmd.Env = a.env.Environ
	return cmd
}
