// Command secrets says what the redaction of secrets finds, so that a person can tell
// false alarms from real keys. Nothing that it prints about folders holds a secret.
//
// Given folders, it prints one finding a line, and how many there are for 10,000
// lines. With -corpus it measures two made-up corpora, secrets without a known form
// and harmless text, by halves: rules are tuned on the first half alone. With -mirror
// it adds the examples of gitleaks and detect-secrets.
//
//	cd lab && go run ./secrets DIR...
//	cd lab && go run ./secrets -corpus [-misses] [-mirror DIR]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/secrets"
)

const largest = 1 << 20 // bytes of a file, as in packs

func main() {
	corpus := flag.Bool("corpus", false, "measure the corpora")
	misses := flag.Bool("misses", false, "print what is missed and each false alarm of the first half")
	mirror := flag.String("mirror", "", "`folder` of repositories, OWNER+NAME/repo each")
	flag.Parse()
	if err := run(*corpus, *misses, *mirror, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "secrets: %v\n", err)
		os.Exit(1)
	}
}

func run(corpus, misses bool, mirror string, dirs []string) error {
	if corpus {
		if err := measure(misses, mirror); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		lines, found, err := count(dir)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d findings in %d lines, %.2f for 10,000\n", dir, found, lines, 1e4*float64(found)/float64(max(lines, 1)))
	}
	return nil
}

// How many items there are of a kind: some 1,300 secrets and 2,256 harmless items.
const (
	secretsOfKind  = 20
	harmlessOfKind = 24
)

// measure prints what is found of the corpora.
func measure(misses bool, mirror string) error {
	halves := []string{"tuned on", "held out"}
	for half, name := range halves {
		report(name+", secrets", secretItems(half, secretsOfKind), misses && half == 0)
		report(name+", harmless", harmlessItems(half, harmlessOfKind), misses && half == 0)
	}
	if mirror == "" {
		return nil
	}
	for _, read := range []func(string) ([]item, error){gitleaksItems, detectItems} {
		items, err := read(mirror)
		if err != nil {
			return err
		}
		for half, name := range halves {
			var some []item
			for i, it := range items {
				if i%2 == half {
					some = append(some, it)
				}
			}
			report(name+", "+items[0].kind, some, misses && half == 0)
		}
	}
	return nil
}

// report prints how many secrets of items are found whole, and how many harmless ones
// are redacted.
func report(name string, items []item, list bool) {
	secret, found, alarms := 0, 0, 0
	for _, it := range items {
		clean, findings := secrets.Redact(it.path, []byte(it.text))
		ok := it.secret != "" && len(findings) > 0 && !strings.Contains(string(clean), it.secret)
		switch {
		case it.secret == "" && len(findings) > 0:
			alarms++
			if list {
				fmt.Printf("  alarm: %q\n", it.text)
			}
		case it.secret != "":
			secret++
			if ok {
				found++
			} else if list {
				fmt.Printf("  missed: %q\n", it.text)
			}
		}
	}
	fmt.Printf("%-34s", name)
	if secret > 0 {
		fmt.Printf(" found %d of %d secrets (%.0f %%)", found, secret, 100*float64(found)/float64(secret))
	}
	if harmless := len(items) - secret; harmless > 0 {
		fmt.Printf(" %d alarms in %d harmless items", alarms, harmless)
	}
	fmt.Println()
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
