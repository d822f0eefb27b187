package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/session/recordings"
	"github.com/satchel-dev/satchel/internal/text/clean"
	"github.com/satchel-dev/satchel/render"
	"github.com/satchel-dev/satchel/trim"
)

// statusText is the status as people read it.
func (a *app) statusText(r *recordings.Status, paint base.Brush) []byte {
	t := a.sheet()
	t.Paint = paint
	head := []string{
		t.Paint.Bold("session") + " " + cmp.Or(base.FitWidth(clean.Inline(r.ID), 9), string(r.Format)),
		clean.Inline(r.Model),
	}
	used := countText(r.Used.Tokens, r.Used.Error)
	if r.Percent == nil {
		head = append(head, used+" tokens", "of an unknown window")
	} else {
		head = append(head, fmt.Sprintf("%s / %s  %s", used, render.Compact(r.Window), render.PercentFull(*r.Percent)), turnsLeft(r.Turns))
	}
	t.wrapped("", "  ", "  ", head)
	if title := base.Shown(r.Title); title != "" {
		t.WriteString(t.Paint.Dim(base.FitWidth(title, t.Width)) + "\n")
	}
	t.WriteString(render.PaintedBar(r.Bar(), t.Width, func(name, text string) string { return paintSection(t, name, text) }) + "\n")
	var parts []string
	for _, s := range r.Sections {
		parts = append(parts, paintSection(t, s.Name, s.Name)+" "+countText(s.Tokens.Tokens, s.Tokens.Error))
	}
	if r.Free != nil {
		if over := r.Used.Tokens - r.Window; over > 0 {
			parts = append(parts, "over by "+render.Compact(over))
		} else {
			parts = append(parts, paintSection(t, "", "free")+" "+render.Compact(*r.Free))
		}
	}
	t.wrapped("", "", " | ", parts)
	writeHistory(t, r)
	writeItems(t, r.Items)
	if n := r.Omitted.Items; n > 0 {
		t.text(t.Paint.Dim, fmt.Sprintf("and %s more items, %s tokens; --limit shows them", render.Thousands(n), render.Compact(r.Omitted.Tokens)))
	}
	if r.Warning != "" {
		t.text(t.Paint.Bold, r.Warning)
	}
	for _, s := range r.Advice {
		t.text(nil, s)
	}
	if r.Frees.Trim > 0 {
		t.text(nil, fmt.Sprintf("satchel session trim would free about %s tokens", render.Compact(r.Frees.Trim)))
	}
	t.text(t.Paint.Dim, "used: "+r.UsedSource+", "+render.CountMethod(r.Used)+" · "+sectionSources(r.Sections)+" · window: "+r.Source)
	return t.Bytes()
}

func turnsLeft(n int) string {
	switch {
	case n < 0:
		return ""
	case n == 0:
		return "full"
	case n == 1:
		return "full in ~1 turn"
	}
	return fmt.Sprintf("full in ~%s turns", render.Thousands(n))
}

// sectionSources says where the numbers of the sections come from, grouped by source.
func sectionSources(list []trim.Fill) string {
	var order []string
	names := map[string][]string{}
	for _, s := range list {
		how := render.CountMethod(s.Tokens)
		if names[how] == nil {
			order = append(order, how)
		}
		names[how] = append(names[how], s.Name)
	}
	for i, how := range order {
		order[i] = strings.Join(names[how], ", ") + ": " + how
	}
	return strings.Join(order, " · ")
}

func writeHistory(t *sheet, r *recordings.Status) {
	var points []render.Point
	compacted, injected := false, false
	window := r.Window
	for _, g := range r.History {
		if r.Window <= 0 {
			window = max(window, g.Tokens) // heights of the largest context, if of nothing else
		}
		points = append(points, render.Point{Turn: g.Turn, Tokens: g.Tokens, Compacted: g.Compacted, Injected: g.Injected})
		compacted = compacted || g.Compacted
		injected = injected || g.Injected
	}
	head := "turn  "
	if !r.Reported {
		head = "turn ~"
	}
	line := render.HistoryLine(points, window, t.Width-render.Width(head))
	if line == "" {
		return
	}
	t.WriteString(t.Paint.Bold(head) + line + "\n")
	var legend []string
	if compacted {
		legend = append(legend, "⟂ compaction")
	}
	if injected {
		legend = append(legend, "● injected by satchel")
	}
	if len(legend) > 0 {
		t.WriteString(t.Paint.Dim(strings.Repeat(" ", 6)+strings.Join(legend, "  ")) + "\n")
	}
}

func stateText(it *trim.Piece) string {
	switch it.State {
	case trim.Duplicate:
		return "DUPLICATE " + render.Compact(it.Frees)
	case trim.Outdated:
		return "STALE (edited)"
	case trim.Compressible:
		return "compressible"
	case trim.Pinned:
		return "PINNED"
	}
	return ""
}
