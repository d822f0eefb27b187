package engine

import "github.com/satchel-dev/satchel/internal/source/history"

// History tells what the commits of the repository say.
func (e *Engine) History() history.History { return history.New(e.project) }
