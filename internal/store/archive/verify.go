package archive

import (
	"cmp"
	"context"
	"fmt"

	"github.com/satchel-dev/satchel/snapshot"
)

// A Proof is the result of verifying one snapshot.
type Proof struct {
	ID    string `json:"id"`
	Blobs int    `json:"blobs"` // that are there, with the right bytes
	// Problems says what is wrong: a record or blobs that are missing or whose
	// bytes have another hash, or references to blobs that are gone. Empty means
	// that all is well.
	Problems []string `json:"problems,omitempty"`
}

// Verify reads every record and every blob of the entries and compares their
// hashes. A blob that several snapshots share is read once.
func (a *Archive) Verify(ctx context.Context, entries []Entry) ([]Proof, error) {
	proofs := make([]Proof, len(entries))
	records := make([]*snapshot.Record, len(entries))
	objects := a.repo.Objects(ctx)
	defer objects.Close()
	objects.Limit = maxBlob

	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.record
	}
	err := objects.ReadAll(ids, func(i int, text []byte, err error) {
		e := entries[i]
		proofs[i].ID = e.ID
		if err != nil {
			err = damage(ctx, e.ID, "its record", err)
		} else {
			records[i], err = decode(e.ID, text)
		}
		if err != nil {
			proofs[i].Problems = append(proofs[i].Problems, why(err))
		}
	})
	if err != nil {
		return nil, err
	}

	wrong := make(map[string]string) // "" for a blob that is well
	var blobs []string
	for _, r := range records {
		if r == nil {
			continue
		}
		for _, id := range r.Blobs() {
			if _, known := wrong[id]; !known {
				wrong[id] = ""
				blobs = append(blobs, id)
			}
		}
	}
	err = objects.ReadAll(blobs, func(i int, data []byte, err error) {
		id := blobs[i]
		if err != nil {
			wrong[id] = why(damage(ctx, "", "blob "+id, err))
		} else if got := a.BlobID(data); got != id {
			wrong[id] = fmt.Sprintf("blob %s has the hash %s", id, got)
		}
	})
	if err != nil {
		return nil, err
	}
	loose, err := a.loose(ctx, entries, func(i int) []string {
		if records[i] == nil {
			return nil
		}
		return records[i].Blobs()
	})
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		if r == nil {
			continue
		}
		named := make(map[string]string)
		for k := range r.Items {
			named[r.Items[k].Blob] = r.Items[k].Ref()
		}
		for _, id := range r.Blobs() {
			what := cmp.Or(named[id], "the output")
			switch ref := loose[i][id]; {
			case wrong[id] != "":
				proofs[i].Problems = append(proofs[i].Problems, what+": "+wrong[id])
			case ref != "":
				proofs[i].Problems = append(proofs[i].Problems, fmt.Sprintf("%s: reference %s, which keeps it from git gc, is missing or points elsewhere", what, ref))
			default:
				proofs[i].Blobs++
			}
		}
	}
	return proofs, nil
}

// why returns the reason of a DamageError, without the snapshot's id.
func why(err error) string {
	if d, ok := err.(*DamageError); ok {
		return d.Why
	}
	return err.Error()
}
