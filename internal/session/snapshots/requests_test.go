package snapshots_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/session/snapshots"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/git/gittest"
)

// numbered are lines of a private key as an agent reads them: numbered, without
// the one that begins it. They stand in a JSON string.
func numbered() string {
	var b strings.Builder
	b.WriteString("here it is:\\n")
	for i := range 8 {
		fmt.Fprintf(&b, "   10%d→MIIEpAIBAAKCAQEA7bq3ZyqkqfDkYz0o1Xv9J4m8b1Qx2mVw0s6gq9cT3p5yKf8%d\\n", i, i)
	}
	return b.String()
}

// token has the form of a secret.
const token = "ghp_" + "wW9xK2mPqR7sT4vYzA1bC3dE5fG6hJ8kL0nQ"

// TestSessionSecrets: neither the requests of a transcript nor its messages are
// kept with the lines of a key in them.
func TestSessionSecrets(t *testing.T) {
	ctx := t.Context()
	r := gittest.New(t)
	r.Write("a.go", "package a\n")
	r.Commit("first")
	repo, err := git.Open(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	k := snapshots.New(&project.Project{Tree: repo})

	message := `{"content":[{"text":"` + numbered() + `","type":"text"}],"role":"user"}`
	call := `{"id":"c","input":{"text":"` + numbered() + `"},"name":"Write","type":"tool_use"}`
	sum := sha256.Sum256([]byte(message))
	hash := hex.EncodeToString(sum[:])
	said := `{"type":"user","message":` + message + `,"uuid":"u","sessionId":"s","parentUuid":null}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[` + call + `]},"uuid":"v","sessionId":"s","parentUuid":"u"}
`
	asked := `{"type":"api-request-blob","hash":"` + hash + `","message":` + message + `}
{"type":"api-request","id":"one","timestamp":"2026-01-05T09:00:00.000Z","shapeHash":"","params":{"model":"m ` + token + `"},"keep":0,"tail":["` + hash + `"]}
`
	for name, text := range map[string]string{"requests": said + asked, "messages": said} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e, _, err := k.KeepSession(ctx, file, 0, time.Unix(1, 0), "")
			if err != nil {
				t.Fatal(err)
			}
			s, err := k.Find(ctx, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := k.Replay(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(kept), "CAQEA7bq3Zyq") || !strings.Contains(string(kept), "[secret:private-key") {
				t.Errorf("kept is %s", kept)
			}
			if strings.Contains(string(kept)+s.Record.Summary, token) {
				t.Errorf("the secret in the name of the model is kept: %q", s.Record.Summary)
			}
		})
	}
}
