package assist_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-dev/satchel/internal/front/cli/clitest"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/world/llm"
	"github.com/satchel-dev/satchel/internal/world/llm/llmtest"
)

// A tap stands before a server and counts what goes over it, both ways. At a number
// of bytes it calls a function, once.
type tap struct {
	url   string
	bytes atomic.Int64
	at    int64
	do    func()
	once  sync.Once
	all   sync.WaitGroup
	end   func()
}

func newTap(t *testing.T, server string, at int64, do func()) *tap {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{url: "http://" + l.Addr().String(), at: at, do: do}
	var mu sync.Mutex
	var conns []net.Conn
	p.all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
			if err != nil {
				in.Close()
				return
			}
			mu.Lock()
			conns = append(conns, in, out)
			mu.Unlock()
			p.all.Go(func() { p.copy(out, in) })
			p.all.Go(func() { p.copy(in, out) })
		}
	})
	p.end = sync.OnceFunc(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		p.all.Wait()
	})
	t.Cleanup(p.end)
	return p
}

func (p *tap) copy(to, from net.Conn) {
	defer to.Close()
	b := make([]byte, 512)
	for {
		n, err := from.Read(b)
		if p.bytes.Add(int64(n)) >= p.at && p.at > 0 {
			p.once.Do(p.do)
		}
		if _, wrong := to.Write(b[:n]); err != nil || wrong != nil {
			return
		}
	}
}

// longReview is a review in several turns, with readers side by side in one of them.
// The server stalls for a moment between events, so that a run may be met within an
// answer.
func longReview() []llmtest.Step {
	return []llmtest.Step{
		always(llmtest.Step{Match: "[result 3]", Calls: good("review").Calls, PauseMS: 1}),
		always(llmtest.Step{Match: "[result 2]", Calls: call("search", obj{"query": "Close01"}).Calls, PauseMS: 1}),
		always(llmtest.Step{Match: "look into", Calls: call("submit", obj{"result": "Nobody calls it."}).Calls, PauseMS: 1}),
		always(llmtest.Step{Match: "[result 1]", Calls: call("parallel_analyze", obj{"tasks": []string{"look into p0", "look into p1", "look into p2"}}).Calls, PauseMS: 1}),
		always(llmtest.Step{Calls: call("read", obj{"path": "p0/f00.go"}).Calls, PauseMS: 1}),
	}
}

