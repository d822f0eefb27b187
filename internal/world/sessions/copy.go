package sessions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-dev/satchel/transcript"
)

// A Copy is where the changed copy of a session has to lie for its agent to go on
// with it. Nothing lies there yet.
type Copy struct {
	Path string
	ID   string // by which the agent resumes it

	// Session is the id that the file has to hold, as [transcript.Rename] writes it:
	// two sessions of one id are taken for each other.
	Session string
}

// ErrNoCopy says that an agent finds its sessions in no folder.
var ErrNoCopy = errors.New("it does not resume a file")

// A HomeError is an agent's folder that is not there.
type HomeError struct {
	Agent transcript.Format
	Dir   string // the folder, or where the agent runs if Project
	// Project means that the agent has a home, but has not yet run in Dir.
	Project bool
}

func (e *HomeError) Error() string {
	if e.Project {
		return fmt.Sprintf("%s has no folder for the sessions of %s", e.Agent, e.Dir)
	}
	if e.Dir == "" {
		return fmt.Sprintf("where %s keeps its sessions is not known: HOME is not set", e.Agent)
	}
	return fmt.Sprintf("%s keeps its sessions in %s, and there is no such folder", e.Agent, e.Dir)
}

// NewCopy finds a place for a copy of the session in the file from, which began
// at started: for Claude Code and pi beside the session, for Codex and Gemini CLI
// in the home that q's environment tells, for an agent that runs in q.Dir. seed
// tells copies of one session apart: the same seed gives the same place, unless an
// earlier copy lies there, which the agent may have gone on with.
//
// The error is [ErrNoCopy] or a *[HomeError].
func NewCopy(q Query, agent transcript.Format, from string, started time.Time, seed string) (Copy, error) {
	l := &lister{q: q, odd: map[string]int{}}
	defer l.close()
	dir, err := l.copyDir(agent, from, started)
	if err != nil {
		return Copy{}, err
	}
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", seed, n))
		c := nameCopy(agent, dir, from, started, hex.EncodeToString(sum[:]))
		if _, err := os.Lstat(c.Path); err != nil {
			return c, nil //nolint:nilerr // it is free; if it cannot be written, writing says why
		}
	}
}

// copyDir is the folder of the copy.
func (l *lister) copyDir(agent transcript.Format, from string, started time.Time) (string, error) {
	switch agent {
	case transcript.ClaudeCode, transcript.Pi:
		return filepath.Dir(from), nil
	case transcript.Codex:
		dir := l.codexDir()
		if l.home(dir) == nil {
			return "", &HomeError{Agent: agent, Dir: dir}
		}
		return filepath.Join(dir, "sessions", started.UTC().Format("2006/01/02")), nil
	case transcript.Gemini:
		dir := l.geminiDir()
		h := l.home(dir)
		if h == nil {
			return "", &HomeError{Agent: agent, Dir: dir}
		}
		var here, sums []string
		for _, d := range []string{filepath.Clean(l.q.Dir), resolved(l.q.Dir)} {
			sum := sha256.Sum256([]byte(d))
			here, sums = append(here, d), append(sums, hex.EncodeToString(sum[:]))
		}
		for _, p := range h.folders("tmp") {
			root := strings.TrimSpace(string(h.small(p.name + "/.project_root")))
			if slices.Contains(here, root) || root == "" && slices.Contains(sums, path.Base(p.name)) {
				return filepath.Join(dir, filepath.FromSlash(p.name), "chats"), nil
			}
		}
		return "", &HomeError{Agent: agent, Dir: l.q.Dir, Project: true}
	}
	return "", ErrNoCopy
}

// nameCopy names the copy as the agent names its sessions.
func nameCopy(agent transcript.Format, dir, from string, started time.Time, sum string) Copy {
	id := fmt.Sprintf("%s-%s-4%s-8%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20], sum[20:32])
	at := started.UTC()
	switch ext := filepath.Ext(from); agent {
	case transcript.Codex:
		return Copy{filepath.Join(dir, "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+id+".jsonl"), id, id}
	case transcript.Gemini:
		return Copy{filepath.Join(dir, "session-"+at.Format("2006-01-02T15-04")+"-"+id[:8]+geminiExt(ext)), id, id}
	case transcript.Pi:
		name := filepath.Join(dir, strings.TrimSuffix(filepath.Base(from), ext)+".trimmed-"+sum[:8]+".jsonl")
		return Copy{name, name, id}
	default: // Claude Code finds a session by its name in the folder of the project
		return Copy{filepath.Join(dir, id+".jsonl"), id, id}
	}
}

// Resumed returns by which name an agent goes on with the session in the file
// from where it lies, if the file tells the id; "" if the agent does not find it
// there.
func Resumed(q Query, agent transcript.Format, from, id string) string {
	l := &lister{q: q, odd: map[string]int{}}
	defer l.close()
	switch agent {
	case transcript.ClaudeCode: // beside it a copy would lie
		if stem, ok := strings.CutSuffix(filepath.Base(from), ".jsonl"); ok && uuid.MatchString(stem) {
			return stem
		}
	case transcript.Pi:
		return from
	case transcript.Codex:
		if strings.HasPrefix(resolved(from), filepath.Join(resolved(l.codexDir()), "sessions")+string(filepath.Separator)) {
			return id
		}
	case transcript.Gemini:
		if dir, err := l.copyDir(agent, from, time.Time{}); err == nil && resolved(dir) == filepath.Dir(resolved(from)) {
			return id
		}
	}
	return ""
}

// uuid is what Claude Code takes for the id of a session.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// geminiExt is the ending of a session: one document, or lines.
func geminiExt(ext string) string {
	if ext == ".json" {
		return ext
	}
	return ".jsonl"
}
