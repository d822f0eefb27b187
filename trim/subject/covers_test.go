package subject

import "testing"

func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		passed, failed string
		want           bool
	}{
		{"go test ./...", "go test ./a", true},
		{"go test ./...", "go test ./a/b", true},
		{"go test ./...", "go test ./a/...", true},
		{"go test ./...", "go test .", true},
		{"go test ./...", "go test", true},
		{"go test ./a/...", "go test ./a", true},
		{"go test ./a...", "go test ./ab", true},
		{"go vet example.com/o/p", "go vet example.com/o/p", true},
		{"go test ./...", "go test ../x", false},
		{"go test ./...", "go test ./../x", false},
		{"go test ./...", "go test ../...", false},
		{"go test ./...", "go test /abs/x", false},
		{"go vet ./...", "go vet example.com/o/p", false},
		{"go vet ...", "go vet ./a", false},
		{"go vet example.com/o/...", "go vet ./a", false},
		{"go vet a.go", "go vet ./...", false},
		{"go test ./...", "go test ...", false},
		{"go test ./a/...", "go test ./ab", false},
		{"go test ./a/...", "go test ./a...", false},
		{"go test ./a/...", "go test ./...", false},
		{"go test ./...", "go test ./a/testdata/b", false},
		{"go test ./...", "go test ./_a", false},
		{"go test ./...", "go test ./vendor/a", false},
		{"go test ./vendor/...", "go test ./vendor/a", true},

		{"pytest", "pytest tests/a.py", true},
		{"pytest", "pytest ./tests/a.py::test_b", true},
		{"pytest tests/", "pytest ./tests/a.py", true},
		{"pytest ../x", "pytest ../x/a.py", true},
		{"pytest", "pytest ../x", false},
		{"pytest", "pytest a/../../x", false},
		{"pytest", "pytest /abs/x", false},
		{"pytest", "pytest ~/x", false},
		{"pytest tests", "pytest tests/../other.py", false},
	} {
		scopeOf := func(line string) scope {
			s, ok := (&Run{Command: &Command{Check: true}, mends: line}).scope()
			if !ok {
				t.Fatalf("%s: not known what it looks at", line)
			}
			return s
		}
		whole, part := scopeOf(tt.passed), scopeOf(tt.failed)
		if got := whole.covers(&part); got != tt.want {
			t.Errorf("%s covers %s: %v, want %v", tt.passed, tt.failed, got, tt.want)
		}
	}
}
