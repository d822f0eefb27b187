//go:build !cgo || !oracle

package oracle

import (
	"errors"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// errNoOracle is what the oracle says that was not built in.
var errNoOracle = errors.New("built without the oracle: use -tags oracle, and cgo")

// Trees is what this program is built without.
type Trees struct{}

// Outline returns an error.
func (*Trees) Outline(string, []byte) (outline.Outline, []satchel.Range, error) {
	return outline.Outline{}, nil, errNoOracle
}
