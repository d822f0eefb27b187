package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A digest stands for what one case printed. Hashes are the first 32 hexadecimal
// digits of a SHA-256; "-" is an output that is not compared.
type digest struct {
	name           string
	exit           int
	stdout, stderr string
}

// hash digests an output, as it is after its normalisation.
func hash(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(text))[:32]
}

// parseDigests reads lines of name, exit code and two hashes.
func parseDigests(text []byte) ([]digest, error) {
	var out []digest
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		var d digest
		if n, err := fmt.Sscan(line, &d.name, &d.exit, &d.stdout, &d.stderr); n != 4 {
			return nil, fmt.Errorf("digests.txt: %q: %v", strings.TrimSpace(line), err)
		}
		out = append(out, d)
	}
	return out, nil
}

// formatDigests writes the digests by name.
func formatDigests(list []digest) []byte {
	var b bytes.Buffer
	b.WriteString("# name, exit code, digest of standard output, digest of standard error; written by freeze -write\n")
	for _, d := range list {
		fmt.Fprintf(&b, "%s %d %s %s\n", d.name, d.exit, d.stdout, d.stderr)
	}
	return b.Bytes()
}

// merge returns the digests that are to be committed: those of this run, and
// after a run of some groups the committed ones of the others.
func merge(want, got []digest, some bool) []digest {
	out := slices.Clone(got)
	if some {
		ran := groupsOf(got)
		for _, d := range want {
			if !ran[groupOf(d.name)] {
				out = append(out, d)
			}
		}
	}
	slices.SortFunc(out, func(a, b digest) int { return cmp.Compare(a.name, b.name) })
	return out
}

// compare returns a line for each case that differs, by name. After a run of
// some groups the cases of others are not missed.
func compare(want, got []digest, some bool) []string {
	committed := map[string]digest{}
	for _, d := range want {
		committed[d.name] = d
	}
	ran := groupsOf(got)
	var out []string
	for _, d := range got {
		if was, ok := committed[d.name]; !ok {
			out = append(out, d.name+": new")
		} else if what := difference(was, d); what != "" {
			out = append(out, d.name+": "+what)
		}
		delete(committed, d.name)
	}
	for name := range committed {
		if !some || ran[groupOf(name)] {
			out = append(out, name+": no such case")
		}
	}
	slices.Sort(out)
	return out
}

// difference says in which parts two digests of a case differ.
func difference(want, got digest) string {
	var parts []string
	if want.exit != got.exit {
		parts = append(parts, fmt.Sprintf("exit code %d, want %d", got.exit, want.exit))
	}
	if want.stdout != got.stdout {
		parts = append(parts, "output")
	}
	if want.stderr != got.stderr {
		parts = append(parts, "messages")
	}
	return strings.Join(parts, ", ")
}

func groupOf(name string) string {
	g, _, _ := strings.Cut(name, "/")
	return g
}

func groupsOf(list []digest) map[string]bool {
	out := map[string]bool{}
	for _, d := range list {
		out[groupOf(d.name)] = true
	}
	return out
}
