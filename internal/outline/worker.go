package outline

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// WorkerMain turns this process into a parser if it was started as one: it then
// serves until its input ends, and exits. Otherwise it returns false, having
// done nothing. Call it first thing in main, before flags and files.
func WorkerMain() bool {
	value := os.Getenv(workerVariable)
	if value == "" {
		return false
	}
	memory, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(memory / 4)
	if err := limitMemory(memory); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	serve()
	os.Exit(0)
	return true
}

// serve answers until the input ends or the parent is gone.
func serve() {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	if _, err := os.Stdout.WriteString(hello); err != nil {
		return
	}
	var f forest
	var buf, answer []byte
	for {
		m, err := readMessage(in, buf)
		if err != nil || len(m) < 2 || len(m) < 2+int(m[1]) {
			return
		}
		buf = m
		lang, src := string(m[2:2+int(m[1])]), m[2+int(m[1]):]
		switch m[0] {
		case opExit:
			os.Exit(1)
		case opSpin:
			for {
				runtime.Gosched()
			}
		case opHoard:
			hoard()
		}
		out, err := f.outline(lang, src)
		if err != nil {
			answer = append(append(answer[:0], refused), err.Error()...)
		} else {
			answer = appendOutline(append(answer[:0], answered), &out)
		}
		if err := writeMessage(os.Stdout, answer); err != nil {
			return
		}
	}
}

var hoarded [][]byte

// hoard allocates until the limit ends the process.
func hoard() {
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		hoarded = append(hoarded, b)
	}
}
