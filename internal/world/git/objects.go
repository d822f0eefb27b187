package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	// defaultObjectLimit is the largest object that [Objects.ReadAll] delivers
	// if Limit is not set.
	defaultObjectLimit = 32 << 20

	// maxSkip is the most bytes to read and drop of an object over the limit; beyond
	// that, restarting git is cheaper.
	maxSkip = 1 << 20

	// maxChildren is how many git processes serve one Objects at a time, and
	// maxIdle how many of them wait for more. One is enough unless several
	// goroutines ask at once.
	maxChildren = 8
	maxIdle     = 2

	// maxRestarts is how many children may end in one ReadAll; a damaged object
	// ends two, and one far over the limit one.
	maxRestarts = 2000
)

// Objects reads objects by id from git processes that all readers of a [Repo]
// share. It is safe for concurrent use. The end of its context ends the processes
// that it uses at that moment.
type Objects struct {
	// Limit is the size of the largest object that ReadAll delivers. Zero means
	// DefaultObjectLimit. Set it before the first use.
	Limit int64

	// Decoded makes Read and ReadAll deliver what [Decode] returns. Set it before the
	// first use.
	Decoded bool

	ctx    context.Context
	repo   *Repo
	slot   chan struct{} // one token for each child in use
	closed atomic.Bool
}

// Objects returns a reader of the repository's objects. It starts no process
// before the first read.
func (r *Repo) Objects(ctx context.Context) *Objects {
	return &Objects{ctx: ctx, repo: r, slot: make(chan struct{}, maxChildren)}
}

// ForgetObjects ends the processes that wait. Those that the next reads start do
// not see objects that git has removed meanwhile.
func (r *Repo) ForgetObjects() { r.batches.endIdle() }

// A batchPool holds the children of a Repo that wait for work.
type batchPool struct {
	mu     sync.Mutex
	idle   []*batch
	closed bool
}

// take returns an idle child, or nil.
func (p *batchPool) take() (b *batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		b, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	return b
}

// put keeps a child for the next reader, or ends it.
func (p *batchPool) put(b *batch) {
	p.mu.Lock()
	keep := b.dead == nil && !p.closed && len(p.idle) < maxIdle
	if keep {
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	if !keep {
		b.close()
	}
}

// close ends the idle children, and those in use when they are put back.
func (p *batchPool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.endIdle()
}

func (p *batchPool) endIdle() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, b := range idle {
		b.close()
	}
}

var (
	errClosed = errors.New("objects: closed")

	// errAmbiguous ends a child that has complained of an ambiguous name, so that
	// its complaint does not explain a later error.
	errAmbiguous = errors.New("ambiguous name")
)

// Read returns the contents of an object. It returns [ErrMissing] if the
// repository does not have it and a *[TooLargeError] if it is larger than limit.
func (o *Objects) Read(oid string, limit int64) (data []byte, err error) {
	endErr := o.all([]string{oid}, "contents ", func(b *batch, oid string) error {
		data, err = o.contents(b, oid, limit)
		return err
	}, func(_ int, e error) { err = e })
	return data, cmp.Or(endErr, err)
}

func (o *Objects) contents(b *batch, oid string, limit int64) ([]byte, error) {
	data, err := b.contents(oid, limit)
	if o.Decoded {
		data = Decode(data)
	}
	return data, err
}

// Size returns the size of an object, without reading it.
func (o *Objects) Size(oid string) (size int64, err error) {
	endErr := o.Sizes([]string{oid}, func(_ int, n int64, e error) { size, err = n, e })
	return size, cmp.Or(endErr, err)
}

// ReadAll reads many objects, much faster than one by one, and calls fn for each,
// in order and from the calling goroutine. data belongs to fn. err is
// [ErrMissing], a *[TooLargeError] (see [Objects.Limit]) or what is wrong with
// the object; one bad object does not affect the others. ReadAll itself fails
// only if the context ends or git cannot run, after which fn is called no more.
func (o *Objects) ReadAll(oids []string, fn func(i int, data []byte, err error)) error {
	limit := cmp.Or(max(o.Limit, 0), defaultObjectLimit)
	var data []byte
	return o.all(oids, "contents ", func(b *batch, oid string) (err error) {
		data, err = o.contents(b, oid, limit)
		return err
	}, func(i int, err error) {
		if err != nil {
			data = nil
		}
		fn(i, data, err)
	})
}

