// Mcp measures how long an agent waits for satchel mcp: from the start of the
// process to the answer to its handshake, for the first search, and for those
// after it, in a new process each time.
//
//	go build -o /tmp/satchel ./cmd/satchel
//	cd lab && go run ./mcp -satchel /tmp/satchel -dir ~/src/terraform -n 20
//
// The index is brought up to date first. Times are wall-clock and mean little on a
// busy machine, so the load and the processor time of a process are printed, too.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// queries are asked in turn, so that no answer is that of the query before.
var queries = []string{
	"retry with backoff", "state lock", "parse the configuration file", "error handling of the provider", "write the plan to disk",
	"environment variables", "test helper", "command line flags", "module registry", "deprecated resource attribute",
}

func main() {
	log.SetFlags(0)
	bin := flag.String("satchel", "satchel", "the `program`")
	dir := flag.String("dir", ".", "the `repository`")
	n := flag.Int("n", 20, "processes")
	flag.Parse()
	index := exec.Command(*bin, "index", "-C", *dir, "--quiet")
	if out, err := index.CombinedOutput(); err != nil {
		log.Fatalf("index: %v\n%s", err, out)
	}
	var start, first, later, cpu []time.Duration
	for i := range *n {
		r := measure(*bin, *dir, i)
		start = append(start, r.start)
		first = append(first, r.first)
		later = append(later, r.later...)
		cpu = append(cpu, r.cpu)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d processes in %s, load %s\n", *n, *dir, strings.TrimSpace(string(load)))
	show("start to initialize reply", start)
	show("first search of a process", first)
	show("later searches", later)
	show("processor time of a process", cpu)
}

// A round is what one process took.
type round struct {
	start, first, cpu time.Duration
	later             []time.Duration
}

func measure(bin, dir string, turn int) (r round) {
	cmd := exec.Command(bin, "mcp", "-C", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(id int, method string, params any) time.Duration {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			log.Fatal(err)
		}
		asked := time.Now()
		if _, err := in.Write(append(line, '\n')); err != nil {
			log.Fatal(err)
		}
		text, err := lines.ReadBytes('\n')
		took := time.Since(asked)
		var answer struct {
			ID     int
			Error  any
			Result struct{ IsError bool }
		}
		if err != nil || json.Unmarshal(text, &answer) != nil || answer.ID != id || answer.Error != nil || answer.Result.IsError {
			log.Fatalf("%s: %v: %.300s", method, err, text)
		}
		return took
	}
	search := func(id int) time.Duration {
		q := queries[(turn+id)%len(queries)]
		return ask(id, "tools/call", map[string]any{"name": "search", "arguments": map[string]any{"query": q}})
	}
	ask(1, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	r.start = time.Since(began)
	r.first = search(2)
	for id := 3; id < 8; id++ {
		r.later = append(r.later, search(id))
	}
	if err := in.Close(); err != nil {
		log.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		log.Fatal(err)
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r
}

func show(what string, list []time.Duration) {
	slices.Sort(list)
	at := func(share float64) time.Duration {
		return list[min(len(list)-1, int(share*float64(len(list))))].Round(100 * time.Microsecond)
	}
	fmt.Printf("%-28s p50 %8s  p95 %8s  min %8s  max %8s\n", what, at(0.5), at(0.95), at(0), at(1))
}
