package engine

import (
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/store/state"
)

// What context files are; see their packages.
type (
	ContextFiles   = readonly.Kept
	ContextRule    = state.ContextRule
	ContextFile    = state.ContextFile
	ContextReport  = readonly.Report
	ContextListing = readonly.Listing
	ContextOptions = readonly.Options
	Protection     = readonly.Protection
	Suggestion     = readonly.Suggestion // of a file that may be worth keeping at hand
)
