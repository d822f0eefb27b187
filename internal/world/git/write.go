package git

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// NewObjects are objects to store in one go: [NewObjects.Blob], [NewObjects.Tree] and
// [NewObjects.Commit] return ids at once, and [NewObjects.Store] passes everything to
// git as one pack. Nothing refers to them yet: see [Repo.UpdateRef].
//
// It is the only way for this package to write to a repository. No hook, filter or
// other program of the repository runs.
type NewObjects struct {
	repo  *Repo
	known map[string]bool
	body  bytes.Buffer // the objects of the pack, compressed
	count uint32
	zip   *zlib.Writer
}

// NewObjects returns an empty collection.
func (r *Repo) NewObjects() *NewObjects {
	return &NewObjects{repo: r, known: make(map[string]bool), zip: zlib.NewWriter(nil)}
}

// The numbers of object types in a pack, from gitformat-pack(5).
const (
	packCommit = 1
	packTree   = 2
	packBlob   = 3
)

var packTypes = map[int]string{packCommit: "commit", packTree: "tree", packBlob: "blob"}

// Blob adds a file's bytes.
func (n *NewObjects) Blob(data []byte) (id string) { return n.add(packBlob, data) }

// A TreeEntry is one name in a tree.
type TreeEntry struct {
	Mode Mode
	Name string // without a slash
	ID   string
}

// Tree adds a folder. The order of the entries does not matter. It fails for a
// name that no tree may have, for a name given twice and for a bad id.
func (n *NewObjects) Tree(entries []TreeEntry) (id string, err error) {
	sorted := slices.Clone(entries)
	key := func(e TreeEntry) string {
		if e.Mode == ModeDir {
			return e.Name + "/" // git sorts a folder as if its name ended so
		}
		return e.Name
	}
	slices.SortFunc(sorted, func(a, b TreeEntry) int { return strings.Compare(key(a), key(b)) })
	seen := make(map[string]bool, len(sorted))
	var data []byte
	for _, e := range sorted {
		raw, err := hex.DecodeString(e.ID)
		if err != nil || !n.repo.format.validID(e.ID) {
			return "", fmt.Errorf("tree entry %s: object id %q is not valid", clean(e.Name), clean(e.ID))
		}
		if !validPath(e.Name) || strings.Contains(e.Name, "/") || seen[e.Name] {
			return "", fmt.Errorf("tree entry %s: invalid or duplicate name", clean(e.Name))
		}
		seen[e.Name] = true
		data = append(data, strconv.FormatUint(uint64(e.Mode), 8)...)
		data = append(append(append(data, ' '), e.Name...), 0)
		data = append(data, raw...)
	}
	return n.add(packTree, data), nil
}

// A Signature says who made a commit, and when.
type Signature struct {
	Name, Email string
	Time        int64 // Unix seconds
}

func (s Signature) String() string { return fmt.Sprintf("%s <%s> %d +0000", s.Name, s.Email, s.Time) }

// Commit adds a commit. The message should end with a newline.
func (n *NewObjects) Commit(tree string, parents []string, by Signature, message string) (id string) {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", by, by, message)
	return n.add(packCommit, []byte(b.String()))
}

// add appends an object to the pack, unless it is there.
func (n *NewObjects) add(kind int, data []byte) string {
	id := objectID(n.repo.format, packTypes[kind], data)
	if n.known[id] {
		return id
	}
	n.known[id] = true
	n.count++
	n.body.Write(packHead(kind, len(data)))
	n.zip.Reset(&n.body)
	_, _ = n.zip.Write(data) // writing to a buffer does not fail
	n.zip.Close()
	return id
}

// packHead returns the header of an object in a pack: its type, and its size from the
// lowest bits up.
func packHead(kind, size int) []byte {
	var b []byte
	head := byte(kind<<4 | size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b = append(b, head|0x80)
		head = byte(size & 0x7f)
	}
	return append(b, head)
}

// pack returns the whole pack.
func (n *NewObjects) pack() []byte {
	out := make([]byte, 0, 12+n.body.Len()+32)
	out = append(out, "PACK\x00\x00\x00\x02"...)
	out = append(out, byte(n.count>>24), byte(n.count>>16), byte(n.count>>8), byte(n.count))
	out = append(out, n.body.Bytes()...)
	h := n.repo.format.hash()
	h.Write(out)
	return h.Sum(out)
}

// durable makes git wait until what it wrote is on the disk: all that this
// package stores, at the price of one flush for many objects.
var durable = []string{
	"core.fsync=all",
	"core.fsyncMethod=batch",
	"core.compression=1",
	"gc.auto=0", // nothing runs behind the user's back
	"transfer.fsckObjects=false",
	"pack.writeReverseIndex=false",
}

// looseLimit is the number of objects up to which they are stored one by one, as
// git itself does with what it receives (receive.unpackLimit).
const looseLimit = 100

// Store writes the objects and returns when they are on the disk. Storing nothing, or
// what is there already, is fine.
func (n *NewObjects) Store(ctx context.Context) error {
	if n.count == 0 {
		return nil
	}
	run := n.repo.writer()
	args := []string{"unpack-objects", "-q"}
	if n.count > looseLimit {
		args = []string{"index-pack", "--stdin"}
	}
	_, err := run.run(ctx, bytes.NewReader(n.pack()), args...)
	return err
}

