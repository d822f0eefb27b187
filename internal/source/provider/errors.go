package provider

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/internal/text/lazy"
	"github.com/satchel-dev/satchel/internal/world/fsx"
)

// Errors tells what went wrong lately: from the newest logs and test reports, also
// those that git ignores, the lines that say so and the lines around them.
type Errors struct {
	Place *Place
	Dir   string // the folder of the logs, if it is not the place's
	Files int    // how many files it tells of; zero means 3
}

// Bounds of the search. Logs lie near the root, and a test run writes a few.
const (
	errorsWorth  = 0.85
	errorsFades  = 0.9
	maxLogDepth  = 6
	maxLogSeen   = 50_000    // files and folders
	maxLogTried  = 20        // files that are read
	logTail      = 256 << 10 // bytes of a file that are looked at
	maxLogLines  = 64 << 20  // bytes of a file in which lines are counted
	logTooOldFor = 30 * 24 * time.Hour
)

// Name implements Provider.
func (e *Errors) Name() string { return "errors" }

// Description says what the provider is for.
func (e *Errors) Description() string { return "errors and test failures from the newest logs" }

// Budget implements Provider.
func (e *Errors) Budget() int { return 400 }

// A logFile is a file that may tell of errors.
type logFile struct {
	path string
	time time.Time
}

// Gather implements Provider. With a Now, files that are a month older are passed
// over.
func (e *Errors) Gather(ctx context.Context, req Request) ([]satchel.Item, []satchel.Diagnostic, error) {
	dir := cmp.Or(e.Dir, e.Place.Dir())
	if dir == "" {
		return nil, nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	list, diags, err := findLogs(ctx, root)
	if err != nil {
		return nil, diags, err
	}
	most := cmp.Or(max(e.Files, 0), 3)
	each := 0
	if req.Budget > 0 {
		each = max(req.Budget/most, 60)
	}
	var items []satchel.Item
	for _, f := range list[:min(len(list), maxLogTried)] {
		if len(items) == most || !req.Now.IsZero() && req.Now.Sub(f.time) > logTooOldFor {
			break
		}
		if err := ctx.Err(); err != nil {
			return items, diags, err
		}
		it, err := readLog(root, f, req.Query, each)
		if err != nil {
			diags = append(diags, satchel.Diagnostic{Path: f.path, Text: "left out: " + err.Error()})
			continue
		}
		if it != nil {
			items = append(items, *it)
		}
	}
	weigh(req.Query, items, func(i int) float64 { return faded(errorsWorth, errorsFades, i) })
	return items, diags, nil
}

// findLogs returns the files below a folder that look like logs or reports, newest
// first.
func findLogs(ctx context.Context, root *os.Root) ([]logFile, []satchel.Diagnostic, error) {
	var list []logFile
	var diags []satchel.Diagnostic
	seen := 0
	err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if p == "." {
				return err
			}
			return nil // what cannot be looked into tells nothing
		}
		if seen++; seen > maxLogSeen {
			diags = append(diags, satchel.Diagnostic{Text: fmt.Sprintf("errors: only the first %d files and folders were searched for logs", maxLogSeen)})
			return fs.SkipAll
		}
		if seen%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (skipped[name] || testInput[name] || strings.Count(p, "/") >= maxLogDepth) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isLog(p) {
			return nil
		}
		if fi, err := d.Info(); err == nil && fi.Size() > 0 {
			list = append(list, logFile{p, fi.ModTime().UTC()})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b logFile) int {
		return cmp.Or(b.time.Compare(a.time), strings.Compare(a.path, b.path))
	})
	return list, diags, err
}

// testInput are folders whose logs are what tests read or compare with: they tell
// of no error of today.
var testInput = map[string]bool{"testdata": true, "test-data": true, "fixtures": true, "__fixtures__": true, "__snapshots__": true}

// isLog reports whether a file is a log or a test report by its name.
func isLog(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch path.Ext(base) {
	case ".log", ".err", ".tap":
		return true
	case ".xml":
		return strings.HasPrefix(base, "test-") || strings.Contains(stem, "junit") || strings.Contains(stem, "test-results") || strings.Contains(stem, "test_results")
	case ".txt", ".out", "":
		return strings.Contains(stem, "error") || strings.Contains(stem, "failure") || stem == "lastfailed" || stem == "nohup" ||
			strings.HasPrefix(stem, "test") && (strings.HasSuffix(stem, "output") || strings.HasSuffix(base, ".out") || strings.HasSuffix(stem, "results"))
	}
	return false
}

// styled is what a program writes to color text or to erase a line (ECMA-48, a
// control sequence). It stands before the words that tell of an error, and inside
// of secrets.
var styled = lazy.Regexp(`\x1b\[[0-?]*[ -/]*[@-~]`)

// errBinary is why a file that is no text is left out.
var errBinary = errors.New(satchel.WhyBinary)

// readLog returns what a file tells, or nil if nothing went wrong.
func readLog(root *os.Root, f logFile, query string, budget int) (*satchel.Item, error) {
	text, first, err := tailOf(root, f.path)
	if err != nil {
		return nil, err
	}
	shown, _ := clean.Excerpt(f.path, styled().ReplaceAll(text, nil))
	var lines []string
	if ext := strings.ToLower(path.Ext(f.path)); ext == ".xml" {
		lines, first = junitFailures([]byte(shown.String())), 0
	} else {
		lines = strings.Split(shown.TrimNewline().String(), "\n")
	}
	told := compress(lines, query, budget)
	if told == nil {
		return nil, nil
	}
	from, to := 0, 0
	if first > 0 {
		from, to = first+told.from, first+told.to
	}
	it := item(satchel.KindErrors, f.path, from, to, told.text)
	it.Title = clean.Line("written " + f.time.Format("2006-01-02 15:04") + " UTC")
	if told.cut {
		it.Forms[0].Detail = satchel.Trimmed
	}
	return &it, nil
}

// tailOf returns the end of a file, from the start of a line, and the number of
// that line; 0 if the file is too large to count lines in.
func tailOf(root *os.Root, name string) (text []byte, first int, err error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, fsx.Cause(err)
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return nil, 0, fsx.Cause(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, errors.New(satchel.WhySpecial)
	}
	from := max(0, fi.Size()-logTail)
	first = 1
	if from > 0 {
		if fi.Size() > maxLogLines {
			first = 0
		} else if first, err = countLines(io.LimitReader(file, from)); err != nil {
			return nil, 0, fsx.Cause(err)
		}
		if _, err := file.Seek(from, io.SeekStart); err != nil {
			return nil, 0, fsx.Cause(err)
		}
	}
	text, err = io.ReadAll(io.LimitReader(file, logTail))
	if err != nil {
		return nil, 0, fsx.Cause(err)
	}
	if slices.Contains(text[:min(len(text), 8<<10)], 0) {
		return nil, 0, errBinary
	}
	if from > 0 {
		if i := slices.Index(text, '\n'); i >= 0 {
			text = text[i+1:]
			if first > 0 {
				first++
			}
		}
	}
	return text, first, nil
}

// countLines returns the number of the line that a text ends in.
func countLines(r io.Reader) (n int, err error) {
	n = 1
	buf := bufio.NewReaderSize(r, 64<<10)
	for {
		part, err := buf.ReadSlice('\n')
		if len(part) > 0 && part[len(part)-1] == '\n' {
			n++
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}
