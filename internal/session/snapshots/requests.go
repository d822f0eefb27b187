package snapshots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/secrets"
	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/internal/world/sessions"
	"github.com/satchel-dev/satchel/snapshot"
	"github.com/satchel-dev/satchel/transcript"
)

// keepLastRequest makes a snapshot of the last request that a transcript of Claude Code
// records. It says what the model was sent: system prompt, tools and messages, proven by
// the hashes of the transcript. What cannot be proven is not in it, and a Diagnostic
// says so. The error is transcript.ErrNoRequests if none is recorded.
func (k *Snapshots) keepLastRequest(ctx context.Context, name, retention string) (e archive.Entry, fresh bool, err error) {
	f, err := sessions.Open(name)
	if err != nil {
		return e, false, err
	}
	defer f.Close()
	list, _, err := transcript.Requests(f, f.Size)
	if err != nil {
		return e, false, fmt.Errorf("read session %s: %w", name, err)
	}
	return k.keepRequest(ctx, &list[len(list)-1], retention)
}

func (k *Snapshots) keepRequest(ctx context.Context, r *transcript.Request, retention string) (e archive.Entry, fresh bool, err error) {
	a, repo, keep, err := k.archiveFor(retention)
	if err != nil {
		return e, false, err
	}
	d := snapshot.New(snapshot.Explicit, a.BlobID)
	if err := at(ctx, repo, d); err != nil {
		return e, false, err
	}
	redacted := 0
	d.Record.Summary = clean.Line("request " + r.ID + " of Claude Code to " + r.Model).String()
	add := func(path, kind, title string, data []byte) {
		if data == nil {
			return
		}
		b := bytesOf(secrets.RedactJSON(data))
		redacted += b.Redacted
		d.Add(snapshot.Item{Kind: snapshot.KindOther, Other: kind, Path: path, Role: snapshot.Context, Title: title, Detail: satchel.Full}, b)
	}
	add("request/0-params", "params", "", r.Params)
	add("request/1-system", "system", "", r.System)
	add("request/2-tools", "tools", "sha256 of system and tools "+r.Shape, r.Tools)
	for i, m := range r.Messages {
		add(fmt.Sprintf("request/messages/%05d-%s", i, cleanRole(m.Role)), "message", "sha256 "+m.Hash, m.JSON)
	}
	d.Record.Diagnostics = append(d.Record.Diagnostics, r.Diagnostics...)
	if redacted > 0 {
		d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Text: fmt.Sprintf("%d secrets were redacted: the hashes of those items are of the original bytes", redacted)})
	}
	return a.Keep(ctx, d, r.Time, keep)
}

// cleanRole is a role as part of a path.
func cleanRole(role string) string {
	switch role {
	case "user", "assistant", "system":
		return role
	}
	return "other"
}

// at says which commit a draft was made at, if there is one.
func at(ctx context.Context, repo *git.Repo, d *snapshot.Draft) error {
	commit, err := repo.Head(ctx)
	switch {
	case err == nil:
		d.Record.Commit = commit
	case errors.Is(err, git.ErrUnborn):
	default:
		return err
	}
	return nil
}

// KeepSession makes a snapshot of what a session's model would be sent next:
// of the last request that Claude Code recorded, where there is one, else of the
// messages of the transcript. With until, only so many bytes of the transcript of
// another agent count: what stood in it then. An equal snapshot is not made twice.
func (k *Snapshots) KeepSession(ctx context.Context, name string, until int64, taken time.Time, retention string) (archive.Entry, bool, error) {
	if until == 0 {
		e, fresh, err := k.keepLastRequest(ctx, name, retention)
		if !errors.Is(err, transcript.ErrNoRequests) {
			return e, fresh, err
		}
	}
	f, err := sessions.Open(name)
	if err != nil {
		return archive.Entry{}, false, err
	}
	defer f.Close()
	s, err := transcript.Read(f, f.UpTo(until))
	if err != nil {
		return archive.Entry{}, false, fmt.Errorf("read session %s: %w", name, err)
	}
	a, repo, keep, err := k.archiveFor(retention)
	if err != nil {
		return archive.Entry{}, false, err
	}
	d := snapshot.New(snapshot.Explicit, a.BlobID)
	if err := at(ctx, repo, d); err != nil {
		return archive.Entry{}, false, err
	}
	d.Record.Summary = clean.Inline(fmt.Sprintf("messages of a session of %s", s.Format))
	for i := range s.Messages {
		m := &s.Messages[i]
		it := snapshot.Item{Kind: snapshot.KindOther, Other: "message", Path: fmt.Sprintf("session/%05d-%s", i, cleanRole(string(m.Role))), Role: snapshot.Context, Title: string(m.Kind), Detail: satchel.Full}
		d.Add(it, messageBytes(m))
	}
	for _, text := range s.System {
		d.Add(snapshot.Item{Kind: snapshot.KindOther, Other: "system", Path: "session/system", Role: snapshot.Context, Detail: satchel.Full}, bytesOf(secrets.RedactTurn([]byte(text))))
	}
	d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Text: "this agent does not record what it sends: these are the messages of its transcript"})
	return a.Keep(ctx, d, taken, keep)
}

// messageBytes are the blocks of a message without their secrets.
func messageBytes(m *transcript.Message) snapshot.Bytes {
	var out snapshot.Bytes
	for i := range m.Blocks {
		b := &m.Blocks[i]
		text, input := bytesOf(secrets.RedactTurn([]byte(b.Text))), bytesOf(secrets.RedactJSON(b.Input))
		out.Data = fmt.Appendf(out.Data, "[%s%s]\n%s%s\n", b.Type, space(b.Name), text.Data, input.Data)
		out.Redacted += text.Redacted + input.Redacted
	}
	return out
}

// space puts a space before a name, if there is one.
func space(name string) string {
	if name == "" {
		return ""
	}
	return " " + clean.Line(name).String()
}
