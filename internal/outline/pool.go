package outline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Options of a Parser. The zero value of each field means the default.
type Options struct {
	// Workers is the most worker processes that run at a time; 0 means 2.
	// They start when there is work for them.
	Workers int

	// Memory is what a worker may allocate, in bytes; 0 means 1 GiB.
	Memory int64

	// Patience is how long one file may take before its worker counts as hung;
	// 0 means 20 s. It is a last resort, generous so that a loaded machine gives
	// the same outlines as an idle one: the parsers are bounded by their work.
	Patience time.Duration

	// command replaces this program as the worker, in tests.
	command []string
}

const (
	defaultWorkers  = 2
	defaultMemory   = 1 << 30
	defaultPatience = 20 * time.Second

	// maxStarts is how many workers may fail to start, one after the other,
	// before the Parser does without.
	maxStarts = 3
)

// workerVariable marks a process as a worker. Its value is the memory limit.
const workerVariable = "SATCHEL_OUTLINE_WORKER"

// A Parser outlines files. It is safe for concurrent use. Close stops its
// worker processes; they also end with this process, however it ends.
type Parser struct {
	pool *pool
}

// New returns a Parser; nil means all defaults.
func New(o *Options) *Parser {
	p := &pool{}
	if o != nil {
		p.o = *o
	}
	if p.o.Workers <= 0 {
		p.o.Workers = defaultWorkers
	}
	if p.o.Memory <= 0 {
		p.o.Memory = defaultMemory
	}
	if p.o.Patience <= 0 {
		p.o.Patience = defaultPatience
	}
	p.slots = make(chan struct{}, p.o.Workers)
	p.done = make(chan struct{})
	return &Parser{pool: p}
}

// Close waits for the files being parsed and stops the workers. Afterwards
// Parse returns an error for languages that need them.
func (p *Parser) Close() error {
	p.pool.close()
	return nil
}

var errClosed = errors.New("outline: parser is closed")

// A pool keeps the worker processes. A slot is the right to use one.
type pool struct {
	o     Options
	slots chan struct{}
	done  chan struct{}

	mu     sync.Mutex
	idle   []*worker // the last used on top
	failed int       // starts that failed since one succeeded
	why    error     // the last of them
	closed bool
}

// outline asks a worker. A worker that dies over a text is replaced and the
// text tried once more, since it may have died of something else.
func (p *pool) outline(ctx context.Context, lang string, src []byte) (Outline, error) {
	out, err := p.ask(ctx, opParse, lang, src)
	if err == errDied {
		out, err = p.ask(ctx, opParse, lang, src)
	}
	return out, err
}

var (
	errDied    = errors.New("the parser crashed")
	errHung    = errors.New("the parser hung")
	errRefused = errors.New("the parser gave up")
)

func (p *pool) ask(ctx context.Context, op byte, lang string, src []byte) (Outline, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return Outline{}, ctx.Err()
	case <-p.done:
		return Outline{}, errClosed
	}
	defer func() { <-p.slots }()
	w, err := p.take()
	if err != nil {
		return Outline{}, err
	}
	out, err := w.ask(ctx, p.o.Patience, op, lang, src)
	if err != nil && !errors.Is(err, errRefused) {
		w.kill()
		return Outline{}, err
	}
	p.mu.Lock()
	p.idle = append(p.idle, w)
	p.mu.Unlock()
	return out, err
}

// take returns an idle worker or starts one.
func (p *pool) take() (*worker, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w, nil
	}
	if p.failed >= maxStarts {
		return nil, p.why
	}
	w, err := startWorker(&p.o)
	if err != nil {
		p.failed++
		p.why = fmt.Errorf("no parser process: %w", err)
		return nil, p.why
	}
	p.failed = 0
	return w, nil
}

func (p *pool) close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	close(p.done)
	p.mu.Unlock()
	for range cap(p.slots) { // wait for those at work
		p.slots <- struct{}{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.idle {
		w.stop()
	}
	p.idle = nil
}

// A worker is a process that parses one text at a time.
type worker struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	r      *bufio.Reader
	buf    []byte
}

func startWorker(o *Options) (*worker, error) {
	if os.Getenv(workerVariable) != "" {
		return nil, errors.New("this process is a worker itself, and its program does not call outline.WorkerMain")
	}
	self, err := executable()
	if err != nil {
		return nil, err
	}
	command := o.command
	if command == nil {
		command = []string{self}
	}
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		inRead.Close()
		inWrite.Close()
		return nil, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{fmt.Sprintf("%s=%d", workerVariable, o.Memory)}
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout = inRead, outWrite
	attend(cmd)
	err = cmd.Start()
	inRead.Close()
	outWrite.Close()
	w := &worker{cmd: cmd, stdin: inWrite, stdout: outRead, r: bufio.NewReaderSize(outRead, 64<<10)}
	if err != nil {
		inWrite.Close()
		outRead.Close()
		return nil, err
	}
	outRead.SetReadDeadline(time.Now().Add(o.Patience))
	greeting := make([]byte, len(hello))
	if _, err := readFull(w.r, greeting); err != nil || string(greeting) != hello {
		w.kill()
		return nil, errors.New("this program does not call outline.WorkerMain")
	}
	return w, nil
}

func readFull(r *bufio.Reader, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k, err := r.Read(b[n:])
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// ask sends one text and waits for its outline.
func (w *worker) ask(ctx context.Context, patience time.Duration, op byte, lang string, src []byte) (Outline, error) {
	deadline := time.Now().Add(patience)
	w.stdin.SetWriteDeadline(deadline)
	w.stdout.SetReadDeadline(deadline)
	stop := context.AfterFunc(ctx, func() {
		w.stdin.SetWriteDeadline(time.Unix(1, 0))
		w.stdout.SetReadDeadline(time.Unix(1, 0))
	})
	defer stop()
	fail := func(err error) (Outline, error) {
		if e := ctx.Err(); e != nil {
			return Outline{}, e
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return Outline{}, errHung
		}
		return Outline{}, errDied
	}
	if err := writeMessage(w.stdin, []byte{op, byte(len(lang))}, []byte(lang), src); err != nil {
		return fail(err)
	}
	buf, err := readMessage(w.r, w.buf)
	if err != nil {
		return fail(err)
	}
	w.buf = buf
	if !stop() { // ctx ended just now; the deadlines may be set any moment
		return Outline{}, ctx.Err()
	}
	if len(buf) == 0 {
		return Outline{}, errDied
	}
	if buf[0] == refused {
		return Outline{}, fmt.Errorf("%w: %s", errRefused, buf[1:])
	}
	out, err := decodeOutline(buf[1:])
	if err != nil {
		return Outline{}, errDied
	}
	return out, nil
}

// kill ends the process at once.
func (w *worker) kill() {
	w.cmd.Process.Kill()
	w.stop()
}

// stop lets the process end by closing its input, and waits for it.
func (w *worker) stop() {
	w.stdin.Close()
	timer := time.AfterFunc(time.Second, func() { w.cmd.Process.Kill() })
	w.cmd.Wait()
	timer.Stop()
	w.stdout.Close()
}
