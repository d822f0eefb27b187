package archive

import (
	"cmp"
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/snapshot"
)

// A Proof is the result of verifying one snapshot.
type Proof struct {
	ID    string `json:"id"`
	Blobs int    `json:"blobs"` // that are there, with the right bytes
	// Problems says what is wrong: a record or blobs that are missing or whose
	// bytes have another hash. Empty means that all is well.
	Problems []string `json:"problems,omitempty"`
}

// Verify reads every record and every blob of the entries and compares their
// hashes. A blob that several snapshots share is read once.
func (a *Archive) Verify(ctx context.Context, entries []Entry) ([]Proof, error) {
	v := &verification{Archive: a, entries: entries, proofs: make([]Proof, len(entries)), records: make([]*snapshot.Record, len(entries)), wrong: map[string]string{}}
	a.repo.ForgetObjects()
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	objects.Limit = maxBlob
	if err := v.readRecords(ctx, objects); err != nil {
		return nil, err
	}
	if err := v.readBlobs(ctx, objects); err != nil {
		return nil, err
	}

	for i := range entries {
		v.judge(i)
	}
	return v.proofs, nil
}

// A verification is one Verify.
type verification struct {
	*Archive
	entries []Entry
	proofs  []Proof
	records []*snapshot.Record // nil if damaged
	wrong   map[string]string  // what is wrong with each blob; "" if nothing
}

func (v *verification) readRecords(ctx context.Context, objects *git.Objects) error {
	ids := make([]string, len(v.entries))
	for i, e := range v.entries {
		ids[i] = e.record
	}
	return objects.ReadAll(ids, func(i int, text []byte, err error) {
		e := v.entries[i]
		v.proofs[i].ID = e.ID
		if err != nil {
			err = damage(ctx, e.ID, "its record", err)
		} else {
			v.records[i], err = decode(e.ID, text)
		}
		if err != nil {
			v.proofs[i].Problems = append(v.proofs[i].Problems, why(err))
		}
	})
}

func (v *verification) readBlobs(ctx context.Context, objects *git.Objects) error {
	var blobs []string
	for _, r := range v.records {
		if r == nil {
			continue
		}
		for _, id := range r.Blobs() {
			if _, known := v.wrong[id]; !known {
				v.wrong[id] = ""
				blobs = append(blobs, id)
			}
		}
	}
	return objects.ReadAll(blobs, func(i int, data []byte, err error) {
		id := blobs[i]
		if err != nil {
			v.wrong[id] = why(damage(ctx, "", "blob "+id, err))
		} else if got := v.BlobID(data); got != id {
			v.wrong[id] = fmt.Sprintf("blob %s has the hash %s", id, got)
		}
	})
}

// judge completes the proof of a record.
func (v *verification) judge(i int) {
	r, proof := v.records[i], &v.proofs[i]
	if r == nil {
		return
	}
	named := make(map[string]string)
	for k := range r.Items {
		named[r.Items[k].Blob] = r.Items[k].Ref()
	}
	for _, id := range r.Blobs() {
		what := cmp.Or(named[id], "the output")
		if v.wrong[id] != "" {
			proof.Problems = append(proof.Problems, what+": "+v.wrong[id])
		} else {
			proof.Blobs++
		}
	}
}

// why returns the reason of a DamageError, without the snapshot's id.
func why(err error) string {
	if d, ok := err.(*DamageError); ok {
		return d.Why
	}
	return err.Error()
}
