package cli

import "github.com/satchel-dev/satchel/internal/front/cli/base"

// An app has the commands of one run.
type app struct{ *base.App }
