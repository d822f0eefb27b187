package base

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/render"
)

// NoSnapshots reports whether the user turned snapshots off.
func (a *App) NoSnapshots() bool {
	o := a.Settings.Origins["snapshot"]
	return !a.Settings.Snapshot && len(o) > 0 && o[0].Source != config.Default
}

// RunRecordVersion is the version of a RunRecord.
const RunRecordVersion = 2

// A RunRecord is the record of a run of an agent.
type RunRecord struct {
	Version  int         `json:"version"`
	Agent    string      `json:"agent,omitempty"`
	Command  []string    `json:"command"`
	Edit     []string    `json:"edit,omitempty"`
	Resumed  *RunResumed `json:"resumed,omitempty"`
	Rounds   []RunRound  `json:"rounds"`
	Status   int         `json:"status"`
	Signal   string      `json:"signal,omitempty"`
	TimedOut bool        `json:"timed_out,omitempty"`
	Open     []string    `json:"open,omitempty"`   // asked for in the last round, and not answered
	Answer   string      `json:"answer,omitempty"` // the end of the agent's, with the footer, if one was wanted
}

// A RunResumed names the sessions of a run that continues one.
type RunResumed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// A RunRound is one start of the agent, with the answers to its requests.
type RunRound struct {
	Round    int             `json:"round"`
	Tokens   int             `json:"tokens"` // of the prompt
	Snapshot string          `json:"snapshot,omitempty"`
	Session  string          `json:"session,omitempty"` // as the agent named it
	Status   int             `json:"status"`
	Answers  []render.Answer `json:"answers,omitempty"`
}

// WithEngine opens the engine for one command.
func (a *App) WithEngine(ctx context.Context, do func(e *engine.Engine) error) error {
	e, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	if err := do(e); err != nil {
		return snapshotHint(err)
	}
	return nil
}

// snapshotHint adds what to do next to errors about snapshots.
func snapshotHint(err error) error {
	var unknown *archive.UnknownError
	var damaged *archive.DamageError
	switch {
	case errors.As(err, &damaged) && damaged.ID == "":
		return Hint(err, "restore the objects with git fetch or from a copy; or drop all snapshots with git update-ref -d "+archive.Ref)
	case errors.As(err, &unknown):
		return Hint(err, "satchel snapshot list shows the ids; the first four digits are enough")
	case errors.As(err, &damaged):
		return Hint(err, "satchel snapshot verify --all shows what else is damaged")
	}
	return err
}

// EverTaken is later than the date of every snapshot: commits have years of four digits.
var EverTaken = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