// Sizes asks for the sizes of many objects and calls fn for each, as ReadAll does.
func (o *Objects) Sizes(oids []string, fn func(i int, size int64, err error)) error {
	var size int64
	return o.all(oids, "info ", func(b *batch, oid string) (err error) {
		size, err = b.header(oid)
		return err
	}, func(i int, err error) {
		if err != nil {
			size = 0
		}
		fn(i, size, err)
	})
}

// all sends one command for each object and, at the same time, reads the answers
// with read and hands each result to done.
func (o *Objects) all(oids []string, command string, read func(b *batch, oid string) error, done func(i int, err error)) error {
	restarts := 0
	for next := 0; next < len(oids); {
		b, err := o.take()
		if err != nil {
			return err
		}
		wrote := b.send(command, oids[next:], o.repo.format)
		for next < len(oids) && b.dead == nil {
			oid := oids[next]
			if !o.repo.format.validID(oid) {
				done(next, fmt.Errorf("object id %q: want %d hex digits", clean(oid), o.repo.format.HexLen()))
				next++
				continue
			}
			err := read(b, oid)
			if b.dead != nil && o.ctx.Err() != nil {
				break
			}
			if b.dead != nil && b.served && !errors.Is(b.dead, errOverLimit) {
				break // perhaps not this object's fault: ask a fresh child
			}
			b.served = true
			done(next, err)
			next++
		}
		if b.dead != nil {
			b.kill()
			restarts++
		}
		<-wrote
		dead := b.dead
		o.put(b)
		if dead != nil && o.ctx.Err() != nil {
			return context.Cause(o.ctx)
		}
		if restarts > maxRestarts {
			return fmt.Errorf("git cat-file ended %d times: %w", restarts, dead)
		}
	}
	return nil
}

// fail returns the cause of the context's end, if that is what made err.
func (o *Objects) fail(err error) error {
	if err != nil && o.ctx.Err() != nil {
		return context.Cause(o.ctx)
	}
	return err
}

// take returns a child that no one else uses, starting one if need be. It is
// killed if the context ends before put.
func (o *Objects) take() (*batch, error) {
	select {
	case o.slot <- struct{}{}:
	case <-o.ctx.Done():
		return nil, context.Cause(o.ctx)
	}
	b, err := o.child()
	if err != nil {
		<-o.slot
		return nil, err
	}
	b.release = context.AfterFunc(o.ctx, b.kill)
	return b, nil
}

func (o *Objects) child() (*batch, error) {
	switch {
	case o.closed.Load():
		return nil, errClosed
	case o.ctx.Err() != nil:
		return nil, context.Cause(o.ctx)
	}
	if b := o.repo.batches.take(); b != nil {
		return b, nil
	}
	b, err := startBatch(o.repo)
	return b, o.fail(err)
}

// put gives a child back; a dead one is buried.
func (o *Objects) put(b *batch) {
	if !b.release() && b.dead == nil {
		b.dead = context.Cause(o.ctx) // killed between two reads
	}
	o.repo.batches.put(b)
	<-o.slot
}

// Close refuses further reads.
func (o *Objects) Close() error {
	o.closed.Store(true)
	return nil
}

// A batch is one git cat-file process. It serves one goroutine at a time.
type batch struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *bufio.Reader
	pipe   *os.File
	stderr capped
	done   func()
	run    *runner
	served bool  // it has answered before
	dead   error // why it can no longer be used
	reaped bool

	release func() bool // no longer kill it when the context of its user ends
}

// startBatch starts a child. It answers only after a flush, or when its buffer is
// full, which makes long runs of commands cheap.
func startBatch(r *Repo) (*batch, error) {
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	b := &batch{cmd: run.command(context.Background(), "cat-file", "--batch-command", "--buffer"), done: done}
	b.stderr.limit = maxStderr
	inR, inW, err := os.Pipe()
	if err != nil {
		done()
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		done()
		return nil, err
	}
	b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr = inR, outW, &b.stderr
	err = start(b.cmd, usualMemory)
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		done()
		return nil, commandError("cat-file", "", err)
	}
	b.in, b.pipe, b.run = inW, outR, run
	b.out = bufio.NewReaderSize(run.meter("cat-file", outR, math.MaxInt64), 64<<10)
	return b, nil
}

