package install

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A trustedHook is one of our hooks as Codex sees it.
type trustedHook struct {
	Event   string `json:"eventName"`
	Command string `json:"command"`
	Enabled bool   `json:"enabled"`
	Status  string `json:"trustStatus"` // trusted, untrusted, modified or managed
	Hash    string `json:"currentHash"`
}

// trustPatience is how long Codex has for an answer: it takes a quarter of a
// second.
const trustPatience = 10 * time.Second

// maxReply is the most that is read of Codex's answers.
const maxReply = 8 << 20

// trust asks Codex which of our hooks it would run: it starts codex app-server,
// the first on PATH, and calls hooks/list. Nothing else tells what Codex makes
// of a hook, and a hook that its user has not trusted is skipped without a word.
// The record of trust is Codex's, and is never written here.
func trust(ctx context.Context, o Options) ([]trustedHook, error) {
	program := lookPath(o.Getenv("PATH"), "codex")
	if program == "" {
		return nil, errors.New("codex is not on PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, trustPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "app-server")
	cmd.Dir = o.Home()
	cmd.WaitDelay = time.Second
	for _, name := range []string{"HOME", "PATH", "CODEX_HOME", "LANG", "TMPDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "COMSPEC", "PATHEXT"} {
		if v := o.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	hooks, err := askTrust(in, out, o.Project)
	if ctx.Err() != nil {
		err = errors.New("codex app-server does not answer")
	}
	cancel()
	_ = cmd.Wait() // it was ended
	return hooks, err
}

func askTrust(in io.Writer, out io.Reader, dir string) ([]trustedHook, error) {
	replies := bufio.NewScanner(io.LimitReader(out, maxReply))
	replies.Buffer(nil, maxReply)
	call := func(id int, method string, params any, result any) error {
		text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
		if err != nil {
			return err
		}
		if _, err := in.Write(append(text, '\n')); err != nil {
			return err
		}
		for replies.Scan() {
			var reply struct {
				ID     json.RawMessage `json:"id"`
				Result json.RawMessage `json:"result"`
				Error  *struct {
					Message string `json:"message"`
				} `json:"error"`
			}
			if json.Unmarshal(replies.Bytes(), &reply) != nil || string(reply.ID) != fmt.Sprint(id) {
				continue // a notification
			}
			if reply.Error != nil {
				return fmt.Errorf("%s: %.200s", method, reply.Error.Message)
			}
			return json.Unmarshal(reply.Result, result)
		}
		if err := replies.Err(); err != nil {
			return err
		}
		return fmt.Errorf("%s: codex app-server ended", method)
	}
	var ignored json.RawMessage
	if err := call(1, "initialize", map[string]any{"clientInfo": map[string]string{"name": "satchel", "title": "satchel doctor", "version": "1"}}, &ignored); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(in, `{"method":"initialized"}`+"\n"); err != nil {
		return nil, err
	}
	if dir == "" {
		dir = "/"
	}
	var list struct {
		Data []struct {
			Hooks []trustedHook `json:"hooks"`
		} `json:"data"`
	}
	if err := call(2, "hooks/list", map[string]any{"cwds": []string{dir}}, &list); err != nil {
		return nil, err
	}
	ours := []trustedHook{}
	for _, d := range list.Data {
		for _, h := range d.Hooks {
			if strings.Contains(h.Command, "satchel hook ") {
				ours = append(ours, h)
			}
		}
	}
	return ours, nil
}

// recordedTrust counts the hooks of satchel's file for which Codex keeps a
// record of trust. It does not know whether the hashes still hold.
func recordedTrust(o Options) (n int) {
	o.Scope = User
	files := o.files("codex")
	text, err := glance(files[1].path)
	if err != nil {
		return 0
	}
	doc, err := parseTOML(text)
	if err != nil {
		return 0
	}
	hooks, _ := doc["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for key, v := range state {
		file, _, _ := strings.Cut(filepath.ToSlash(key), "hooks.json:")
		record, _ := v.(map[string]any)
		if hash, ok := record["trusted_hash"].(string); ok && hash != "" && strings.HasSuffix(file, "/") {
			n++
		}
	}
	return n
}