// TestCancel ends a review at 12 points, or at SATCHEL_SOAK_ROUNDS points, anywhere in
// its messages. The review ends at once, with 130. The record and the snapshots hold the
// messages until then, and no other file is left.
func TestCancel(t *testing.T) {
	clitest.Slow(t)
	points := 12
	if n, err := strconv.Atoi(os.Getenv("SATCHEL_SOAK_ROUNDS")); err == nil {
		points = n
	}
	s := newStage(t, "anthropic", 6)
	temp := filepath.Join(filepath.Dir(s.Dir), "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp) // of this process: git and satchel put temporary files there
	server := s.Play("", longReview()...)
	whole := newTap(t, server.URL, 0, nil)
	s.Configure(whole.url, "")
	record := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
	args := []string{"review", "--check", "never"}
	s = s.with("SATCHEL_RECORD", record)
	if code, stdout, stderr := s.Asks(args...); code != 0 || len(server.Requests()) != 7 {
		t.Fatalf("exit code %d after %d requests: %s%s", code, len(server.Requests()), stdout, stderr)
	}
	whole.end()
	trips := tripsOf(t, record)
	if trips < 7 {
		t.Fatalf("%d trips are recorded", trips)
	}
	random := rand.New(rand.NewPCG(1, 2))
	before := files(t, s.Dir)
	partial := 0
	for range points {
		ctx, cancel := context.WithCancel(t.Context())
		at := 1 + random.Int64N(whole.bytes.Load()*9/10)
		p := newTap(t, server.URL, at, cancel)
		s.Configure(p.url, "")
		settled := runtime.NumGoroutine()
		if err := os.Remove(record); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := s.within(t, ctx, args...)
		if code != 130 || stdout != "" {
			t.Errorf("at byte %d: exit code %d, prints %q and %q", at, code, stdout, stderr)
		}
		cancel()
		p.end()
		quiet(t, settled)
		n := tripsOf(t, record)
		if n > 0 {
			partial++
			if !strings.Contains(stderr, "snapshot ") {
				t.Errorf("at byte %d: %d trips and no snapshot: %s", at, n, stderr)
			}
			if calls := keptCalls(t, s); calls == 0 {
				t.Errorf("at byte %d: the snapshot holds no call", at)
			}
		}
	}
	if partial < points/2 {
		t.Errorf("only %d of %d runs had sent something: the test says little", partial, points)
	}
	if left := files(t, temp); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if after := files(t, s.Dir); !slices.Equal(before, after) {
		t.Errorf("the work tree was %q and is %q", before, after)
	}
}

// TestCancelSignal is TestCancel with a process and Ctrl-C.
func TestCancelSignal(t *testing.T) {
	t.Parallel()
	clitest.Slow(t)
	for _, c := range asking {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "openai", 3)
			server := s.Play("", always(llmtest.Step{Calls: good(c.name).Calls, Cut: 300, Hang: true}))
			record := filepath.Join(filepath.Dir(s.Dir), "run.jsonl")
			started := make(chan struct{})
			p := newTap(t, server.URL, 3000, sync.OnceFunc(func() { close(started) }))
			s.Configure(p.url, "")
			cmd := exec.Command("satchel", c.args...)
			cmd.Dir, cmd.Env = s.Dir, s.with("SATCHEL_RECORD", record).Environ
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-started
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			select {
			case <-done:
			case <-time.After(patience):
				_ = cmd.Process.Kill()
				t.Fatal("it does not end")
			}
			if code := cmd.ProcessState.ExitCode(); code != 130 || stdout.Len() > 0 {
				t.Errorf("exit code %d, prints %q and %q", code, stdout.String(), stderr.String())
			}
			if n := tripsOf(t, record); n != 1 {
				t.Errorf("%d trips are recorded: %s", n, stderr.String())
			}
		})
	}
}

// patience is far more than a run takes to end.
const patience = 5 * time.Minute

// within runs a command that has to end when ctx does.
func (s *stage) within(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		env := s.Env()
		env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &out, &errs
		done <- program.Main(ctx, env, suite.Commands, args)
	}()
	select {
	case code = <-done:
	case <-time.After(patience):
		b := make([]byte, 1<<16)
		t.Fatalf("it does not end\n%s", b[:runtime.Stack(b, true)])
	}
	return code, out.String(), errs.String()
}

// quiet waits until no more goroutines are left than there were.
func quiet(t *testing.T, most int) {
	t.Helper()
	for range 50_000 {
		if runtime.NumGoroutine() <= most {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	b := make([]byte, 1<<17)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), most, b[:runtime.Stack(b, true)])
}

// tripsOf reads a record and counts what it holds.
func tripsOf(t *testing.T, name string) int {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := llm.ReadRecord(f)
	if err != nil {
		b, _ := io.ReadAll(f)
		t.Fatalf("%v\n%s", err, b)
	}
	return len(p.Trips())
}

// keptCalls are the calls of the newest run that is kept.
func keptCalls(t *testing.T, s *stage) int {
	t.Helper()
	_, stdout, stderr := s.Asks("log", "show", "latest", "--json")
	var doc struct {
		Run struct {
			Calls []any `json:"calls"`
		} `json:"run"`
		Calls []any `json:"calls"`
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Errorf("satchel log show: %v: %s%s", err, stdout, stderr)
	}
	return len(doc.Calls) + len(doc.Run.Calls)
}

// files are the paths of all files of a folder, .git aside.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case !d.IsDir():
			list = append(list, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
