package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestDamagedLines puts the beginning of each record of each agent, cut at each byte,
// before the next record, as a crash in the middle of a write leaves it. The next record
// is found, and no part of the fragment is taken for a record. Where the fragment
// waits for a value, the next record may be a part of it: it is found if it has a time
// and begins with the same name, as most records do.
func TestDamagedLines(t *testing.T) {
	records := func(line string) (all []string) {
		for r := range Records([]byte(line)) {
			all = append(all, string(r))
		}
		return all
	}
	zeros := strings.Repeat("\x00", 99)
	tried, missed := 0, 0
	for name, data := range fixtures(t) {
		l, err := find(bytes.NewReader(data), int64(len(data)))
		if err != nil || l.records != "" {
			continue
		}
		lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return !json.Valid([]byte(line)) })
		for i, line := range lines[:len(lines)-1] {
			next := lines[i+1]
			for cut := range len(line) {
				torn := line[:cut]
				if got := records(torn); len(got) > 0 {
					t.Fatalf("%s: records of a fragment %q: %q", name, torn, got)
				}
				tried++
				if got := records(torn + next); len(got) != 1 || got[0] != next {
					missed++
					if !strings.ContainsAny(torn[cut-1:], ":[,") {
						t.Fatalf("%s: records of %q %q: %q", name, torn, next, got)
					}
					continue
				}
				if cut%16 > 0 {
					continue
				}
				for _, damaged := range []string{zeros + next, torn + zeros + next, torn + next + zeros, torn + torn + next + torn, zeros + torn + next} {
					if got := records(damaged); len(got) != 1 || got[0] != next {
						t.Fatalf("%s: records of %q: %q, want %q", name, damaged, got, next)
					}
				}
				if got := records(torn + next + line); len(got) != 2 || got[0] != next || got[1] != line {
					t.Fatalf("%s: records of %q %q %q: %q", name, torn, next, line, got)
				}
			}
		}
	}
	if missed > tried/250 {
		t.Errorf("%d of %d records were not found behind a fragment", missed, tried)
	}
}

// TestDamagedSessions damages a session of each agent in each line: NUL bytes before a
// record, and the beginning of a record before it. All messages are read, and what is
// written has nothing but whole records.
func TestDamagedSessions(t *testing.T) {
	for name, data := range fixtures(t) {
		l, err := find(bytes.NewReader(data), int64(len(data)))
		if err != nil || l.records != "" || l.write == nil {
			continue
		}
		want := readOnly(t, data)
		var damaged bytes.Buffer
		n := 0
		for line := range bytes.Lines(data) {
			for r := range Records(line) {
				if n++; n%2 == 1 {
					damaged.WriteString(strings.Repeat("\x00", 4096))
				} else {
					damaged.Write(bytes.TrimRight(r[:len(r)/3], ":,["))
				}
				damaged.Write(r)
				damaged.WriteByte('\n')
			}
		}
		got := readAll(t, damaged.Bytes())
		if len(got.Messages) != len(want.Messages) || got.Skipped != n || got.ID != want.ID {
			t.Errorf("%s: %d messages of %s, %d records skipped; want %d of %s, %d", name, len(got.Messages), got.ID, got.Skipped, len(want.Messages), want.ID, n)
		}
		var copied bytes.Buffer
		if err := Copy(&copied, bytes.NewReader(damaged.Bytes()), int64(damaged.Len())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wholeLines(t, copied.Bytes())
		if again := readOnly(t, copied.Bytes()); len(again.Messages) != len(want.Messages) {
			t.Errorf("%s: %d messages in the copy, want %d", name, len(again.Messages), len(want.Messages))
		}
	}
}
