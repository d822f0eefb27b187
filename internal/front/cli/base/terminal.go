package base

import (
	"bufio"
	"bytes"
	"context"
	"errors"
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

// Progress shows a bar for long work on a terminal. Other output
// erases it.
type Progress struct {
	W     io.Writer // nil shows nothing
	width int
	From  time.Time

	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	stage string
	lined bool // a line of words is visible
}

// progressAfter is how long work has to last before it is worth a bar.
const progressAfter = 300 * time.Millisecond

// Progress returns the bar of a command that begins now.
func (a *App) Progress() *Progress {
	p := &Progress{From: time.Now(), width: a.Env.Width}
	if a.Env.StderrTTY && !a.Settings.Quiet && a.Getenv("TERM") != "dumb" {
		p.W = a.Env.Stderr
	}
	return p
}

// Step has the signature of engine.Options.Progress.
func (p *Progress) Step(stage string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.W == nil || total <= 0 {
		return
	}
	if time.Since(p.From) < progressAfter {
		return
	}
	if p.bar == nil || stage != p.stage {
		p.erase()
		p.stage = stage
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.W),
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

// Line shows a line of words until something else is written.
func (p *Progress) Line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.W == nil {
		return
	}
	p.erase()
	if p.width > 1 {
		text = text[:min(p.width-1, len(text))] // ASCII
	}
	fmt.Fprint(p.W, "\r"+text+eraseRest)
	p.lined = true
}

// eraseRest makes a terminal erase the rest of its line.
const eraseRest = "\x1b[K"

// Again waits as long as at the beginning before it shows a bar.
func (p *Progress) Again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.From = time.Now()
}

// Stop takes the bar away for good.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.W = nil
}

// Clear takes the bar away until the next step.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *Progress) erase() {
	if p.bar != nil && !p.bar.IsFinished() {
		_ = p.bar.Clear()
	}
	p.bar = nil
	if p.lined {
		fmt.Fprint(p.W, "\r"+eraseRest)
		p.lined = false
	}
}

// Page writes text to standard output. On a terminal it uses a pager: the one in the
// user's settings or environment, never in a repository's, or less.
func (a *App) Page(text []byte) error {
	cmd := a.pager()
	if cmd == nil {
		_, err := a.Out.Write(text)
		return err
	}
	if err := a.Flush(); err != nil {
		return err
	}
	cmd.Dir = a.Env.Dir
	if a.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "LESS=FRX") // as git does: colours, and no paging of one screen
	}
	cmd.Stdin = bytes.NewReader(text)
	cmd.Stdout, cmd.Stderr = a.Env.Stdout, a.Env.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		_, err := a.Out.Write(text) // it never ran
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code == 126 || code == 127 { // the shell found nothing to run
		a.Say("cannot run the pager %q", a.Settings.Pager)
		_, err := a.Out.Write(text)
		return err
	}
	return nil // whatever the pager's exit code is
}

// pager returns the pager, or nil without one or without a terminal.
func (a *App) pager() *exec.Cmd {
	pager := strings.TrimSpace(a.Settings.Pager)
	switch {
	case !a.Env.StdoutTTY || pager == "cat":
		return nil
	case pager != "":
		return runner.Shell(context.Background(), pager, a.Env.Environ)
	case len(a.Settings.Origins["pager"]) > 0 && a.Settings.Origins["pager"][0].Source != config.Default || a.Getenv("TERM") == "dumb":
		return nil // there is to be none, or it could not move the cursor
	case slices.ContainsFunc(a.Env.Environ, func(kv string) bool {
		return strings.HasPrefix(kv, "PAGER=") || strings.HasPrefix(kv, "SATCHEL_PAGER=")
	}):
		return nil // set, and empty
	}
	less, err := runner.LookPath("less", "", a.Env.Environ)
	if err != nil {
		return nil
	}
	cmd := exec.Command(less)
	cmd.Env = a.Env.Environ
	return cmd
}

// AskLine asks on the terminal and returns what was answered; "" at its end.
func (a *App) AskLine(ctx context.Context, question string) (string, error) {
	a.Bar.Clear()
	fmt.Fprint(a.Env.Stderr, "satchel: "+question)
	if a.lines == nil {
		a.lines = bufio.NewReader(io.LimitReader(a.Env.Stdin, MaxAnswers))
	}
	line, err := WaitFor(ctx, AskPatience, func() (string, error) { return a.lines.ReadString('\n') })
	if err != nil {
		fmt.Fprintln(a.Env.Stderr)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimSpace(line), nil
}

// MaxAnswers is the most bytes read as answers, and AskPatience the wait for each answer.
const (
	MaxAnswers  = 4 << 10
	AskPatience = time.Hour
)
