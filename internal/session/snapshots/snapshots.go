// Package snapshots keeps in the repository's archive what agents were shown: packs,
// items that a program names, and the messages of sessions. It also finds, replays
// and verifies snapshots.
package snapshots

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/snapshot"
)

// Snapshots are the records of what agents were shown, in the repository of a
// project. It is safe for concurrent use.
//
// The error of its methods is [ErrNoArchive] where the project is a plain folder.
type Snapshots struct{ project *project.Project }

// New returns the snapshots of a project.
func New(p *project.Project) *Snapshots { return &Snapshots{p} }

// ErrNoArchive means that snapshots have no place: the engine works on a plain
// folder.
var ErrNoArchive = errors.New("snapshots need a git repository, and this is a plain folder")

// archive returns the snapshots of the project's repository.
func (k *Snapshots) archive() (*archive.Archive, *git.Repo, error) {
	repo, ok := k.project.Tree.(*git.Repo)
	if !ok {
		return nil, nil, ErrNoArchive
	}
	return archive.New(repo), repo, nil
}

// archiveFor is archive for one who is going to write, under a retention.
func (k *Snapshots) archiveFor(retention string) (*archive.Archive, *git.Repo, archive.Retention, error) {
	a, repo, err := k.archive()
	if err != nil {
		return nil, nil, "", err
	}
	keep, err := archive.ParseRetention(retention)
	return a, repo, keep, err
}

// Keep records a pack that was made for req, with the text that it was
// written as, and returns the snapshot when it is on the disk. fresh is false if
// an equal snapshot was there already.
//
// Of each file the whole is kept, as it was: the blob of the repository where
// there is one, and a copy of what is not committed. A file in which secrets
// were redacted is kept redacted. retention is a name that
// archive.ParseRetention knows; taken is when, and part of no id.
func (k *Snapshots) Keep(ctx context.Context, req satchel.Request, p *satchel.Pack, text []byte, taken time.Time, retention string) (_ archive.Entry, fresh bool, err error) {
	a, repo, keep, err := k.archiveFor(retention)
	if err != nil {
		return archive.Entry{}, false, err
	}
	d := snapshot.New(snapshot.Heuristic, a.BlobID)
	task, found := withoutSecrets(req.Task)
	d.SetPack(p, snapshot.Request{
		Task: task, Rev: req.Rev, Pinned: req.Pinned, Paths: req.Paths, Include: req.Include, Detail: cmp.Or(req.Detail, satchel.Full).String(),
	})
	noteRedacted(d, "the task", found)
	format := cmp.Or(req.Format, string(render.Markdown))
	d.SetOutput(format, text)
	files, err := contents(ctx, repo, p)
	if err != nil {
		return archive.Entry{}, false, err
	}
	for i := range p.Entries {
		addEntry(d, p, &req, &p.Entries[i], files)
	}
	return a.Keep(ctx, d, taken, keep)
}

// addEntry adds an entry of a pack. Where the bytes of its file cannot be had
// any more, what was shown of it takes their place.
func addEntry(d *snapshot.Draft, p *satchel.Pack, req *satchel.Request, e *satchel.Entry, files map[string]snapshot.Bytes) {
	it := snapshot.Item{
		Kind: snapshot.KindFile, Path: e.Ref.Path, From: e.Ref.From, To: e.Ref.To, Role: snapshot.Context,
		Title: e.Title.String(), Lang: e.Lang, Detail: e.Detail, Lines: e.Lines, Tokens: e.Tokens, Score: e.Score,
		Dirty: e.Dirty, Preview: snapshot.Preview([]byte(e.Text.String())),
	}
	if !e.Dirty {
		it.Commit = p.Rev
	}
	if slices.Contains(req.Pinned, e.Ref.Path) || slices.Contains(req.Edit, e.Ref.Path) {
		it.Role = snapshot.Pinned
	}
	if !e.Ref.Kind.FileText() {
		it.Kind, it.Other = snapshot.KindOther, string(e.Ref.Kind)
	}
	b, ok := files[e.Ref.Path+"\x00"+e.Blob]
	if !ok {
		b = snapshot.Bytes{Data: []byte(e.Text.String())}
		if it.Kind == snapshot.KindFile {
			d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Path: e.Ref.Path, Text: "the file was not read again: the snapshot keeps the shown part"})
		}
	}
	d.Add(it, b)
}

