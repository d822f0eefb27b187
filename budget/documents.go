package budget

import "math"

// What documents may take of a prompt, of the reference design: between three and
// four tenths, for the smallest task and towards the largest.
const (
	docFloor   = 0.30
	docCeiling = 0.40
)

// documentWork is how much work earns half of the documents that are allowed: a
// task about one folder is a quarter of a unit and gets two of five, one about
// four folders gets nearly four.
const documentWork = 0.4

// Documents returns how many documents a task of this complexity is shown: from 0,
// for one that says nothing about the repository, towards most, which no task
// exceeds.
func Documents(c Complexity, most int) int {
	if most <= 0 {
		return 0
	}
	work := c.work()
	return min(int(math.Round(float64(most)*(work/(documentWork+work)))), most)
}

// DocumentShare returns the share of a budget that documents aim at for a task of
// this complexity, in 0.3..0.4.
func DocumentShare(c Complexity) float64 {
	// The conversion keeps compilers from fusing the operations, which would
	// make the result depend on the processor.
	return docFloor + float64((docCeiling-docFloor)*c.growth())
}
