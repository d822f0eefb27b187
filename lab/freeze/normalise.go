package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A normaliser replaces what belongs to a run and not to the program: the path
// of its work folder, and times at which it ran. Everything else is digested as
// it was printed. The rules, in their order:
//
//   - the path of the work folder becomes $WORK;
//   - a time between the start of the run and now becomes $NOW, whether it ends
//     at the minute, the second or later; 2026-11-22T13:40:23.403242Z, 2026-11-22 13:40;
//   - the day of the run becomes $TODAY;
//   - the milliseconds that begin a UUID of version 7, if they are of the run,
//     become $MILLIS.
type normaliser struct {
	work  string
	began time.Time
}

var (
	timePattern = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?`)
	dayPattern  = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)
	uuidPattern = regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-`)
)

// apply returns the text with every rule applied.
func (n *normaliser) apply(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte(n.work), []byte("$WORK"))
	now := time.Now().UTC()

	text = timePattern.ReplaceAllFunc(text, func(found []byte) []byte {
		s := strings.TrimSuffix(strings.Replace(string(found), "T", " ", 1), "Z")
		layout := "2006-01-02 15:04:05"[:min(len(s), 19)]
		if t, err := time.Parse(layout, s); err == nil && n.during(t, now) {
			return []byte("$NOW")
		}
		return found
	})
	text = dayPattern.ReplaceAllFunc(text, func(found []byte) []byte {
		if day := string(found); day == n.began.Format(time.DateOnly) || day == now.Format(time.DateOnly) {
			return []byte("$TODAY")
		}
		return found
	})
	return uuidPattern.ReplaceAllFunc(text, func(found []byte) []byte {
		ms, err := strconv.ParseInt(string(found[:8])+string(found[9:13]), 16, 64)
		if err == nil && n.during(time.UnixMilli(ms), now) {
			return append([]byte("$MILLIS"), found[13:]...)
		}
		return found
	})
}

// during reports whether a time, which may be cut to its minute, is of the run.
func (n *normaliser) during(t, now time.Time) bool {
	return !t.Before(n.began.Truncate(time.Minute)) && !t.After(now.Add(time.Second))
}
