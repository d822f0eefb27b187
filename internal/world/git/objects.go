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
)

const (
	// defaultObjectLimit is the largest object that [Objects.ReadAll] delivers
	// if Limit is not set.
	defaultObjectLimit = 32 << 20

	// maxSkip is the most that is read and dropped of an object over the limit;
	// beyond that it is cheaper to start git anew.
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

// Objects reads objects by id from long-lived git processes. It is safe for
// concurrent use. Close ends the processes, as does the end of its context.
type Objects struct {
	// Limit is the size of the largest object that ReadAll delivers. Zero means
	// DefaultObjectLimit. Set it before the first use.
	Limit int64

	ctx  context.Context
	repo *Repo
	slot chan struct{} // one token for each child in use

	mu     sync.Mutex
	idle   []*batch
	closed bool
}

// Objects returns a reader of the repository's objects. It starts no process
// before the first read.
func (r *Repo) Objects(ctx context.Context) *Objects {
	return &Objects{ctx: ctx, repo: r, slot: make(chan struct{}, maxChildren)}
}

var errClosed = errors.New("objects: closed")

// Read returns the contents of an object. It returns [ErrMissing] if the
// repository does not have it and a *[TooLargeError] if it is larger than limit.
func (o *Objects) Read(oid string, limit int64) (data []byte, err error) {
	endErr := o.all([]string{oid}, "contents ", func(b *batch, oid string) error {
		data, err = b.contents(oid, limit)
		return err
	}, func(_ int, e error) { err = e })
	return data, cmp.Or(endErr, err)
}

// Size returns the size of an object, without reading it.
func (o *Objects) Size(oid string) (size int64, err error) {
	endErr := o.all([]string{oid}, "info ", func(b *batch, oid string) error {
		size, err = b.header(oid)
		return err
	}, func(_ int, e error) { err = e })
	return size, cmp.Or(endErr, err)
}

// ReadAll reads many objects, much faster than one by one, and calls fn for each,
// in order and from the calling goroutine. data belongs to fn. err is
// [ErrMissing], a *[TooLargeError] (see [Objects.Limit]) or what is wrong with
// the object; one bad object does not affect the others. ReadAll itself fails
// only if the context ends or git cannot run, after which fn is called no more.
func (o *Objects) ReadAll(oids []string, fn func(i int, data []byte, err error)) error {
	limit := o.Limit
	if limit <= 0 {
		limit = defaultObjectLimit
	}
	var data []byte
	return o.all(oids, "contents ", func(b *batch, oid string) (err error) {
		data, err = b.contents(oid, limit)
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

// take returns a child that no one else uses, starting one if need be.
func (o *Objects) take() (*batch, error) {
	select {
	case o.slot <- struct{}{}:
	case <-o.ctx.Done():
		return nil, context.Cause(o.ctx)
	}
	o.mu.Lock()
	var b *batch
	closed := o.closed
	if n := len(o.idle); n > 0 && !closed {
		b, o.idle = o.idle[n-1], o.idle[:n-1]
	}
	o.mu.Unlock()
	var err error
	switch {
	case closed:
		err = errClosed
	case o.ctx.Err() != nil:
		err = context.Cause(o.ctx)
		if b != nil {
			b.close()
		}
	case b == nil:
		if b, err = startBatch(o.ctx, o.repo); err != nil {
			err = o.fail(err)
		}
	}
	if err != nil {
		<-o.slot
		return nil, err
	}
	return b, nil
}

// put gives a child back; a dead one is buried.
func (o *Objects) put(b *batch) {
	o.mu.Lock()
	keep := b.dead == nil && !o.closed && len(o.idle) < maxIdle
	if keep {
		o.idle = append(o.idle, b)
	}
	o.mu.Unlock()
	if !keep {
		b.close()
	}
	<-o.slot
}

// Close ends the git processes. Reads under way end as well as they can.
func (o *Objects) Close() error {
	o.mu.Lock()
	idle := o.idle
	o.idle, o.closed = nil, true
	o.mu.Unlock()
	for _, b := range idle {
		b.close()
	}
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
}

// startBatch starts a child. It answers only when told to flush, or when its
// buffer is full, which makes long runs of commands cheap.
func startBatch(ctx context.Context, r *Repo) (*batch, error) {
	run, done, err := r.objectRunner()
	if err != nil {
		return nil, err
	}
	b := &batch{cmd: run.command(ctx, "cat-file", "--batch-command", "--buffer"), done: done}
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
	b.kill()
	b.reap()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = b.run.silence()
	} else if b.stderr.buf.Len() > 0 {
		err = commandError("cat-file", b.stderr.buf.String(), err)
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("git cat-file ended")
	}
	b.dead = fmt.Errorf("object %s: %w", oid, err)
	return b.dead
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
