package cli

import (
	"github.com/satchel-dev/satchel/budget"
	"github.com/satchel-dev/satchel/dialect/gitclaw"
	"github.com/satchel-dev/satchel/dialect/hawk"
)

// A preset is a way to divide a window and to speak of how full it is.
type preset struct {
	thresholds budget.Thresholds
	divide     func(window, conversation, output int) (budget.Division, error)
	room       func(*budget.Division) int // of a conversation
}

// The names of the presets.
const (
	presetCtxMgr  = "ctxmgr"
	presetGitClaw = "gitclaw"
)

var presets = map[string]preset{
	presetCtxMgr: {hawk.Thresholds, hawk.Divide, hawk.Room},
	presetGitClaw: {
		gitclaw.Thresholds,
		func(window, _, _ int) (budget.Division, error) { return gitclaw.Divide(window) },
		gitclaw.Room,
	},
}
