// Command edits measures how well the semantic edits of commits that follow
// from the definitions of the line outliner agree with those that follow from
// tree-sitter's.
//
//	go run ./edits -mirror DIR python=pallets/flask,psf/requests c=jqlang/jq
//
// Of each repository it takes ordinary commits that change a file of the
// language, in the order of their ids, so that another run takes the same. Both
// outliners read both sides of the changed files, and [change.Describe] says
// what the commit does, once for each. Two edits agree if action, kind and name
// are equal; one that differs in kind or name alone counts as a difference too,
// and is shown apart.
//
// With -patch, the lines are those of the patch alone, as for a patch of which no
// side is known.
//
// The report says for each language, for all files and for those that tree-sitter
// reads without errors ("understood"), how many of tree-sitter's edits the lines
// give as well, how many of theirs tree-sitter gives, and why the others differ.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "edits: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("edits", flag.ContinueOnError)
	mirror := fs.String("mirror", os.Getenv("MIRROR"), "folder with the repositories as OWNER+NAME/repo")
	each := fs.Int("each", 10, "commits of a repository at most")
	patch := fs.Bool("patch", false, "compare what the patch alone tells, without the texts of both sides")
	verbose := fs.Bool("v", false, "print each difference")
	if err := fs.Parse(args); err != nil {
		return err
	}
	total := newTally("all")
	var tallies []*tally
	for _, arg := range fs.Args() {
		lang, repos, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("argument %q: want LANGUAGE=OWNER/NAME,OWNER/NAME", arg)
		}
		t := newTally(lang)
		t.understood = newTally(lang + ", understood")
		for _, name := range strings.Split(repos, ",") {
			c := &collector{lang: lang, each: *each, tally: t, patch: *patch, verbose: *verbose}
			if err := c.repository(ctx, *mirror, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		tallies = append(tallies, t)
		total.add(t)
	}
	tallies = append(tallies, total)
	for _, t := range tallies {
		fmt.Println(t)
		fmt.Println(t.understood)
	}
	for _, t := range tallies {
		fmt.Printf("\n%s\n", t.lang)
		for _, cause := range slices.Sorted(keys(t.causes)) {
			fmt.Printf("%6d  %s\n", t.causes[cause], cause)
		}
	}
	return nil
}