// maxKept is the largest file of which a snapshot keeps the whole.
const maxKept = 32 << 20

// contents reads the files of a pack's entries, with secrets redacted, by path
// and blob. Files that changed since the pack was made are not in it.
func contents(ctx context.Context, repo *git.Repo, p *satchel.Pack) (map[string]snapshot.Bytes, error) {
	type file struct{ path, blob string }
	seen := make(map[file]bool)
	var files []file
	for i := range p.Entries {
		e := &p.Entries[i]
		f := file{e.Ref.Path, e.Blob}
		if e.Blob == "" || seen[f] {
			continue
		}
		seen[f] = true
		files = append(files, f)
	}
	out := make(map[string]snapshot.Bytes, len(files))
	keep := func(f file, data []byte, stored string) {
		out[f.path+"\x00"+f.blob] = kept(f.path, data, stored)
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	objects.Limit = maxKept
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.blob
	}
	err := objects.ReadAll(ids, func(i int, data []byte, err error) {
		f := files[i]
		switch {
		case err == nil:
			keep(f, data, f.blob)
		case errors.Is(err, git.ErrMissing) && repo.Dir() != "":
			// It was never committed or staged: it is on disk only.
			if data, err := repo.ReadFile(f.path, maxKept); err == nil && git.BlobID(repo.Format(), data) == f.blob {
				keep(f, data, "")
			}
		}
	})
	return out, err
}

// kept is what a snapshot keeps of bytes: all but their secrets, as they are. stored
// is the object of the repository that has them, which it no longer is if anything
// was redacted.
func kept(path string, data []byte, stored string) snapshot.Bytes {
	b := bytesOf(secrets.Redact(path, data))
	if b.Redacted == 0 {
		b.Stored = stored
	}
	return b
}

// bytesOf are bytes without the secrets that were found in them.
func bytesOf(redacted []byte, found []secrets.Finding) snapshot.Bytes {
	return snapshot.Bytes{Data: redacted, Redacted: len(found)}
}

// withoutSecrets takes the secrets out of a text that is no file's.
func withoutSecrets(text string) (clean string, found int) {
	b := kept("", []byte(text), "")
	return string(b.Data), b.Redacted
}

// noteRedacted says that secrets were taken out of something.
func noteRedacted(d *snapshot.Draft, what string, found int) {
	if found > 0 {
		d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%d secrets were redacted in %s", found, what)})
	}
}

// A TakenItem is one item that a person takes into a snapshot by hand.
type TakenItem struct {
	Kind snapshot.Kind
	Name string // path, URL, command line or label
	Data []byte // nil for a file of the repository, which is read
}

// Take records items that were chosen by hand. Nothing is fetched and
// nothing is run: whoever calls has the bytes already. A file that is not there
// is an error.
func (k *Snapshots) Take(ctx context.Context, items []TakenItem, summary string, taken time.Time, retention string) (_ archive.Entry, fresh bool, err error) {
	a, repo, keep, err := k.archiveFor(retention)
	if err != nil {
		return archive.Entry{}, false, err
	}
	d := snapshot.New(snapshot.Explicit, a.BlobID)
	summary, found := withoutSecrets(summary)
	d.Record.Summary = summary
	noteRedacted(d, "the summary", found)
	if commit, err := repo.Head(ctx); err == nil {
		d.Record.Commit = commit
	}
	for _, t := range items {
		it := snapshot.Item{Kind: t.Kind, Path: t.Name, Role: snapshot.Pinned, Detail: satchel.Full}
		if t.Kind != snapshot.KindFile {
			// A URL or a command line may hold a password; a path is how the
			// repository names the file, and no secret from it.
			it.Path, found = withoutSecrets(t.Name)
			noteRedacted(d, "the name of "+it.Path, found)
		}
		data := t.Data
		if t.Kind == snapshot.KindFile && data == nil {
			c, err := k.project.Index.ReadFile(ctx, k.project.Tree, "", t.Name)
			if err != nil {
				return archive.Entry{}, false, err
			}
			data, it.Lang = c.Text, c.Lang
		}
		b := snapshot.Bytes{Data: data}
		if t.Kind != snapshot.KindImage {
			b = kept(t.Name, data, "")
		}
		if t.Kind == snapshot.KindFile && t.Data == nil {
			stored, committed, err := place(ctx, repo, d.Record.Commit, t.Name, b.Data)
			if err != nil {
				return archive.Entry{}, false, err
			}
			b.Stored, it.Dirty = stored, !committed && b.Redacted == 0
			if committed {
				it.Commit = d.Record.Commit
			}
		}
		d.Add(it, b)
	}
	return a.Keep(ctx, d, taken, keep)
}

