package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// many repeats a line with %d in it, counted.
func many(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(i+1)) + "\n")
	}
	return b.String()
}

// TestPasted: each form of what programs print is taken out where there is much of it.
func TestPasted(t *testing.T) {
	for _, line := range []string{
		"2023-04-17T08:12:%d0.1234567Z worker cache loaded",
		"[08:12:40] starting pool %d",
		"Apr 17 08:12:40 host sshd[%d]: session opened",
		"17/Apr/2023:08:12:40 +0000 GET /static/%d",
		"web_1  | 2023-04-17 08:12:40 served %d pages",
		"INFO: watcher %d started",
		"DEBUG|globset|crates/globset/src/lib.rs:%d: built a set",
		"npm WARN deprecated glob@7.%d.0: no longer supported",
		"I0417 08:12:40.123456  %d server.go:90] worker started",
		"[    0.%d23456] usb 1-1: new device",
		`level=info caller=main.go:%d msg="pool started"`,
		"│   ├── serde_json v1.0.%d (*)",
		"├─┬ body-parser@1.%d.0 deduped",
		"[INFO] |  +- org.slf4j:slf4j-api:jar:1.7.%d:compile",
		"numpy-core==1.%d.0",
		"atomicwrites                  1.%d.0   ",
		"github.com/google/go-cmp v0.%d.0",
		"GOPATH_%d=/home/me/go",
		"declare -x LC_%d0=\"en_US.UTF-8\"",
		"spring.datasource.pool-size = %d",
		"src/server/pool.py      %d    12    89%",
		"drwxr-xr-x 2 me me 4096 Jun 24 2%d server",
		"root      322%d 19.2  0.0  90960 19460 ?  S  14:51  0:00 git -c core.pager=cat log --format={\"a\": 1}",
		"tests/test_pool.py::test_%d PASSED [ 10%]",
		"    at t.value (https://cdn.example.com/js/main.3f2a.js:2:18473%d)",
		"e@webpack:///src/pool.js?:%d:1",
		"   Compiling pool v0.%d.0",
		"--- PASS: TestPool%d (0.00s)",
		"checking for pool%d.h... yes",
	} {
		task := "Journal entries vanish\n\nSee below.\n\n" + many(leastRepeated, line) + "\nWhat now?\n"
		if got, told := withoutPasted(task); got != "Journal entries vanish\n\nSee below.\n\n\nWhat now?\n" || !told {
			t.Errorf("%q is taken out: %t, what remains:\n%s", line, told, got)
		}
		few := "Journal entries vanish\n\n" + many(leastPasted-1, line)
		if got, _ := withoutPasted(few); got != few {
			t.Errorf("of few lines %q remain %q", line, got)
		}
	}
}

// TestNotPasted: what people say and choose stays, and what tells.
func TestNotPasted(t *testing.T) {
	for _, text := range []string{
		many(20, "The pool of version 1.%d loses a retry when the server closes the connection."),
		many(20, "- src/server/pool%d.py"),
		many(20, "src/server/pool%d.py"),
		strings.Repeat("src/server/pool.py ", 80) + "\n",
		many(20, "%d. open the pool in src/pool.go"),
		many(20, "| pool %d | 12 | 13 |"),
		many(20, "> retry %d of 12 is lost"),
		"```go\n" + many(20, "	pool.Retry(%d, server)") + "```\n",
		"```py\n" + many(20, "x_%d = pool.retry") + "```\n",
		"```py\n" + many(20, "rate_%d = 0.001") + "```\n",
		"```py\n" + many(20, "from server.pool%d import retry") + "```\n",
		"```rust\n" + many(20, "use server::pool%d;") + "```\n",
		"```sql\n" + many(20, "INSERT INTO pool VALUES (%d, 2);") + "```\n",
		"```sh\n" + many(20, "$ satchel pack --budget %d0") + "```\n",
		many(20, "  File \"server/pool%d.py\", line 3, in retry\n    self.retry(1)"),
		many(20, "\tat org.acme.Pool%d.retry(Pool.java:7)"),
		many(20, "main.retry(0x%d)\n\t/src/pool.go:4 +0x1"),
		many(20, "    #%d 0x5613e8af05b8 in retry src/pool.c:6257"),
		many(20, "    at retry (src/pool.js:%d:12)"),
		many(20, "server/pool%d.py:284: in __call__"),
		many(20, "%d self.pool.retry"), // numbered lines of a program
	} {
		task := "Journal entries vanish\n\n" + text
		if got, told := withoutPasted(task); got != task || !told {
			t.Errorf("of\n%s\nremains\n%s", task, got)
		}
	}
}

