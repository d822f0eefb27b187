package secrets

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedact(t *testing.T) {
	key := "gh" + "p_" + "R8dkq2LmZx7VtB4nWc9YpQ1sHj6KfTg3UaEo"
	const mark = "[secret:github-token sha256:61ae2530]"
	for _, tt := range []struct {
		name, path, text, want string
		found                  []Finding
	}{
		{"nothing", "a.go", "package a\n", "package a\n", nil},
		{"a span", "a.go", "a\nt := \"" + key + "\" // mine\n", "a\nt := \"" + mark + "\" // mine\n", []Finding{{"github-token", 2}}},
		{"twice on a line", "a.go", key + " " + key, mark + " " + mark, []Finding{{"github-token", 1}, {"github-token", 1}}},
		{"where no rule looks", "a.go", "a=" + key + "\nb=x" + key + "x\n", "a=" + mark + "\nb=x" + mark + "x\n", []Finding{{"github-token", 1}, {"github-token", 2}}},
		{"a mark stays", "a.go", "t = " + mark, "t = " + mark, nil},
		{"CRLF", ".env", "A=hunter2\r\nB=\r\n", "A=[secret:value]\r\nB=\r\n", []Finding{{"value", 1}}},
		{"plain words of an environment", ".env", "NODE_ENV=production\nDEBUG=true\nLEVEL=3\nNAME='app'\nLOG=WARN\n", "NODE_ENV=production\nDEBUG=true\nLEVEL=3\nNAME='app'\nLOG=WARN\n", nil},
		{"but not where the name says more", ".env", "DB_PASS=swordfish\nAPI_KEY=alpha\nPIN=7\nHOST=db1\nNAME=camelCase\n", "DB_PASS=[secret:value]\nAPI_KEY=[secret:value]\nPIN=[secret:value]\nHOST=[secret:value]\nNAME=[secret:value]\n",
			[]Finding{{"value", 1}, {"value", 2}, {"value", 3}, {"value", 4}, {"value", 5}}},
		{"an example keeps its settings", ".env.example", "PORT=3000\nAPI_KEY=your-key\nAPI_TOKEN=\n", "PORT=3000\nAPI_KEY=your-key\nAPI_TOKEN=\n", nil},
		{"but not a secret", ".env.sample", "API_KEY=q8Zr3TnV5wX1yB7mKd2L\n", "API_KEY=[secret:value sha256:a8187917]\n", []Finding{{"value", 1}}},
		{"a reference is none", ".env", "A=${HOME}\nB=$HOME\n", "A=${HOME}\nB=$HOME\n", nil},
		{"a public key", "id_rsa.pub", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA me@host\n", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA me@host\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.text)
			got, found := Redact(tt.path, in)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.found, found); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if string(in) != tt.text {
				t.Error("the input was changed")
			}
			if found == nil && len(in) > 0 && &got[0] != &in[0] {
				t.Error("nothing found, yet the text was copied")
			}
		})
	}
}

// TestNotSecrets holds what looks like a secret and is none.
func TestNotSecrets(t *testing.T) {
	for _, s := range []string{
		"AKIAIOSFODNN7EXAMPLE",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"ghp_" + strings.Repeat("a", 36),
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789",
		"sk-your-api-key-goes-here-and-not-anywhere-else",
		"sk-proj-" + strings.Repeat("abc1", 12),
		"export OPENAI_API_KEY=sk-...",
		"AIza" + strings.Repeat("0123456789", 3) + "01234",
		"postgres://user:password@localhost:5432/db",
		"postgres://user:${DB_PASSWORD}@db.acme.io/db",
		"postgres://user:<password>@db.acme.io/db",
		"https://user:Tr0ub4dor@example.com/",
		"git@github.com:owner/name.git",
		"see https://acme.io/a:b/c@d and mailto:me@acme.io",
		"http://[::1]:8080/x@y",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\\nYOUR_KEY\\n-----END PRIVATE KEY-----",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
		`strings.HasPrefix(s, "-----BEGIN OPENSSH PRIVATE KEY-----")`,
		"const sha = \"9c8e2f1d0b7a6534e1f2c3d4b5a69788f0e1d2c3\" // github.com/acme/x",
		"heroku_app = 01234567-89ab-cdef-0123-456789abcdef",
		"adapt_dapi = dapidocs",
		"task-force, disk-usage, risk-averse, key-value, secret_santa, npm_config_registry",
		"twilio: the account has an authentication token of 32 hex digits",
		"x = SG.foo.bar",
		"token: glpat-<your token>",
		"discord: https://discord.com/api/webhooks/ID/TOKEN",
		"uses: actions/checkout@8f4b7f84864484a7bf31766abe9204da3cbe65b3",
	} {
		if clean, found := Redact("docs/guide.md", []byte(s)); len(found) > 0 {
			t.Errorf("Redact(%q) found %v: %s", s, found, clean)
		}
	}
}

