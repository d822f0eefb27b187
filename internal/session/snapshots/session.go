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

// KeepSession makes a snapshot of the messages that a session's model would be sent
// next. If until is not 0, it reads only that many bytes of the transcript. An equal
// snapshot is not made again.
func (k *Snapshots) KeepSession(ctx context.Context, name string, until int64, taken time.Time, retention string) (archive.Entry, bool, error) {
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
		it := snapshot.Item{Kind: snapshot.KindOther, Other: "message", Path: fmt.Sprintf("session/%05d-%s", i, m.Role), Role: snapshot.Context, Title: string(m.Kind), Detail: satchel.Full}
		d.Add(it, messageBytes(m))
	}
	for _, text := range s.System {
		d.Add(snapshot.Item{Kind: snapshot.KindOther, Other: "system", Path: "session/system", Role: snapshot.Context, Detail: satchel.Full}, bytesOf(secrets.RedactTurn([]byte(text))))
	}
	d.Record.Diagnostics = append(d.Record.Diagnostics, satchel.Diagnostic{Text: "the transcript may lack parts of what the model was sent"})
	return a.Keep(ctx, d, taken, keep)
}

// at sets the commit of a draft to HEAD, if there is one.
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

// messageBytes returns the blocks of a message with secrets redacted.
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
