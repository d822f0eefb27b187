package archive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/git"
)

// blobRefs is where references to blobs stand unless somebody names another place.
const blobRefs = "refs/satchel/blobs/"

// refsBelow begins a retention by references below a prefix that somebody named.
const refsBelow = string(byRefs) + ":"

// taken are the folders of references in which git or satchel itself gives names a
// meaning. A reference below refs/replace would even stand for another object.
var taken = []string{"heads", "tags", "remotes", "notes", "stash", "satchel", "replace", "bisect", "worktree", "rewritten", "prefetch", "original"}

// retentionBelow returns the retention that holds each blob by a reference PREFIX/ID,
// such as refs/ai/blobs for programs that look for them there.
func retentionBelow(prefix string) (Retention, error) {
	name := strings.TrimSuffix(prefix, "/")
	rest, ok := strings.CutPrefix(name, "refs/")
	if !ok || rest == "" {
		return "", fmt.Errorf("reference prefix %q: want one below refs/, such as refs/ai/blobs", prefix)
	}
	if err := git.CheckRefName(name); err != nil {
		return "", err
	}
	folder, _, _ := strings.Cut(rest, "/")
	// Where file names are equal in any case, so are references.
	if slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, folder) }) {
		return "", fmt.Errorf("reference prefix %q: names below refs/%s mean something else already", prefix, folder)
	}
	return Retention(refsBelow + name + "/"), nil
}

// refPrefix returns what the references begin with that hold blobs under a
// retention; "" if none do.
func (r Retention) refPrefix() string {
	if r == byRefs {
		return blobRefs
	}
	prefix, _ := strings.CutPrefix(string(r), refsBelow)
	if prefix == string(r) {
		return ""
	}
	return prefix
}

// anchors returns the updates that make references hold the snapshot's blobs. Those
// that another program made are noted in the entry, and will stay when it goes.
func (w *snapshotWriter) anchors(ctx context.Context, tip string) ([]git.RefUpdate, error) {
	prefix := w.entry.Retention.refPrefix()
	if prefix == "" {
		return nil, nil
	}
	refs, err := w.repo.Refs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	have := make(map[string]string)
	for _, r := range refs {
		have[r.Name] = r.ID
	}
	var updates []git.RefUpdate
	var found []string
	for _, id := range w.blobs {
		u := git.RefUpdate{Name: prefix + id, New: id}
		switch at := have[u.Name]; {
		case at != "" && at != id:
			return nil, fmt.Errorf("reference %s points to %s: another program gives it a meaning of its own", u.Name, at)
		case at != "":
			u.Old = id // it must still be there when the chain moves
			found = append(found, id)
		}
		updates = append(updates, u)
	}
	w.entry.found = ""
	if prefix == blobRefs || len(found) == 0 { // nobody else writes to the first
		return updates, nil
	}
	entries, _, err := w.list(ctx, tip)
	if err != nil {
		return nil, err
	}
	own, err := w.anchored(ctx, entries, prefix)
	if err != nil {
		return nil, err
	}
	w.entry.found = strings.Join(slices.DeleteFunc(found, func(id string) bool { return own[id] }), " ")
	return updates, nil
}

// anchored returns the blobs to which entries made references below a prefix.
func (a *Archive) anchored(ctx context.Context, entries []Entry, prefix string) (map[string]bool, error) {
	entries = slices.Clone(entries)
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Retention.refPrefix() != prefix })
	names, err := a.named(ctx, entries)
	if err != nil {
		return nil, err
	}
	own := make(map[string]bool)
	for i := range entries {
		for id := range names[i] {
			if !strings.Contains(entries[i].found, id) {
				own[id] = true
			}
		}
	}
	return own, nil
}

// deadRefs returns the updates that drop references to blobs that no snapshot of
// keep names. Below a prefix that somebody named only those go that snapshots of
// drop made.
func (a *Archive) deadRefs(ctx context.Context, keep, drop []Entry, live map[string]int64) ([]git.RefUpdate, error) {
	refs, err := a.repo.Refs(ctx, blobRefs)
	if err != nil {
		return nil, err
	}
	refs = slices.DeleteFunc(refs, func(r git.Reference) bool {
		_, alive := live[strings.TrimPrefix(r.Name, blobRefs)]
		return alive
	})
	prefixes := make(map[string]bool)
	for _, e := range drop {
		if p := e.Retention.refPrefix(); p != "" && p != blobRefs {
			prefixes[p] = true
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
		here, err := a.repo.Refs(ctx, prefix)
		if err != nil {
			return nil, err
		}
		made, err := a.anchored(ctx, drop, prefix)
		if err != nil {
			return nil, err
		}
		needed, err := a.anchored(ctx, keep, prefix)
		if err != nil {
			return nil, err
		}
		for _, r := range here {
			if id := strings.TrimPrefix(r.Name, prefix); id == r.ID && made[id] && !needed[id] {
				refs = append(refs, r)
			}
		}
	}
	var dead []git.RefUpdate
	for _, r := range refs {
		dead = append(dead, git.RefUpdate{Name: r.Name, Old: r.ID})
	}
	return dead, nil
}

// loose returns the blobs of each entry whose retention is by references and that
// no reference holds, with the reference that is missing.
func (a *Archive) loose(ctx context.Context, entries []Entry, blobs func(i int) []string) ([]map[string]string, error) {
	held := make(map[string]map[string]bool) // by prefix
	out := make([]map[string]string, len(entries))
	for i := range entries {
		prefix := entries[i].Retention.refPrefix()
		if prefix == "" {
			continue
		}
		if held[prefix] == nil {
			refs, err := a.repo.Refs(ctx, prefix)
			if err != nil {
				return nil, err
			}
			held[prefix] = make(map[string]bool)
			for _, r := range refs {
				held[prefix][r.Name] = r.Name == prefix+r.ID
			}
		}
		out[i] = make(map[string]string)
		for _, id := range blobs(i) {
			if name := prefix + id; !held[prefix][name] {
				out[i][id] = name
			}
		}
	}
	return out, nil
}

// Blobs returns the ids of all blobs that snapshots name, sorted, each once. A
// program that collects garbage by marks of its own marks these: with none
// nothing else holds them. It is an error if a snapshot cannot be read, since what
// that one names would be missing.
func (a *Archive) Blobs(ctx context.Context) ([]string, error) {
	entries, damaged, err := a.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(damaged) > 0 {
		return nil, damaged[0]
	}
	names, err := a.named(ctx, entries)
	if err != nil {
		return nil, err
	}
	all := make(map[string]int64)
	for i := range names {
		maps.Copy(all, names[i])
	}
	return slices.Sorted(maps.Keys(all)), nil
}
