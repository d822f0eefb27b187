package engine_test

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// A licence takes no room in a budget, unless the task is about licences; what has no
// budget is whole.
func TestLicencesTakeNoRoom(t *testing.T) {
	const licence = "// Copyright 2019 The Walrus Authors. All rights reserved.\n// Licensed under the Walrus License, see LICENSE.\n\n"
	const code = "// Package walrus dives.\npackage walrus\n\n// Dive dives.\nfunc Dive(deep int) int { return deep }\n"
	e := open(t, engine.Options{Dir: write(t, map[string]string{"walrus.go": licence + code, "licence.go": licence})})
	for _, tt := range []struct {
		task   string
		budget int
		want   bool
	}{
		{"how deep does the walrus Dive", 1000, false},
		{"Dive needs another copyright", 1000, true},
		{"", 0, true},
	} {
		p, err := e.Pack(t.Context(), satchel.Request{Task: tt.task, Paths: []string{"walrus.go"}, Budget: tt.budget})
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, x := range p.Entries {
			all.WriteString(x.Text.String())
		}
		out := all.String()
		if !strings.Contains(out, "Package walrus dives.") || strings.Contains(out, "All rights reserved") != tt.want {
			t.Errorf("%q within %d, licence %v:\n%s", tt.task, tt.budget, tt.want, out)
		}
	}
}
