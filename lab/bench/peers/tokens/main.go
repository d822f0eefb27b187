// Command tokens compares how fast satchel counts tokens with other libraries,
// in rounds that take turns so that all see the same machine.
//
//	cd lab/bench/peers/tokens
//	npm install --prefix DIR tiktoken@1.0.22 gpt-tokenizer@4.0.0
//	go run . -npm DIR/node_modules FILE...
//
// Each peer counts the same chunks of each FILE, cut at line ends. What is
// measured is CPU time, user and system, of the whole process that counts: on a
// shared machine it says more than time on the wall, and it includes garbage
// collection. README.md has the results and what they do not say.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/satchel-dev/satchel/tokens"
	"github.com/tiktoken-go/tokenizer"
)

// A peer counts tokens.
type peer struct {
	name string
	// count counts all chunks again and again for about least, and returns the
	// sum of one time, how many times it was, and the CPU time of them all.
	count func(least time.Duration) (tokens, times int, cpu time.Duration, err error)
}

func main() {
	var o options
	flag.StringVar(&o.npm, "npm", "", "`directory` node_modules with tiktoken and gpt-tokenizer; empty leaves them out")
	flag.IntVar(&o.rounds, "rounds", 5, "number of rounds")
	flag.DurationVar(&o.least, "time", time.Second, "CPU time for each peer in each round")
	flag.IntVar(&o.chunk, "chunk", 64<<10, "bytes in a chunk, about")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	for _, file := range flag.Args() {
		for _, encoding := range []string{"o200k_base", "cl100k_base"} {
			if err := compare(file, encoding, o); err != nil {
				fmt.Fprintln(os.Stderr, "tokens:", err)
				os.Exit(1)
			}
		}
	}
}

type options struct {
	npm    string
	rounds int
	least  time.Duration
	chunk  int
}

func compare(file, encoding string, o options) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return fmt.Errorf("%s is not valid UTF-8, and the peers differ about that", file)
	}
	chunks := cut(text, o.chunk)
	peers, err := start(chunks, encoding, o.npm)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d bytes in %d chunks, %s\n", file, len(text), len(chunks), encoding)
	speeds := make([][]float64, len(peers)) // MB/s by peer and round
	sums := make([]int, len(peers))
	for range o.rounds {
		for i, p := range peers {
			runtime.GC() // nobody pays for another's garbage
			sum, times, cpu, err := p.count(o.least)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			sums[i] = sum
			speeds[i] = append(speeds[i], float64(len(text))*float64(times)/1e6/cpu.Seconds())
		}
	}
	for i, p := range peers {
		fmt.Printf("  %-28s %9d tokens  %6.1f MB/s", p.name, sums[i], median(speeds[i]))
		if i > 0 {
			var ratios []float64
			for r := range speeds[i] {
				ratios = append(ratios, speeds[0][r]/speeds[i][r])
			}
			fmt.Printf("  satchel %.1fx (%.1f-%.1f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
		fmt.Println()
	}
	return nil
}

// start returns the peers, satchel first.
func start(chunks []string, encoding, npm string) ([]peer, error) {
	own, name := tokens.O200k(), tokenizer.O200kBase
	if encoding == "cl100k_base" {
		own, name = tokens.Cl100k(), tokenizer.Cl100kBase
	}
	codec, err := tokenizer.Get(name)
	if err != nil {
		return nil, err
	}
	peers := []peer{
		{"satchel", inProcess(chunks, func(s string) (int, error) { return own.Count(s), nil })},
		{"tiktoken-go/tokenizer 0.10.0", inProcess(chunks, codec.Count)},
	}
	if npm == "" {
		return peers, nil
	}
	for _, name := range []string{"tiktoken", "gpt-tokenizer"} {
		n, err := startNode(npm, name, encoding, chunks)
		if err != nil {
			return nil, err
		}
		peers = append(peers, peer{"npm " + name + " " + n.version, n.count})
	}
	return peers, nil
}

func inProcess(chunks []string, count func(string) (int, error)) func(time.Duration) (int, int, time.Duration, error) {
	return func(least time.Duration) (sum, times int, cpu time.Duration, err error) {
		for begin := cpuTime(); cpu < least; cpu = cpuTime() - begin {
			sum = 0
			for _, c := range chunks {
				n, err := count(c)
				if err != nil {
					return 0, 0, 0, err
				}
				sum += n
			}
			times++
		}
		return sum, times, cpu, nil
	}
}

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot fail with these arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// cut cuts text into chunks of about size bytes, after line breaks.
func cut(text []byte, size int) []string {
	var chunks []string
	for len(text) > size {
		end := bytes.IndexByte(text[size:], '\n')
		if end < 0 {
			break
		}
		end += size + 1
		chunks = append(chunks, string(text[:end]))
		text = text[end:]
	}
	if len(text) > 0 {
		chunks = append(chunks, string(text))
	}
	return chunks
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
