package main

import "testing"

func TestStands(t *testing.T) {
	raw := window([]byte("{\"a\":\"\\tgone <b>\"}\n{\"isCompactSummary\":true}\n{\"a\":\"1→\\tif a \\u003c \\\"b\\\" {\\n\"}\n"))
	for line, want := range map[string]bool{"\tif a < \"b\" {": true, "\tgone <b>": false, "if b {": false} {
		if got := stands(raw, line); got != want {
			t.Errorf("stands(%q) = %v, want %v", line, got, want)
		}
	}
}
