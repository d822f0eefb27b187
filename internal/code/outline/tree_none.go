//go:build !cgo || !oracle

package outline

import (
	"errors"

	"github.com/satchel-dev/satchel"
)

// errNoOracle is what the oracle says that was not built in.
var errNoOracle = errors.New("built without the oracle: use -tags oracle, and cgo")

func hasGrammar(string) bool { return false }

// Trees is the oracle of the line outliner, which this program is built without.
type Trees struct{}

// Outline returns an error.
func (*Trees) Outline(string, []byte) (Outline, []satchel.Range, error) {
	return Outline{}, nil, errNoOracle
}

func (*Trees) outline(string, []byte) (Outline, error) { return Outline{}, errNoOracle }
