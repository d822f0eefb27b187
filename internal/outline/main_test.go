package outline

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if WorkerMain() {
		return
	}
	os.Exit(m.Run())
}
