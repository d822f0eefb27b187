package render_test

import (
	"testing"

	"github.com/satchel-dev/satchel/render"
)

func TestPressureBar(t *testing.T) {
	for percent, want := range map[int]string{
		-7: "░░░░░░░░░░░░░░░░░░░░", 4: "░░░░░░░░░░░░░░░░░░░░", 5: "█░░░░░░░░░░░░░░░░░░░",
		99: "███████████████████░", 100: "████████████████████", 1 << 40: "████████████████████",
	} {
		if got := render.PressureBar(percent); got != want {
			t.Errorf("PressureBar(%d) = %s, want %s", percent, got, want)
		}
	}
}
