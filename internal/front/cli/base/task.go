package base

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/budget"
)

// MaxTask is the longest task that is read, in bytes. Tasks are much shorter: an issue
// with its logs has some thousand words.
const MaxTask = 4 << 20

// GivenTask returns the task that a flag gives, or a file; "" means none.
func (a *App) GivenTask(ctx context.Context, words, file string) (string, error) {
	switch {
	case words != "" && file != "":
		return "", Usagef("the task is given twice: as --task and as --task-file")
	case file == "":
		return strings.ToValidUTF8(words, "\uFFFD"), nil
	}
	text, err := a.ReadText(ctx, file)
	if err != nil {
		return "", fmt.Errorf("task file: %w", err)
	}
	return TaskText("task file: read "+file, text)
}

// TaskText returns the task that a file or a command gave.
func TaskText(what string, text []byte) (string, error) {
	switch {
	case len(text) > MaxTask:
		return "", fmt.Errorf("%s: more than %d bytes", what, MaxTask)
	case bytes.IndexByte(text, 0) >= 0:
		return "", fmt.Errorf("%s: not text", what)
	case len(bytes.TrimSpace(text)) == 0:
		return "", Hint(fmt.Errorf("%s: empty", what), "omit it to pack without a task")
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// Limit sets the budget of a request by the settings.
func (a *App) Limit(req *satchel.Request) error {
	limit, err := budget.Parse(a.Settings.Budget)
	if err != nil {
		return Usagef("--budget: %w", err)
	}
	if limit.NeedsWindow() && a.Settings.Model == "" {
		return Usage(fmt.Errorf("--budget %s is a share of a model's window, but no model is named", a.Settings.Budget),
			"add --model, such as --model claude-sonnet-4-5")
	}
	least, most, err := a.Settings.Limit()
	if err != nil {
		return Usagef("--budget: %w", err)
	}
	req.Budget = least
	if limit.String() == "auto" {
		req.Auto = &satchel.Auto{Least: least, Most: most}
	}
	return nil
}

// EditPaths reads the lists of --edit.
func (a *App) EditPaths(lists []string) ([]string, error) {
	names, err := a.splitPatterns(lists)
	if err != nil {
		return nil, Usagef("--edit: %w", err)
	}
	return a.RootPaths(names)
}