// place says whether the repository has these bytes, and whether the commit has
// them at path.
func place(ctx context.Context, repo *git.Repo, commit, path string, data []byte) (stored string, committed bool, err error) {
	id := git.BlobID(repo.Format(), data)
	objects := repo.Objects(ctx)
	defer objects.Close()
	if _, err := objects.Size(id); err == nil {
		stored = id
	} else if !errors.Is(err, git.ErrMissing) {
		return "", false, err
	}
	if stored == "" || commit == "" {
		return stored, false, nil
	}
	files, err := repo.Tree(ctx, commit)
	if err != nil {
		return "", false, err
	}
	i, ok := slices.BinarySearchFunc(files, path, func(f git.TreeFile, p string) int { return strings.Compare(f.Path, p) })
	return stored, ok && files[i].OID == id, nil
}

// A StoredSnapshot is a snapshot with its record.
type StoredSnapshot struct {
	archive.Entry
	Record *snapshot.Record `json:"record"`
}

// List lists the snapshots of the repository, newest first. Diagnostics say which
// commits of the chain could not be read.
func (k *Snapshots) List(ctx context.Context) ([]archive.Entry, []satchel.Diagnostic, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, nil, err
	}
	entries, damaged, err := a.List(ctx)
	var diags []satchel.Diagnostic
	for _, d := range damaged {
		diags = append(diags, satchel.Diagnostic{Text: d.Error()})
	}
	return entries, diags, err
}

// Find returns the snapshot whose id begins so, or the newest for
// "latest". The errors are *archive.UnknownError, *archive.AmbiguousError and
// *archive.DamageError.
func (k *Snapshots) Find(ctx context.Context, id string) (*StoredSnapshot, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, err
	}
	entry, err := a.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	r, err := a.Record(ctx, entry)
	if err != nil {
		return nil, err
	}
	return &StoredSnapshot{entry, r}, nil
}

// Replay returns the bytes that the pack of a snapshot was written as, to the
// byte, or for a snapshot taken by hand its items one after the other. For the
// bytes of one item, see [Snapshots.Blob].
func (k *Snapshots) Replay(ctx context.Context, s *StoredSnapshot) ([]byte, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, err
	}
	if s.Record.Output != nil {
		text, err := a.Blob(ctx, s.Entry, s.Record.Output.Blob)
		if err == nil && s.Record.Output.Format == string(render.JSON) {
			text = nameSnapshot(text, s.ID)
		}
		return text, err
	}
	var b bytes.Buffer
	for i := range s.Record.Items {
		it := &s.Record.Items[i]
		data, err := a.Blob(ctx, s.Entry, it.Blob)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "== %s %s ==\n", it.Kind, clean.Inline(it.Path))
		b.Write(data)
		if len(data) > 0 && data[len(data)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}

// Blob returns the bytes of one item of a snapshot.
func (k *Snapshots) Blob(ctx context.Context, s *StoredSnapshot, it *snapshot.Item) ([]byte, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, err
	}
	return a.Blob(ctx, s.Entry, it.Blob)
}

// noSnapshot ends the JSON of a pack that knows no snapshot; see package render.
const noSnapshot = `"snapshot":""` + "\n}\n"

// nameSnapshot puts the id of its snapshot into a pack that was written as JSON.
// The snapshot holds the text without it, since the id is a hash of that text.
func nameSnapshot(text []byte, id string) []byte {
	if head, ok := bytes.CutSuffix(text, []byte(noSnapshot)); ok {
		return append(bytes.Clone(head), strings.Replace(noSnapshot, `""`, `"`+id+`"`, 1)...)
	}
	return text
}

