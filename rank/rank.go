// Package rank weighs what sources measured: it turns signals into Scores.
//
// [Analyze] takes a task apart. A source fills a [Table] with one column of
// measurements per signal and one row per file; a [Model] turns the table into
// scores, each the plain sum of its reasons. The models' weights are committed
// tables (weights.go) written by the trainer.
//
// rank never reads a file and knows nothing about where a signal came from.
// Everything here is safe for concurrent use except a Table being filled.
package rank

import "math"

// Round keeps four decimals of a score: enough to order by, and the same on every
// machine.
func Round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
