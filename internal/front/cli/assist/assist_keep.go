package assist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/satchel-dev/satchel/engine"
	"github.com/satchel-dev/satchel/internal/assist"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/snapshot"
)

// The summaries of snapshots of calls begin so, and these are the names of what they
// hold.
const (
	runSummary  = "assist: "
	callSummary = "assist call: "
	editSummary = "assist edit: " // and the id of the run
	runItem     = "run.json"
	outputItem  = "output"
	recordItem  = "record.jsonl"
)

// recordVersion is the version of an assistRecord. Version 1 counted the
// tokens of the cache apart from the input.
const recordVersion = 2

// An assistRecord is what a snapshot says of one run of a command.
type assistRecord struct {
	Version    int              `json:"version"`
	Command    []string         `json:"command"`
	Header     llm.RecordHeader `json:"header"`
	Model      string           `json:"model"`
	Calls      []callRecord     `json:"calls"`
	Spent      assist.Spent     `json:"spent"`
	Incomplete []string         `json:"incomplete,omitempty"`
}

// A callRecord is one call of a run.
type callRecord struct {
	Label    string `json:"label"`
	Snapshot string `json:"snapshot"`
	Tries    int    `json:"tries"`
	Sent     int    `json:"sent"`     // bytes, of all tries
	Received int    `json:"received"` // bytes
	Took     int64  `json:"took_ms"`
}

// keep takes a snapshot of every call, and one of the run that lists them.
func (r *deskRun) keep(ctx context.Context, output []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.trips) == 0 || r.app.NoSnapshots() {
		return nil
	}
	run := assistRecord{Version: recordVersion, Command: r.header.Command, Header: r.header, Model: r.header.Endpoints[r.header.Top].Model, Spent: r.Spend.Spent(), Incomplete: r.incomplete}
	for _, label := range r.labels() {
		call, err := r.keepCall(ctx, label)
		if err != nil {
			return notArchive(err)
		}
		run.Calls = append(run.Calls, call)
	}
	doc, err := json.Marshal(&run)
	if err != nil {
		return err
	}
	name := ""
	if len(run.Command) > 0 {
		name = run.Command[0]
	}
	what := fmt.Sprintf("%s%s by %s, %s", runSummary, name, run.Model, render.Plural(len(run.Calls), "call"))
	entry, err := r.take(ctx, what, item(runItem, doc), item(outputItem, output))
	r.snapshot = entry.ID
	return notArchive(err)
}

// labels returns the labels of the calls, in the order that they ended.
func (r *deskRun) labels() (list []string) {
	seen := map[string]bool{}
	for i := range r.trips {
		if l := r.trips[i].Label; !seen[l] {
			seen[l] = true
			list = append(list, l)
		}
	}
	return list
}

// keepCall takes the snapshot of one call: its requests and answers, as a record.
func (r *deskRun) keepCall(ctx context.Context, label string) (callRecord, error) {
	c := callRecord{Label: label}
	var record bytes.Buffer
	head, err := json.Marshal(&r.header)
	if err != nil {
		return c, err
	}
	record.Write(append(head, '\n'))
	for i := range r.trips {
		t := &r.trips[i]
		if t.Label != label {
			continue
		}
		line, err := t.Line()
		if err != nil {
			return c, err
		}
		record.Write(line)
		c.Tries++
		c.Sent, c.Received, c.Took = c.Sent+len(t.Request), c.Received+len(t.Answer()), c.Took+t.Took
	}
	entry, err := r.take(ctx, callSummary+label, item(recordItem, record.Bytes()))
	c.Snapshot = entry.ID
	return c, err
}

func item(name string, data []byte) engine.TakenItem {
	return engine.TakenItem{Kind: snapshot.KindSnippet, Name: name, Data: data}
}

func (r *deskRun) take(ctx context.Context, what string, items ...engine.TakenItem) (engine.SnapshotEntry, error) {
	entry, _, err := r.Engine.Snapshots().Take(ctx, items, what, r.app.Now(), r.app.Settings.Retention)
	return entry, err
}

// notArchive passes over that a plain folder keeps no snapshots.
func notArchive(err error) error {
	if errors.Is(err, engine.ErrNoArchive) {
		return nil
	}
	return err
}