// TestRules checks that the table of rules can find what it describes.
func TestRules(t *testing.T) {
	for i := range rules {
		r := &rules[i]
		if r.max < r.min || r.min < 12 || len(r.prefix) < 3 || len(r.kind) > 32 {
			t.Errorf("rule %s %s: odd bounds", r.kind, r.prefix)
		}
		if n := markLen([]byte(mark(r.kind, nil))); n != len(mark(r.kind, nil)) {
			t.Errorf("kind %q does not make a mark", r.kind)
		}
	}
	if len(anchors.slots) > 255 {
		t.Errorf("%d anchors do not fit", len(anchors.slots))
	}
}

// FuzzRedact checks the laws with secrets planted into arbitrary text.
func FuzzRedact(f *testing.F) {
	for i := range planted {
		f.Add(uint64(i), uint64(i), []byte("before\n"), []byte("\nafter"), ".env")
		f.Add(uint64(i), uint64(i), []byte(`x="`), []byte(`", y`), "a.go")
	}
	f.Add(uint64(0), uint64(1), []byte("-----BEGIN RSA PRIVATE KEY-----\nabc"), []byte("https://a:b@c"), "id_rsa")
	f.Add(uint64(0), uint64(1), []byte("[secret:value sha256:00000000]"), []byte("[secret:x sha256:"), ".netrc")
	f.Fuzz(func(t *testing.T, which, seed uint64, before, after []byte, path string) {
		p := planted[which%uint64(len(planted))]
		text, secrets := plant(p.text(rand.New(rand.NewPCG(seed, 7))))
		all := bytes.Join([][]byte{before, []byte(text), after}, newline)
		was := bytes.Clone(all)
		for _, path := range []string{path, p.path} {
			clean, found := Redact(path, all)
			if !bytes.Equal(all, was) {
				t.Fatal("the input was changed")
			}
			if got, want := bytes.Count(clean, newline), bytes.Count(all, newline); got != want {
				t.Fatalf("%d lines became %d", want, got)
			}
			if again, more := Redact(path, clean); len(more) > 0 || !bytes.Equal(again, clean) {
				t.Fatalf("redacting %q again finds %v", clean, more)
			}
			last := 0
			for _, f := range found {
				if f.Line < last || f.Line > 1+bytes.Count(all, newline) {
					t.Fatalf("finding %v after line %d", f, last)
				}
				last = f.Line
			}
		}
		// A key on lines of its own is found whatever stands around them, unless
		// the surroundings take it into something of their own.
		if bytes.ContainsAny(before, "-\"'`[$\\:=") || bytes.ContainsAny(after, "-\"'`[") || strings.Contains(p.path, ".env") {
			return
		}
		clean, found := Redact(p.path, all)
		alone, foundAlone := Redact(p.path, []byte(text))
		if len(foundAlone) == 0 {
			return // one of the few that look like a placeholder
		}
		for _, s := range secrets {
			if len(s) >= minSpread && bytes.Contains(clean, []byte(s)) && !bytes.Contains(alone, []byte(s)) {
				t.Fatalf("%v found, yet the secret %q is in the output %q", found, s, clean)
			}
		}
	})
}

func ExampleRedact() {
	text := []byte("url: postgres://app:" + "q8Zr3TnV5w@db.acme.io/app\n")
	clean, found := Redact("config.yml", text)
	fmt.Printf("%s%v\n", clean, found)
	// Output:
	// url: postgres://app:[secret:url-password]@db.acme.io/app
	// [{url-password 1}]
}
