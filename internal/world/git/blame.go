package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A BlamedLine says which commit a line of a file came with.
type BlamedLine struct {
	Line    int // in the file that was asked about
	Commit  string
	Summary string // the first line of the commit's message
	Time    int64  // of the committer, Unix seconds
	Text    string // without its end
}

// Blame says of the lines from..to of a file, as it is in rev, which commits they
// came with. What changed white space alone does not count. The error is an
// *[UnknownRevisionError], or what git says of a file or of lines that are not there.
func (r *Repo) Blame(ctx context.Context, rev, path string, from, to int, fn func(BlamedLine) error) error {
	commit, err := r.commit(ctx, rev)
	if err != nil {
		return err
	}
	// A repository's configuration may name any file as a list of commits to skip,
	// and its lines would be in errors.
	run, done, err := r.isolated()
	if err != nil {
		return err
	}
	defer done()
	args := []string{"blame", "--line-porcelain", "-w", "--no-textconv", "--encoding=UTF-8", "-L", fmt.Sprintf("%d,%d", from, to), commit, "--", path}
	_, err = run.stream(ctx, nil, maxHistory, func(br *bufio.Reader) error { return parseBlame(br, r.format, fn) }, args...)
	return err
}

// parseBlame reads what git blame --line-porcelain prints: for each line "id from
// line [lines]", then headers, then a tab and the text.
func parseBlame(br *bufio.Reader, format Format, fn func(BlamedLine) error) error {
	for {
		line, err := br.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil {
			return truncated(err)
		}
		head := strings.Fields(line)
		if len(head) < 3 || !format.validID(head[0]) {
			return fmt.Errorf("%w: no start of a blamed line", errAnswer)
		}
		b := BlamedLine{Commit: head[0]}
		if b.Line, err = strconv.Atoi(head[2]); err != nil {
			return fmt.Errorf("%w: no number of a blamed line", errAnswer)
		}
		if err := blameHeaders(br, &b); err != nil {
			return err
		}
		if err := fn(b); err != nil {
			return err
		}
	}
}

// blameHeaders reads what follows the first line about a line, its text included.
func blameHeaders(br *bufio.Reader, b *BlamedLine) error {
	for {
		line, err := br.ReadString('\n')
		if err != nil && (err != io.EOF || !strings.HasPrefix(line, "\t")) {
			return truncated(err)
		}
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			b.Text = text
			return nil
		}
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "summary":
			b.Summary = value
		case "committer-time":
			b.Time, _ = strconv.ParseInt(value, 10, 64) // 0 if git cannot tell
		}
	}
}
