// Hook measures how long a person waits for satchel hook: from the start of the
// process to its end, in a new process each time, for prompts that are about the
// repository and for chatter.
//
//	go build -o /tmp/satchel ./cmd/satchel
//	cd lab && go run ./hook -satchel /tmp/satchel -dir ~/src/terraform -n 40
//
// The index is brought up to date first. Times are wall-clock and mean little on a
// busy machine, so the load and the processor time of the processes are printed,
// too. The sessions are new ones, so that no answer is empty because it was given.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// prompts are asked in turn.
var prompts = map[string][]string{
	"a prompt about the repository": {
		"the provider configuration is ignored for nested modules", "state lock is not released after an interrupted apply", "parse the backend configuration block twice",
		"module registry discovery fails behind a proxy", "plan shows a diff for a deprecated resource attribute", "graph walk stops at the first failing provider node",
		"variables file with a byte order mark is rejected", "terraform test cleanup leaves state files", "for_each over an unknown map panics", "import block with a count index",
	},
	"chatter": {"thanks", "continue", "write a haiku", "looks good, commit this", "why?"},
}

func main() {
	log.SetFlags(0)
	bin := flag.String("satchel", "satchel", "the `program`")
	dir := flag.String("dir", ".", "the `repository`")
	n := flag.Int("n", 40, "processes")
	flag.Parse()
	root, err := filepath.Abs(*dir)
	if err != nil {
		log.Fatal(err)
	}
	if out, err := exec.Command(*bin, "index", "-C", root, "--quiet").CombinedOutput(); err != nil {
		log.Fatalf("index: %v\n%s", err, out)
	}
	fmt.Printf("load %s", load())
	for _, what := range []string{"a prompt about the repository", "chatter"} {
		list := prompts[what]
		measure(what, *bin, root, *n, func(i int) map[string]any {
			return map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": list[i%len(list)]}
		})
	}
	measure("a file that was read", *bin, root, *n, func(i int) map[string]any {
		return map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": map[string]any{"file_path": "README.md"}}
	})
	fmt.Printf("load %s", load())
}

// measure runs the hook n times and prints the median and the 95th percentile.
func measure(what, bin, dir string, n int, input func(i int) map[string]any) {
	var wall, cpu []time.Duration
	answers := 0
	for i := range n {
		in := input(i)
		in["cwd"], in["session_id"] = dir, fmt.Sprintf("bench-%d-%d", os.Getpid(), i)
		b, err := json.Marshal(in)
		if err != nil {
			log.Fatal(err)
		}
		cmd := exec.Command(bin, "hook", "claude")
		cmd.Stdin = strings.NewReader(string(b))
		start := time.Now()
		out, err := cmd.Output()
		wall = append(wall, time.Since(start))
		if err != nil {
			log.Fatalf("hook: %v", err)
		}
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		if len(out) > 0 {
			answers++
		}
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	at := func(list []time.Duration, p int) time.Duration {
		return list[min(len(list)-1, len(list)*p/100)].Round(time.Millisecond)
	}
	fmt.Printf("%-30s wall p50 %v p95 %v, processor p50 %v p95 %v, answered %d of %d\n", what, at(wall, 50), at(wall, 95), at(cpu, 50), at(cpu, 95), answers, n)
}

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown\n"
	}
	return string(b)
}