// lookUp asks which objects the names mean and returns a line for each, as
// cat-file --batch-check prints it. Names have no line breaks.
func (o *Objects) lookUp(names ...string) (lines []string, err error) {
	for {
		b, err := o.take()
		if err != nil {
			return nil, err
		}
		served := b.served
		lines, err = b.lookUp(names)
		dead := b.dead
		o.put(b)
		switch {
		case err == nil:
			return lines, nil
		case o.ctx.Err() != nil:
			return nil, context.Cause(o.ctx)
		case dead == nil || !served:
			return nil, err
		}
	}
}

func (b *batch) lookUp(names []string) (lines []string, err error) {
	wrote := make(chan struct{})
	go func() { // so that the time limit of reading ends a git that does not listen
		defer close(wrote)
		_, _ = io.WriteString(b.in, "info "+strings.Join(names, "\ninfo ")+"\nflush\n") // a failure shows as a missing answer
	}()
	defer func() { <-wrote }()

	for range names {
		line, err := b.out.ReadString('\n')
		if err != nil {
			b.dead = b.end(err)
			return nil, b.dead
		}
		line = strings.TrimSuffix(line, "\n")
		if lines = append(lines, line); strings.HasSuffix(line, " ambiguous") {
			b.dead = errAmbiguous
		}
	}
	b.served = true
	return lines, nil
}

// send sends a command for each valid id, in a goroutine of its own, since git
// stops reading commands while its output is not read. Reading all the answers
// ends it, and so does the end of the child.
func (b *batch) send(command string, oids []string, f Format) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		w := bufio.NewWriterSize(b.in, min(16<<10, 128*len(oids)))
		for _, id := range oids {
			if f.validID(id) {
				w.WriteString(command)
				w.WriteString(id)
				w.WriteByte('\n')
			}
		}
		w.WriteString("flush\n")
		w.Flush() // a failure shows as a missing answer
	}()
	return done
}

// contents reads an answer to a contents command.
func (b *batch) contents(oid string, limit int64) ([]byte, error) {
	size, err := b.header(oid)
	if err != nil {
		return nil, err
	}
	return b.body(oid, size, limit)
}

// header reads the first line of an answer, "oid type size" or "oid missing".
func (b *batch) header(oid string) (int64, error) {
	line, err := b.out.ReadSlice('\n')
	if err != nil {
		return 0, b.broken(oid, err)
	}
	text := strings.TrimSuffix(string(line), "\n")
	id, rest, _ := strings.Cut(text, " ")
	if rest == "missing" && id == oid {
		return 0, fmt.Errorf("%s: %w", oid, ErrMissing)
	}
	_, num, _ := strings.Cut(rest, " ")
	size, err := strconv.ParseInt(num, 10, 64)
	if id != oid || err != nil || size < 0 {
		return 0, b.broken(oid, fmt.Errorf("unexpected answer %q", clean(text)))
	}
	return size, nil
}

// body reads the contents that follow a header.
func (b *batch) body(oid string, size, limit int64) ([]byte, error) {
	if size > limit {
		if size > maxSkip {
			b.dead = errOverLimit
		} else if _, err := b.out.Discard(int(size) + 1); err != nil {
			return nil, b.broken(oid, err)
		}
		return nil, &TooLargeError{What: "object " + oid, Size: size, Limit: limit}
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, b.broken(oid, err)
	}
	if end, err := b.out.ReadByte(); err != nil || end != '\n' {
		return nil, b.broken(oid, errors.New("no end of object"))
	}
	return data, nil
}

// broken marks the child as unusable and says why. git ends when it meets a
// damaged object, and its complaint is the best explanation.
func (b *batch) broken(oid string, err error) error {
	b.dead = fmt.Errorf("object %s: %w", oid, b.end(err))
	return b.dead
}

// end kills the child after a failed read and returns the best explanation.
func (b *batch) end(err error) error {
	b.kill()
	b.reap()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &SilentError{b.run.timeout}
	case b.stderr.buf.Len() > 0:
		return commandError("cat-file", b.stderr.buf.String(), err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("git cat-file ended")
	}
	return err
}

func (b *batch) kill() { b.cmd.Process.Kill() }

func (b *batch) reap() {
	if !b.reaped {
		b.reaped = true
		b.cmd.Wait()
	}
}

// close ends the child and waits for it.
func (b *batch) close() {
	b.in.Close()
	b.kill()
	b.pipe.Close()
	b.reap()
	b.done()
}
