package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/outline"
)

// A tally counts definitions.
type tally struct {
	trees, lines int // definitions of each outliner
	found        int // of both, by name and line
	agreed, full int
	apart        int
	differences  []difference

	understood *tally // of the files that tree-sitter reads without errors
}

// A difference is one definition that the outliners do not agree on.
type difference struct {
	cause string
	where string // path:line
	text  string // the source line
	what  string // the values that differ
}

const header = "language    repository                     files   trees   lines  precision  recall   agree    full  apart  understood"

func (t *tally) row(lang, name string, files int) string {
	return fmt.Sprintf("%-11s %-30s %5d %7d %7d %9.1f%% %6.1f%% %6.1f%% %6.1f%% %6d %6.1f%% of %d", lang, name, files, t.trees, t.lines,
		percent(t.found, t.lines), percent(t.found, t.trees), percent(2*t.agreed, t.trees+t.lines), percent(2*t.full, t.trees+t.lines), t.apart,
		percent(2*t.understood.agreed, t.understood.trees+t.understood.lines), t.understood.trees)
}

func percent(a, b int) float64 {
	if b == 0 {
		return 100
	}
	return 100 * float64(a) / float64(b)
}

// compareAll outlines the files of a repository both ways.
func compareAll(o *truths, lang, repo string, files []source) (t tally, err error) {
	t.understood = new(tally)
	for _, f := range files {
		truth, err := o.outline(lang, f)
		if err != nil {
			return t, err
		}
		ours := outline.Parse(lang, f.text).Symbols
		if truth.Failed != "" {
			t.apart += len(ours)
			continue
		}
		t.compare(repo+"/"+f.path, f.text, truth, ours)
		if len(truth.Broken) == 0 {
			t.understood.compare(repo+"/"+f.path, f.text, truth, ours)
		}
	}
	return t, nil
}

// place is what makes two definitions the same.
type place struct {
	name string
	line int
}

// compare counts the definitions of one file.
func (t *tally) compare(path string, text []byte, want truth, got []satchel.Symbol) {
	source := bytes.Split(text, []byte("\n"))
	note := func(s *satchel.Symbol, cause, what string) {
		t.differences = append(t.differences, difference{cause, fmt.Sprintf("%s:%d", path, s.NameLine), string(source[min(s.NameLine, len(source))-1]), what})
	}
	ours := map[place][]*satchel.Symbol{}
	for i := range got {
		s := &got[i]
		if within(want.Broken, s.NameLine) {
			t.apart++
			continue
		}
		t.lines++
		at := place{s.Name, s.NameLine}
		ours[at] = append(ours[at], s)
	}
	for i := range want.Symbols {
		s := &want.Symbols[i]
		if within(want.Broken, s.NameLine) {
			t.apart++
			continue
		}
		t.trees++
		at := place{s.Name, s.NameLine}
		if len(ours[at]) == 0 && s.Kind == "method" && decorates(source, s.NameLine) {
			t.trees--
			t.apart++
			continue
		}
		if len(ours[at]) == 0 {
			note(s, "missed "+s.Kind+": "+shape(s.Signature), s.Signature)
			continue
		}
		t.found++
		o := ours[at][0]
		ours[at] = ours[at][1:]
		if annotated(source, s, o) {
			s.From = o.From
		}
		if trailed(path, source, s, o) {
			s.To = o.To
		}
		cause, what := differ(s, o)
		if cause == "" {
			t.agreed++
			if sameSignature(s.Signature, o.Signature) {
				t.full++
				continue
			}
			cause, what = "signature of "+s.Kind, fmt.Sprintf("%q, not %q", s.Signature, o.Signature)
		}
		note(s, cause, what)
	}
	for i := range got {
		s := &got[i]
		if left := ours[place{s.Name, s.NameLine}]; len(left) > 0 && left[0] == s {
			ours[place{s.Name, s.NameLine}] = left[1:]
			note(s, "invented "+s.Kind+": "+shape(s.Signature), s.Signature)
		}
	}
}

// differ says in which of the fields that count two definitions differ.
func differ(want, got *satchel.Symbol) (cause, what string) {
	var fields, values []string
	add := func(field string, a, b any) {
		if a != b {
			fields = append(fields, field)
			values = append(values, fmt.Sprintf("%s %v, not %v", field, a, b))
		}
	}
	add("kind", want.Kind, got.Kind)
	add("parent", want.Parent, got.Parent)
	add("from", want.From, got.From)
	add("to", want.To, got.To)
	if len(fields) == 0 {
		return "", ""
	}
	if fields[0] == "kind" {
		fields[0] = "kind " + want.Kind + " is " + got.Kind
	}
	return strings.Join(fields, ", ") + " of " + want.Kind, strings.Join(values, "; ")
}
