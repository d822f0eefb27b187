package archive

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/snapshot"
)

// TestNewer: a snapshot that a newer version took is listed and named, others are taken
// beside it, and nothing is dropped while it is there, since nobody knows what it names.
func TestNewer(t *testing.T) {
	ctx := t.Context()
	a := newBox(t).open()
	old := keep(t, a, "old", 1, day, chain)

	d := draft(a, "newer", 1)
	record, err := d.Finish()
	if err != nil {
		t.Fatal(err)
	}
	text, err := record.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"version":2`), []byte(`"version":99`), 1)
	newer := Entry{ID: snapshot.IDOf(text), Taken: day.Add(time.Hour), Items: 1, Bytes: 1, Retention: chain, record: a.BlobID(text)}
	tip, err := a.repo.Ref(ctx, Ref)
	if err != nil {
		t.Fatal(err)
	}
	w := &snapshotWriter{Archive: a, entry: newer, record: text, blobs: record.Blobs(), new: d.Blobs}
	update, err := w.store(ctx, tip)
	if err == nil {
		err = a.repo.UpdateRefs(ctx, update)
	}
	if err != nil {
		t.Fatal(err)
	}

	var damage *DamageError
	if _, err := a.Record(ctx, w.entry); !errors.As(err, &damage) || !strings.Contains(err.Error(), "a newer satchel took the snapshot: its version is 99, and this one knows versions up to 2") {
		t.Errorf("Record = %v", err)
	}
	next := keep(t, a, "next", 1, day.Add(2*time.Hour), chain)
	entries, damaged, err := a.List(ctx)
	if err != nil || len(damaged) > 0 || len(entries) != 3 || entries[0].ID != next.ID || entries[1].ID != newer.ID || entries[2].ID != old.ID {
		t.Fatalf("List = %+v, %v, %v", entries, damaged, err)
	}
	if _, err := a.Expire(ctx, Expiry{Before: day.Add(24 * time.Hour)}); err == nil || !strings.Contains(err.Error(), "a newer satchel took the snapshot") {
		t.Errorf("Expire = %v", err)
	}
	if entries, _, err := a.List(ctx); err != nil || len(entries) != 3 {
		t.Errorf("after Expire: %+v, %v", entries, err)
	}
	if _, err := a.Record(ctx, old); err != nil {
		t.Errorf("the old one: %v", err)
	}
}
