package base

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

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

// maxAnswers is how much is read of somebody who answers, and askPatience how long
// is waited for each answer.
const (
	MaxAnswers  = 4 << 10
	AskPatience = time.Hour
)
