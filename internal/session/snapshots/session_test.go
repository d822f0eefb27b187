package snapshots_test

import (
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

// TestSessionSecrets checks that a snapshot of a session has no lines of a private key.
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
	said := `{"type":"user","message":` + message + `,"uuid":"u","sessionId":"s","parentUuid":null}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[` + call + `]},"uuid":"v","sessionId":"s","parentUuid":"u"}
`
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(said), 0o600); err != nil {
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
}
