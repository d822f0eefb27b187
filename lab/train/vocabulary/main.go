// Command vocabulary turns the published vocabularies of o200k_base and cl100k_base
// into the tables that package tokens embeds.
//
//	cd lab && go run ./train/vocabulary -o200k o200k_base.tiktoken -cl100k cl100k_base.tiktoken
//
// The two inputs are the files that OpenAI publishes for tiktoken: a line for
// each token, its bytes in base64, a space and its rank. vocabulary refuses any other
// bytes than those whose SHA-256 it knows, and its output depends on nothing
// else but the characters of tokens/testdata/unicode16.txt. The module
// github.com/pkoukk/tiktoken-go-loader v0.0.2 carries both files below assets.
//
// vocabulary/ORIGIN.txt says where they come from and under which licence.
// The layout of the output is described in tokens/vocabulary.go.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
)

// The sums that tiktoken itself expects of the two files.
const (
	o200kSum  = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
	cl100kSum = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
)

func main() {
	o200k := flag.String("o200k", "", "path of o200k_base.tiktoken")
	cl100k := flag.String("cl100k", "", "path of cl100k_base.tiktoken")
	newer := flag.String("newer", "../tokens/testdata/unicode16.txt", "the characters that Go does not know yet")
	out := flag.String("out", "../tokens/vocabulary", "directory of the tables")
	flag.Parse()
	if err := run(*o200k, *cl100k, *newer, *out); err != nil {
		fmt.Fprintln(os.Stderr, "vocabulary:", err)
		os.Exit(1)
	}
}

func run(o200k, cl100k, newer, out string) error {
	for _, v := range []struct{ name, path, sum string }{
		{"o200k_base", o200k, o200kSum},
		{"cl100k_base", cl100k, cl100kSum},
	} {
		tokens, err := read(v.path, v.sum)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		table, err := layout(tokens)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		if err := os.WriteFile(filepath.Join(out, v.name+".bin"), table, 0o644); err != nil {
			return err
		}
	}
	unicode16, err := os.ReadFile(newer)
	if err != nil {
		return err
	}
	table, err := classes(string(unicode16))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "classes.bin"), table, 0o644)
}

// read returns the tokens of a .tiktoken file in the order of their ranks.
func read(path, sum string) ([][]byte, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(file); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("%s has SHA-256 %x, want %s", path, got, sum)
	}
	var tokens [][]byte
	for line := range bytes.Lines(file) {
		word, rank, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		token, err := base64.StdEncoding.DecodeString(string(word))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(tokens)+1, err)
		}
		if n, err := strconv.Atoi(string(rank)); err != nil || n != len(tokens) {
			return nil, fmt.Errorf("%s:%d: rank %q, want %d", path, len(tokens)+1, rank, len(tokens))
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// These constants and hash repeat tokens/vocabulary.go, which cannot be
// imported for them; its TestVocabulary looks up every token.
const (
	magic      = 0x33_4b_54_53 // "STK3"
	header     = 20
	padding    = 16
	offsetBits = 22
)

// layout lays the tokens out as tokens/vocabulary.go describes.
func layout(tokens [][]byte) ([]byte, error) {
	out := make([]byte, header)
	offsets := make([]uint32, len(tokens))
	for id, t := range tokens {
		if len(t) == 0 || len(t) > 255 {
			return nil, fmt.Errorf("token %d has %d bytes", id, len(t))
		}
		offsets[id] = uint32(len(out))
		out = binary.LittleEndian.AppendUint32(out, uint32(id)|uint32(len(t))<<24)
		out = append(out, t...)
	}
	out = append(out, make([]byte, padding)...)
	if len(out) >= 1<<offsetBits {
		return nil, fmt.Errorf("records take %d bytes", len(out))
	}

	slots := make([]uint32, len(tokens)*3/2)
	for id, t := range tokens {
		h := hash(t)
		i := slotOf(h, len(slots))
		for slots[i] != 0 {
			i = (i + 1) % len(slots)
		}
		slots[i] = offsets[id] | uint32(h)<<offsetBits
	}
	// At least five bits for a token: less than a fifth of them are set.
	filterBits := bits.Len(uint(5 * len(tokens)))
	filter := make([]byte, 1<<filterBits/8)
	for _, t := range tokens {
		f := hash(t) >> (64 - filterBits)
		filter[f/8] |= 1 << (f % 8)
	}

	binary.LittleEndian.PutUint32(out[0:], magic)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(tokens)))
	binary.LittleEndian.PutUint32(out[8:], uint32(len(out)))
	binary.LittleEndian.PutUint32(out[12:], uint32(len(slots)))
	binary.LittleEndian.PutUint32(out[16:], uint32(filterBits))
	for _, s := range slots {
		out = binary.LittleEndian.AppendUint32(out, s)
	}

	out = append(out, filter...)

	// A byte more, so that four can be read at the last three.
	pairs := bytes.Repeat([]byte{0xff}, 3<<16+1)
	for id, t := range tokens {
		if len(t) == 2 {
			at := 3 * (int(t[0]) | int(t[1])<<8)
			pairs[at], pairs[at+1], pairs[at+2] = byte(id), byte(id>>8), byte(id>>16)
		}
	}
	return append(out, pairs...), nil
}
