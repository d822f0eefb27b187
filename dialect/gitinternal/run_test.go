package gitinternal

import (
	"testing"
	"time"

	"github.com/satchel-dev/satchel/snapshot"
)

func TestRun(t *testing.T) {
	when := time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC)
	r := &snapshot.Record{Version: 1, Strategy: snapshot.Heuristic, Commit: "8ab686eafeb1f44702738c8b0f24f2567c36da6d", Request: &snapshot.Request{Task: "log in behind a proxy"}}
	s, err := FromRecord(r, when)
	if err != nil {
		t.Fatal(err)
	}
	run, err := NewRun(r, s, []byte(`{"version":1}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"object_id":"` + run.ObjectID + `","object_type":"run","version":1,"created_at":"2026-01-01T00:00:00.123456789Z","created_by":{"kind":"agent","id":"satchel"},` +
		`"task":"` + run.Task + `","commit":"8ab686eafeb1f44702738c8b0f24f2567c36da6d000000000000000000000000","snapshot":"` + s.ObjectID + `"}`
	if string(got) != want {
		t.Errorf("Encode = %s\nwant %s", got, want)
	}
	again, err := NewRun(r, s, []byte(`{"version":1}`))
	if err != nil || *again != *run {
		t.Errorf("the same record is another run: %+v, %+v, %v", run, again, err)
	}
	other, err := NewRun(r, s, []byte(`{"version":1,"status":1}`))
	if err != nil || other.ObjectID == run.ObjectID || other.Task != run.Task {
		t.Errorf("another run of the task is %+v, the first %+v, %v", other, run, err)
	}
	for name, bad := range map[string]*snapshot.Record{"no task": {Commit: r.Commit}, "no commit": {Request: r.Request}} {
		if run, err := NewRun(bad, s, nil); err == nil {
			t.Errorf("%s: %+v, want an error", name, run)
		}
	}
	if text, err := (&Run{Commit: "HEAD"}).Encode(); err == nil {
		t.Errorf("a run of HEAD is %s, want an error", text)
	}
}
