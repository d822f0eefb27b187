// Command secrets says what the redaction of secrets finds in folders, one finding a
// line, so that a person can tell false alarms from real keys; and how many there are
// for 10,000 lines. Nothing that it prints holds a secret.
//
//	cd lab && go run ./secrets DIR...
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/secrets"
)

const largest = 1 << 20 // bytes of a file, as in packs

func main() {
	for _, dir := range os.Args[1:] {
		lines, found, err := count(dir)
		if err != nil {
			fmt.Fprintf(os.Stderr, "secrets: %v\n", err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d findings in %d lines, %.2f for 10,000\n", dir, found, lines, 1e4*float64(found)/float64(max(lines, 1)))
	}
}

// count prints the findings in the text files below a folder.
func count(dir string) (lines, found int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil || len(text) > largest || bytes.IndexByte(text[:min(len(text), 8<<10)], 0) >= 0 {
			return err
		}
		lines += bytes.Count(text, []byte("\n"))
		path, _ := filepath.Rel(dir, name)
		clean, list := secrets.Redact(filepath.ToSlash(path), text)
		shown := strings.Split(string(clean), "\n")
		for _, f := range list {
			found++
			line := strings.TrimSpace(shown[min(f.Line, len(shown))-1])
			at := max(0, strings.Index(line, "[secret:")-60)
			fmt.Printf("%s:%d: %s: %q\n", path, f.Line, f.Kind, line[at:min(len(line), at+140)])
		}
		return nil
	})
	return lines, found, err
}
