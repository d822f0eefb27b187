package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// acp plays an editor: it starts opencode as an ACP agent and gives it the
// server.
func (t *trial) acp(b *box) {
	e, err := t.startACP(b)
	if err != nil {
		t.fail("opencode acp: %v", err)
		return
	}
	defer e.cmd.Wait()
	defer e.cmd.Process.Kill()

	if _, ok := e.call(1, "initialize", object{"protocolVersion": 1, "clientCapabilities": object{"fs": object{"readTextFile": false, "writeTextFile": false}}, "clientInfo": object{"name": "trial", "version": "0"}}); !ok {
		t.fail("acp: no answer to initialize")
		return
	}
	s, ok := e.call(2, "session/new", object{"cwd": b.repo, "mcpServers": []any{object{"name": "satchel", "command": b.bin + "/satchel", "args": []any{"mcp"}, "env": []any{}}}})
	if !ok || s.Result.Session == "" {
		t.fail("acp: no session")
		return
	}
	b.api.clear()
	_, ok = e.call(3, "session/prompt", object{"sessionId": s.Result.Session, "prompt": []any{object{"type": "text", "text": `acp @@tool satchel_pack {"task":"` + task + `","budget":1500}@@`}}})
	t.want(ok, "acp: the prompt was not answered")
	time.Sleep(time.Second)

	e.mu.Lock()
	defer e.mu.Unlock()
	t.want(e.used > 0, "acp: no usage_update")
	found := false
	for _, r := range b.api.seen() {
		found = found || strings.Contains(strings.Join(texts(r.Body), "\n"), "retryWithBackoff")
	}
	t.want(found, "acp: satchel's answer did not reach the model")
	t.fact("acp usage_update %d", e.used)
}

// An editor talks to an ACP agent.
type editor struct {
	cmd     *exec.Cmd
	in      io.Writer
	replies chan acpMessage

	mu   sync.Mutex
	used int // tokens, the most that a usage_update said
}

// An acpMessage is what the agent says: a request, an update or a reply.
type acpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Update struct {
			Kind string `json:"sessionUpdate"`
			Used int    `json:"used"`
		} `json:"update"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	} `json:"params"`
	Result struct {
		Session string `json:"sessionId"`
	} `json:"result"`
}

// startACP starts the agent, and an editor that listens to it.
func (t *trial) startACP(b *box) (*editor, error) {
	argv := append(t.argv("opencode"), "acp")
	e := &editor{cmd: exec.Command(argv[0], argv[1:]...), replies: make(chan acpMessage, 10)}
	e.cmd.Dir, e.cmd.Env = b.repo, b.env(b.opencodeVars()...)
	in, err := e.cmd.StdinPipe()
	if err != nil {
		panic(notRun{err.Error()})
	}
	e.in = in
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		panic(notRun{err.Error()})
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	go e.listen(out)
	return e, nil
}

func (e *editor) send(v object) {
	v["jsonrpc"] = "2.0"
	text, _ := json.Marshal(v) // maps always can
	_, _ = e.in.Write(append(text, '\n'))
}

// listen grants what the agent asks for, until it ends.
func (e *editor) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m acpMessage
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		switch {
		case m.Method == "session/request_permission" && len(m.Params.Options) > 0:
			e.send(object{"id": m.ID, "result": object{"outcome": object{"outcome": "selected", "optionId": m.Params.Options[0].ID}}})
		case m.Method != "" && len(m.ID) > 0:
			e.send(object{"id": m.ID, "error": object{"code": -32601, "message": "no"}})
		case m.Params.Update.Kind == "usage_update":
			e.mu.Lock()
			e.used = max(e.used, m.Params.Update.Used)
			e.mu.Unlock()
		case m.Method == "":
			e.replies <- m
		}
	}
	close(e.replies)
}

// call sends a request and waits for its reply.
func (e *editor) call(id int, method string, params object) (m acpMessage, ok bool) {
	e.send(object{"id": id, "method": method, "params": params})
	timeout := time.After(2 * time.Minute)
	for {
		select {
		case m, ok := <-e.replies:
			if !ok || string(m.ID) == fmt.Sprint(id) {
				return m, ok
			}
		case <-timeout:
			return m, false
		}
	}
}