func TestPastedTells(t *testing.T) {
	log := many(10, "2023-04-17 08:12:4%d INFO pool: served by src/other.go")
	for _, c := range []struct {
		name, task, title string
		says, lacks       []string
		pasted            bool
	}{
		{
			name:  "what failed is kept, once",
			task:  "Journal entries vanish\n\n" + log + many(9, "2023-04-17 08:12:5%d ERROR pool: cannot reach journal%d") + log,
			title: "Journal entries vanish", says: []string{"journal1"}, lacks: []string{"journal2", "other.go", "INFO"},
		},
		{
			name:  "a traceback in a log is kept",
			task:  "Journal entries vanish\n\n" + log + "2023-04-17 08:13:00 Traceback (most recent call last):\n2023-04-17 08:13:00   File \"src/pool.py\", line 3, in retry\n2023-04-17 08:13:00 ValueError: no journal\n2023-04-17 08:13:00 panic: again\n2023-04-17 08:13:00 \t/src/pool.go:4 +0x1\n" + log,
			title: "Journal entries vanish", says: []string{"Traceback", "src/pool.py", "no journal", "/src/pool.go:4"}, lacks: []string{"other.go"},
		},
		{
			name:  "the title stands below the log",
			task:  log + "2023-04-17 08:13:00 ERROR pool: no journal\n\nJournal entries vanish\n\nSince yesterday.\n",
			title: "Journal entries vanish", says: []string{"yesterday", "no journal"}, lacks: []string{"other.go"},
		},
		{
			name:  "one line of very many packages",
			task:  "Journal entries vanish\n\nSuccessfully installed " + strings.ReplaceAll(many(60, "pool-helper-1.%d.0"), "\n", " ") + "\nwhy?\n",
			title: "Journal entries vanish", says: []string{"why"}, lacks: []string{"pool-helper"},
		},
		{
			name:  "and below its block",
			task:  "```\nUncaught Error: no pool\n" + many(10, "    at t (main.3f2a.js:2:18473%d)") + "```\n\nJournal entries vanish\n",
			title: "Journal entries vanish", says: []string{"no pool"}, lacks: []string{"main.3f2a.js"},
		},
		{
			name:  "in any language",
			task:  "重试丢失\n\n" + log + "\n请修复 retryPool\n",
			title: "重试丢失", says: []string{"retryPool"}, lacks: []string{"other.go"},
		},
		{
			name:  "a log alone: by what failed",
			task:  log + "2023-04-17 08:13:00 ERROR pool: no journal\n" + log,
			title: "2023-04-17 08:13:00 ERROR pool: no journal", lacks: []string{"other.go"},
		},
		{
			name:  "a log and small talk: by what failed",
			task:  "please fix this\n\n```\n" + log + "2023-04-17 08:13:00 ERROR pool: no journal\n```\n",
			title: "2023-04-17 08:13:00 ERROR pool: no journal", lacks: []string{"other.go"},
		},
		{
			name:  "a log in which nothing failed: by all of it",
			task:  log,
			title: "2023-04-17 08:12:41 INFO pool: served by src/other.go", says: []string{"other.go"}, pasted: true,
		},
		{
			name:  "and with small talk",
			task:  "please fix this\n\n" + log,
			title: "please fix this", says: []string{"other.go"}, pasted: true,
		},
		{
			name:  "a log longer than what is analysed",
			task:  many(1000, "2023-04-17 08:12:40 INFO pool: served %d by src/other.go") + "Journal entries vanish\n",
			title: "Journal entries vanish", lacks: []string{"other.go"},
		},
		{
			name:  "a template that every repository may have",
			task:  "Journal entries vanish\n\n**Describe the bug**\nA clear and concise description of what the bug is.\n\n**Desktop (please complete the following information):**\n - OS: [e.g. iOS]\n\n### Relevant log output\n\n_No response_\n",
			title: "Journal entries vanish", lacks: []string{"concise", "iOS", "response", "Relevant"},
		},
	} {
		q := Analyze(c.task)
		if q.Title != c.title || q.Pasted != c.pasted {
			t.Errorf("%s: title %q, pasted %t, want %q, %t", c.name, q.Title, q.Pasted, c.title, c.pasted)
		}
		for _, s := range c.says {
			if !strings.Contains(q.Said, s) {
				t.Errorf("%s: %q is not in %q", c.name, s, q.Said)
			}
		}
		for _, s := range c.lacks {
			if strings.Contains(q.Said, s) {
				t.Errorf("%s: %q is in %q", c.name, s, q.Said)
			}
		}
		if slices.Contains(c.lacks, "other.go") && slices.Contains(q.Files, "src/other.go") {
			t.Errorf("%s: files %q", c.name, q.Files)
		}
	}
}

// FuzzPasted: what remains are lines of the task, and all of them where nothing else would.
func FuzzPasted(f *testing.F) {
	f.Add("Journal entries vanish\n\n"+many(9, "2023-04-17 08:12:4%d INFO pool"), byte(1))
	f.Add(many(12, "--- PASS: TestPool%d (0.00s)")+"```\nx\n```", byte(0))
	f.Fuzz(func(t *testing.T, task string, n byte) {
		task = strings.Repeat(task+"\n", 1+int(n%2))
		said, told := withoutPasted(task)
		if !told && said != task {
			t.Fatalf("of %q, which says nothing, remains %q", task, said)
		}
		had := map[string]bool{"": true}
		bare := func(line string) string { return strings.TrimLeft(strings.TrimRight(line, "\n"), "`~") }
		for line := range strings.Lines(task) {
			had[bare(line)] = true
		}
		for line := range strings.Lines(said) {
			if !had[bare(line)] {
				t.Fatalf("%q is no line of %q", line, task)
			}
		}
	})
}

// TestAnalyzeGrowing checks that a task is cut again if its normal form is too long.
func TestAnalyzeGrowing(t *testing.T) {
	for letter, want := range map[string]bool{"a": false, "\ufdfa": true} {
		task := "Journal entries vanish\n\n" + many(100, "2023-04-17 08:12:41 INFO pool: %d"+strings.Repeat(letter, 200))
		if len(task) > mostRead {
			t.Fatalf("the task has %d bytes, want at most %d", len(task), mostRead)
		}
		if q := Analyze(task); q.Cut != want {
			t.Errorf("Cut = %v with 200 times %q in each line, want %v", q.Cut, letter, want)
		}
	}
}