// writer returns a runner whose writes are durable.
func (r *Repo) writer() *runner {
	run := r.run
	run.config = append(run.config[:len(run.config):len(run.config)], durable...)
	return &run
}

// A RefMovedError means that a reference was not what the caller thought: some
// other process was faster, so that the caller has to look again.
type RefMovedError struct {
	Name   string
	Locked bool // another process is changing it, or died while it did
}

func (e *RefMovedError) Error() string {
	if e.Locked {
		return fmt.Sprintf("reference %s is locked by another process; if none is running, remove its file %s.lock in the git directory", clean(e.Name), clean(e.Name))
	}
	return fmt.Sprintf("reference %s was changed by another process", clean(e.Name))
}

// Ref returns the id of a full reference name, such as refs/satchel/x, or "" if it
// does not exist.
func (r *Repo) Ref(ctx context.Context, name string) (string, error) {
	if err := CheckRefName(name); err != nil {
		return "", err
	}
	if id := r.refFile(name); id != "" {
		return id, ctx.Err()
	}
	out, err := r.run.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if exitCode(err) == 1 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSuffix(string(out), "\n")
	if !r.format.validID(id) {
		return "", commandError("rev-parse", "", errAnswer)
	}
	return id, nil
}

// CheckedOut returns the folder of the worktree that has the branch with this full
// name checked out, or "". A branch without a commit that HEAD names counts as
// checked out.
func (r *Repo) CheckedOut(ctx context.Context, name string) (string, error) {
	if err := CheckRefName(name); err != nil {
		return "", err
	}
	out, err := r.run.run(ctx, nil, "for-each-ref", "--format=%(refname) %(worktreepath)", "--end-of-options", name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		// A name is a prefix, too: refs/heads/a also lists refs/heads/a/b.
		if ref, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ref == name && dir != "" {
			return dir, nil
		}
	}
	head, err := r.run.run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	if err == nil && strings.TrimSuffix(string(head), "\n") == name && r.Dir() != "" {
		return r.Dir(), nil
	}
	return "", nil
}

// A Reference is a name and the object that it points to.
type Reference struct{ Name, ID string }

// Refs returns the references below a prefix that ends with a slash, by name.
func (r *Repo) Refs(ctx context.Context, prefix string) ([]Reference, error) {
	if err := CheckRefName(strings.TrimSuffix(prefix, "/")); err != nil {
		return nil, err
	}
	var refs []Reference
	_, err := r.run.stream(ctx, nil, maxListing, func(br *bufio.Reader) error {
		for {
			line, err := br.ReadString('\n')
			if err == io.EOF && line == "" {
				return nil
			}
			if err != nil {
				return truncated(err)
			}
			id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !ok || !r.format.validID(id) {
				return errAnswer
			}
			refs = append(refs, Reference{Name: name, ID: id})
		}
	}, "for-each-ref", "--format=%(objectname) %(refname)", "--end-of-options", prefix)
	return refs, err
}

// A RefUpdate changes one reference from one id to another. An empty Old means
// that the reference must not exist, an empty New that it goes.
type RefUpdate struct{ Name, New, Old string }

// UpdateRefs changes references, all or none. It returns a *[RefMovedError] if
// one of them is not at its old id, or is being changed at that moment.
func (r *Repo) UpdateRefs(ctx context.Context, updates ...RefUpdate) error {
	if len(updates) == 0 {
		return nil
	}
	zero := strings.Repeat("0", r.format.HexLen())
	var in strings.Builder
	for _, u := range updates {
		if err := CheckRefName(u.Name); err != nil {
			return err
		}
		for _, id := range []string{u.New, u.Old} {
			if id != "" && !r.format.validID(id) {
				return fmt.Errorf("reference %s: object id %q is not valid", u.Name, clean(id))
			}
		}
		if u.New == "" {
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Name, cmp.Or(u.Old, zero))
		} else {
			fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Name, u.New, cmp.Or(u.Old, zero))
		}
	}
	_, err := r.writer().run(ctx, strings.NewReader(in.String()), "update-ref", "--no-deref", "--stdin", "-z")
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*CommandError](err); ok {
		locked := strings.Contains(failed.Stderr, ".lock': File exists")
		if locked || moved(failed.Stderr) {
			return &RefMovedError{updates[0].Name, locked}
		}
	}
	return err
}

// moved reports whether git's complaint is that somebody else has changed the
// reference.
func moved(stderr string) bool {
	complaints := []string{"but expected", "reference already exists", "unable to resolve reference", "reference is missing"}
	return slices.ContainsFunc(complaints, func(s string) bool { return strings.Contains(stderr, s) })
}

// CheckRefName refuses what is not a full name below refs/, by the rules of
// git-check-ref-format(1) as far as they keep a name from being anything else.
func CheckRefName(name string) error {
	bad := !strings.HasPrefix(name, "refs/") || strings.HasSuffix(name, "/") || strings.HasSuffix(name, ".lock") || strings.Contains(name, ".lock/") ||
		strings.Contains(name, "..") || strings.Contains(name, "//") || strings.Contains(name, "@{") || strings.Contains(name, "/.")
	for i := range len(name) {
		bad = bad || name[i] <= ' ' || name[i] >= 0x7f || strings.IndexByte("~^:?*[\\", name[i]) >= 0
	}
	if bad {
		return fmt.Errorf("reference name %q: want a full name such as refs/satchel/snapshots", clean(name))
	}
	return nil
}
