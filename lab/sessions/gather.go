package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/world/git"
	"github.com/satchel-dev/satchel/transcript"
)

// What gather takes for a session: a blob of these sizes in one of these
// formats, which record an id, with so many answers.
const (
	smallestSession = 50 << 10
	largestSession  = 64 << 20
	leastAnswers    = 14
)

var gathered = []transcript.Format{transcript.ClaudeCode, transcript.Codex, transcript.Pi}

// A found session is a recording in a repository.
type found struct {
	entry
	id   string
	text []byte
}

// An entry is a line of index.jsonl. File is relative to the folder.
type entry struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Repo   string `json:"repo"`
	Blob   string `json:"blob"`
	Split  string `json:"split"`
}

// readIndex reads index.jsonl in a folder of sessions.
func readIndex(dir string) (list []entry, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("%s/index.jsonl: %w", dir, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// read reads the session of an entry, as its agent wrote it.
func (e *entry) read(dir string) (text []byte, s *transcript.Session, err error) {
	if text, err = os.ReadFile(filepath.Join(dir, e.File)); err != nil {
		return nil, nil, err
	}
	if s, err = transcript.Read(bytes.NewReader(text), int64(len(text))); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", e.File, err)
	}
	return text, s, nil
}

// gather copies the sessions of dir to out, and adds those that the repositories
// hold besides: of each session the largest recording, as split "more". The
// mirror has a bare repository OWNER+NAME/repo for each.
func gather(f *settings) error {
	known := map[string]bool{} // ids
	index, err := readIndex(f.dir)
	if err != nil {
		return err
	}
	for _, e := range index {
		text, s, err := e.read(f.dir)
		if err != nil {
			return err
		}
		known[s.ID] = true
		if err := store(f.out, e.File, text); err != nil {
			return err
		}
	}
	for repo := range strings.FieldsSeq(f.repos) {
		more, err := sessionsOf(filepath.Join(f.mirror, strings.ReplaceAll(repo, "/", "+"), "repo"))
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
		n := 0
		for _, s := range more {
			if known[s.id] {
				continue
			}
			known[s.id] = true
			s.Repo, s.Split = repo, "more"
			s.File = fmt.Sprintf("more/%s__%s__%.10s.jsonl", s.Format, strings.ReplaceAll(repo, "/", "__"), s.Blob)
			if err := store(f.out, s.File, s.text); err != nil {
				return err
			}
			index = append(index, s.entry)
			n++
		}
		fmt.Fprintf(os.Stderr, "%s: %d sessions more\n", repo, n)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, e := range index {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return store(f.out, "index.jsonl", b.Bytes())
}

func store(dir, name string, text []byte) error {
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// sessionsOf returns the sessions in a repository, the largest recording of
// each, by blob.
func sessionsOf(dir string) ([]found, error) {
	ctx := context.Background()
	oids, err := blobs(ctx, dir)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	objects.Limit = largestSession
	best := map[string]found{} // by id
	err = objects.ReadAll(oids, func(i int, text []byte, err error) {
		if err != nil || len(text) == 0 || text[0] != '{' {
			return
		}
		s, err := transcript.Read(bytes.NewReader(text), int64(len(text)))
		if err != nil || s.ID == "" || !slices.Contains(gathered, s.Format) {
			return
		}
		answers := 0
		for k := range s.Messages {
			if s.Messages[k].Role == transcript.Assistant {
				answers++
			}
		}
		was, ok := best[s.ID]
		if answers < leastAnswers || ok && cmp.Or(cmp.Compare(len(text), len(was.text)), cmp.Compare(was.Blob, oids[i])) < 0 {
			return
		}
		best[s.ID] = found{entry: entry{Format: string(s.Format), Blob: oids[i]}, id: s.ID, text: text}
	})
	out := make([]found, 0, len(best))
	for _, s := range best {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b found) int { return cmp.Compare(a.Blob, b.Blob) })
	return out, err
}

// blobs lists the blobs of a repository, reachable or not, that have the size of
// a session.
func blobs(ctx context.Context, dir string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "--git-dir="+dir, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectsize) %(objectname)")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var oids []string
	for r := bufio.NewReader(pipe); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		var kind, oid string
		var size int64
		if n, _ := fmt.Sscan(line, &kind, &size, &oid); n == 3 && kind == "blob" && size >= smallestSession && size <= largestSession {
			oids = append(oids, oid)
		}
	}
	return oids, cmd.Wait()
}
