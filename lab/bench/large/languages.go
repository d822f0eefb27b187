package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-dev/satchel/internal/code/outline"
)

// A blob is a file of a clone.
type blob struct {
	git, id, path string
	bytes         int
}

// least is how much text of a language makes its speed worth printing.
const least = 3_000_000

// languages prints how much text of each language a second of processor time
// indexes, in a repository that holds nothing else. A file counts once, and what is
// left out of an index by what it is, such as generated code, does not count.
func languages(bin string, clones []string, most, rounds int) error {
	byLang := map[string][]blob{}
	seen := map[string]bool{}
	for _, dir := range clones {
		git, err := gitDir(dir)
		if err != nil {
			return err
		}
		blobs, err := blobsOf(git, nameOf(dir))
		if err != nil {
			return err
		}
		for _, b := range blobs {
			if lang := outline.Language(b.path, nil); lang != "" && !seen[b.id] {
				seen[b.id] = true
				byLang[lang] = append(byLang[lang], b)
			}
		}
	}
	for _, lang := range slices.Sorted(maps.Keys(byLang)) {
		if err := language(bin, lang, byLang[lang], most, rounds); err != nil {
			return err
		}
	}
	return nil
}

// language measures one language.
func language(bin, lang string, blobs []blob, most, rounds int) error {
	slices.SortFunc(blobs, func(a, b blob) int { return cmp.Compare(a.id, b.id) }) // as good as by chance
	total := 0
	for i, b := range blobs {
		if total += b.bytes; total > most {
			blobs = blobs[:i+1]
			break
		}
	}
	tmp, err := os.MkdirTemp("", "languages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "repo")
	if err := start(dir); err != nil {
		return err
	}
	total, err = fill(dir, blobs)
	if err != nil || total < least {
		return err
	}
	var list []cost
	for range rounds {
		c, err := index(bin, dir)
		if err != nil {
			return err
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b cost) int { return cmp.Compare(a.cpu, b.cpu) })
	c := list[len(list)/2]
	fmt.Printf("%-12s %6d files %6.1f MB %6.2f s %6.1f MB/s\n", lang, len(blobs), float64(total)/1e6, c.cpu.Seconds(),
		float64(total)/1e6/c.cpu.Seconds())
	return nil
}

// fill makes one commit of those of the blobs that an index looks at, and returns
// how many bytes they have.
func fill(dir string, blobs []blob) (total int, err error) {
	slices.SortStableFunc(blobs, func(a, b blob) int { return cmp.Compare(a.git, b.git) })
	var failed error
	err = fastImport(dir, func(w io.Writer) {
		commit(w, 1_700_000_000, "Add everything")
		for from := 0; from < len(blobs); {
			to := from
			for to < len(blobs) && blobs[to].git == blobs[from].git {
				to++
			}
			n, err := copyBlobs(w, blobs[from:to])
			total += n
			failed = cmp.Or(failed, err)
			from = to
		}
	})
	if err := cmp.Or(failed, err); err != nil {
		return 0, err
	}
	return total, checkOut(dir)
}

// copyBlobs writes blobs of one clone as files.
func copyBlobs(w io.Writer, blobs []blob) (total int, err error) {
	var ids strings.Builder
	for _, b := range blobs {
		ids.WriteString(b.id + "\n")
	}
	cmd := exec.Command("git", "-C", blobs[0].git, "cat-file", "--batch", "--buffer")
	cmd.Stdin = strings.NewReader(ids.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	r := bufio.NewReader(out)
	for _, b := range blobs {
		if _, err := r.ReadString('\n'); err != nil {
			return 0, err
		}
		text := make([]byte, b.bytes+1) // and a line end
		if _, err := io.ReadFull(r, text); err != nil {
			return 0, err
		}
		switch outline.Classify(b.path, outline.Language(b.path, text[:b.bytes]), text[:b.bytes], nil) {
		case outline.Source, outline.Test, outline.Docs, outline.Data, outline.Config:
			fmt.Fprintf(w, "M 100644 inline %q\ndata %d\n%s", b.path, b.bytes, text)
			total += b.bytes
		}
	}
	return total, cmd.Wait()
}

// blobsOf lists the files of a clone's newest commit.
func blobsOf(git, name string) ([]blob, error) {
	b, err := exec.Command("git", "-C", git, "ls-tree", "-rlz", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("ls-tree of %s: %v", git, err)
	}
	var list []blob
	for rec := range bytes.SplitSeq(b, []byte{0}) {
		head, path, ok := strings.Cut(string(rec), "\t")
		f := strings.Fields(head)
		if !ok || len(f) < 4 || f[1] != "blob" || f[0] == "120000" || f[3] == "BAD" { // a link, or what a partial clone lacks
			continue
		}
		n, err := strconv.Atoi(f[3])
		if err != nil {
			return nil, fmt.Errorf("ls-tree of %s: %q", git, rec)
		}
		list = append(list, blob{git, f[2], name + "/" + path, n})
	}
	return list, nil
}