// Verify proves every blob of the snapshots with the given ids, or of
// all if there are none.
func (k *Snapshots) Verify(ctx context.Context, ids ...string) ([]archive.Proof, []satchel.Diagnostic, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, nil, err
	}
	entries, diags, err := k.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(ids) > 0 {
		entries = nil
		for _, id := range ids {
			entry, err := a.Find(ctx, id)
			if err != nil {
				return nil, nil, err
			}
			entries = append(entries, entry)
		}
	}
	proofs, err := a.Verify(ctx, entries)
	return proofs, diags, err
}

// Expire drops snapshots; see archive.Archive.Expire.
func (k *Snapshots) Expire(ctx context.Context, x archive.Expiry) (archive.Expired, error) {
	a, _, err := k.archive()
	if err != nil {
		return archive.Expired{}, err
	}
	return a.Expire(ctx, x)
}

// Blobs returns the ids of all blobs that snapshots name, sorted, each once:
// what a garbage collector of your own has to mark when snapshots are taken with the
// retention "none". It is an error, and no shorter list, if one cannot be read.
func (k *Snapshots) Blobs(ctx context.Context) ([]string, error) {
	a, _, err := k.archive()
	if err != nil {
		return nil, err
	}
	return a.Blobs(ctx)
}

// Import stores a snapshot that another program took: its strategy,
// summary, commit, and of its items kind, path, preview and blob. Items without a
// blob are looked up in the commit that the snapshot names; what still has no
// bytes in this repository is an error, since a snapshot is final. A zero time
// means that nobody knows when it was taken.
func (k *Snapshots) Import(ctx context.Context, s *snapshot.Record, taken time.Time, retention string) (_ archive.Entry, fresh bool, err error) {
	a, repo, keep, err := k.archiveFor(retention)
	if err != nil {
		return archive.Entry{}, false, err
	}
	d := snapshot.New(s.Strategy, a.BlobID)
	summary, found := withoutSecrets(s.Summary)
	d.Record.Summary, d.Record.Commit = summary, s.Commit
	noteRedacted(d, "the summary", found)
	if taken.IsZero() {
		d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Text: "it does not say when it was taken"})
	}
	var files []git.TreeFile
	if s.Commit != "" {
		if files, err = repo.Tree(ctx, s.Commit); err != nil {
			return archive.Entry{}, false, err
		}
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	for _, ci := range s.Items {
		it := snapshot.Item{Kind: ci.Kind, Other: ci.Other, Path: ci.Path, Role: snapshot.Context, Detail: satchel.Full}
		if ci.Kind != snapshot.KindFile {
			it.Path, found = withoutSecrets(ci.Path)
			noteRedacted(d, "the name of "+it.Path, found)
		}
		it.Preview, _ = withoutSecrets(ci.Preview)
		id := ci.Blob
		if i, ok := slices.BinarySearchFunc(files, ci.Path, func(f git.TreeFile, p string) int { return strings.Compare(f.Path, p) }); id == "" && ok {
			id, it.Commit = files[i].OID, s.Commit
		}
		if id == "" {
			return archive.Entry{}, false, fmt.Errorf("item %s has no blob, and the repository does not know its bytes", clean.Inline(ci.Path))
		}
		data, err := objects.Read(id, maxKept)
		if err != nil {
			return archive.Entry{}, false, fmt.Errorf("item %s, blob %s: %w", clean.Inline(ci.Path), id, err)
		}
		b := kept(ci.Path, data, id)
		if b.Redacted > 0 {
			d.Record.Diagnostics = append(d.Record.Diagnostics, ranking.RedactedDiagnostic(ci.Path, b.Redacted))
		}
		d.Add(it, b)
	}
	return a.Keep(ctx, d, taken, keep)
}

// AppendHistory adds a file to the history that another program keeps in this
// repository: as a commit on top of a reference that nobody has checked out.
func (k *Snapshots) AppendHistory(ctx context.Context, ref string, f *archive.HistoryFile) error {
	_, repo, err := k.archive()
	if err != nil {
		return err
	}
	return archive.Append(ctx, repo, ref, f)
}
