package secrets

import (
	"strings"
	"testing"
)

func TestRedactExcerpt(t *testing.T) {
	const (
		key  = "MIIEpAIBAAKCAQEA7bq3ZyqkqfDkYz0o1Xv9J4m8b1Qx2mVw0s6gq9cT3p5yKf8L\n"
		last = "b1Qx2mVw0s6gq9cT3p5yKf8L==\n"
		end  = "-----END RSA PRIVATE KEY-----\n"
	)
	for _, c := range []struct {
		name, text string
		kept       int // key lines that are still there
	}{
		{"from the middle", key + key + key, 0},
		{"the end of a key", key + key + last + end + "other\n", 0},
		{"the end, after something else", "removed\n" + key + last + end, 0},
		{"quoted in a program", "\t\"" + strings.TrimSpace(key) + "\\n\" +\n\t\"" + strings.TrimSpace(key) + "\\n\" +\n", 0},
		{"with its beginning", "x\n-----BEGIN RSA PRIVATE KEY-----\n" + key + key + end, 0},
		{"in the middle of other text", "var data = `\n" + key + key + "`\n", 2},
		{"no mixture", strings.Repeat("a", 64) + "\n", 0},
		{"nothing", "", 0},
	} {
		clean, found := RedactExcerpt("a.go", []byte(c.text))
		got := strings.Count(string(clean), "MIIEpAIBAAKCAQEA")
		if got != c.kept {
			t.Errorf("%s: %d key lines are left, want %d:\n%s", c.name, got, c.kept, clean)
		}
		if strings.Count(string(clean), "\n") != strings.Count(c.text, "\n") {
			t.Errorf("%s: the number of lines changed:\n%s", c.name, clean)
		}
		if secret := strings.Contains(c.text, "MIIE") && c.kept == 0; (len(found) > 0) != secret {
			t.Errorf("%s: found %v", c.name, found)
		}
		if again, more := RedactExcerpt("a.go", clean); string(again) != string(clean) || len(more) > 0 {
			t.Errorf("%s: a second time finds %v", c.name, more)
		}
	}
	if clean, _ := RedactExcerpt("a.go", []byte(strings.Repeat("a", 64)+"\n")); !strings.HasPrefix(string(clean), "aaa") {
		t.Error("a line of one letter is taken for a key")
	}
}

func TestRedactTurn(t *testing.T) {
	const (
		key  = "MIIEpAIBAAKCAQEA7bq3ZyqkqfDkYz0o1Xv9J4m8b1Qx2mVw0s6gq9cT3p5yKf8L\n"
		cert = "-----BEGIN CERTIFICATE-----\n"
	)
	for _, c := range []struct {
		name, text string
		kept       int // key lines that are still there
	}{
		{"sed -n 5,6p", key + key, 0},
		{"numbered as cat -n does", "     5\t" + key + "     6\t" + key, 0},
		{"numbered as an agent does", "   105→" + key + "   106→" + key + "   107→x\n", 0},
		{"grep -n", "5:" + key + "6:" + key, 0},
		{"after what the command said", "exit status 0\n" + key + key + key + "done\n", 0},
		{"above its end", "x\n" + key + "-----END PRIVATE KEY-----\n", 0},
		{"a certificate", cert + key + key + key + "-----END CERTIFICATE-----\n", 3},
		{"one line may be anything", key, 1},
		{"two among other lines may, too", "x\n" + key + key + "y\n", 2},
	} {
		clean, _ := RedactTurn([]byte(c.text))
		if got := strings.Count(string(clean), "MIIEpAIBAAKCAQEA"); got != c.kept {
			t.Errorf("%s: %d key lines are left, want %d:\n%s", c.name, got, c.kept, clean)
		}
		if strings.Count(string(clean), "\n") != strings.Count(c.text, "\n") {
			t.Errorf("%s: the number of lines changed:\n%s", c.name, clean)
		}
	}
	quoted := `{"type":"tool_result","content":"` + strings.ReplaceAll(key+key+key, "\n", `\n`) + `"}`
	if clean, found := RedactJSON([]byte(quoted)); len(found) == 0 || strings.Contains(string(clean), "MIIEpAIBAAKCAQEA") {
		t.Errorf("in JSON: %s", clean)
	}
}

// The number of lines never changes, and what is redacted stays so.
func FuzzRedactExcerpt(f *testing.F) {
	f.Add("a.pem", []byte("MIIEpAIBAAKCAQEA7bq3ZyqkqfDkYz0o1Xv9J4m8b1Qx2mVw0s6gq9cT3p5yKf8L\nabcd==\n-----END PRIVATE KEY-----\n"))
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		clean, _ := RedactExcerpt(path, text)
		if a, b := strings.Count(string(text), "\n"), strings.Count(string(clean), "\n"); a != b {
			t.Errorf("%d lines became %d", a, b)
		}
	})
}
