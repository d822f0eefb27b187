package assist_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/snapshot"
)

// TestFirstRuns: runs that were kept before tokens had one form are shown in that form.
func TestFirstRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t, "openai", 1)
	e, err := engine.Open(t.Context(), &engine.Options{Dir: s.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	kept := `{"version":1,"command":["ask"],"model":"m","calls":[],"spent":{"calls":2,
		"usage":{"Input":100,"CacheRead":20,"CacheWrite":3,"Output":7,"Reasoning":1},"usd":0.5,"known":true}}`
	items := []engine.TakenItem{{Kind: snapshot.KindSnippet, Name: "run.json", Data: []byte(kept)}}
	if _, _, err := e.Snapshots().Take(t.Context(), items, "assist: ask by m, 2 calls", time.Unix(1e9, 0), ""); err != nil {
		t.Fatal(err)
	}

	code, stdout, stderr := s.Asks("log", "show", "latest", "--json")
	var got struct {
		Version int
		Spent   struct {
			Usage render.Tokens
			USD   float64
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("exit code %d: %v: %s%s", code, err, stdout, stderr)
	}
	if want := (render.Tokens{Input: 123, Cached: 20, Output: 7}); got.Version != 2 || got.Spent.Usage != want || got.Spent.USD != 0.5 {
		t.Errorf("version %d, %+v, $%v; want version 2, %+v, $0.5", got.Version, got.Spent.Usage, got.Spent.USD, want)
	}
}
