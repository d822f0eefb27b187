package agents

import "slices"

// missing names what a row does not say and does not name in Lacks, in words that
// Lacks may hold, and what it names there although it says it.
func (a *Agent) missing() (list []string) {
	need := func(has bool, what string) {
		switch lacks := slices.Contains(a.Lacks, what); {
		case !has && !lacks:
			list = append(list, what)
		case has && lacks:
			list = append(list, "(not) "+what+", which it has")
		}
	}
	need(a.Name != "", "a name")
	need(a.Title != "", "a title")
	need(a.Program != "" || a.Folder != "", "a program, or a folder that tells of it")
	need(a.Settings != nil, "settings")
	need(a.Settings == nil || a.First != "", "what to do first")
	need(a.Format != "", "a format")
	need(a.Sessions != nil, "sessions in files")
	need(a.Sessions == nil || a.Sessions.Line != nil || a.Sessions.Begin != nil, "a reader of heads")
	need(a.Sessions == nil || a.Sessions.Copy != nil, "copies of sessions")
	need(a.Start != nil, "a start")
	need(a.Resume != nil, "a resume")
	need(len(a.Tools) > 0, "tools")
	for does, what := range map[doing]string{reads: "a tool that reads", edits: "a tool that edits", runs: "a tool that runs commands"} {
		need(len(a.Tools) == 0 || slices.ContainsFunc(a.Tools, func(t tool) bool { return t.Does == does }), what)
	}
	need(a.Hooks != nil, "hooks")
	if a.Hooks != nil {
		a.Hooks.missing(need)
	}
	slices.Sort(list)
	return list
}

func (h *Hooks) missing(need func(has bool, what string)) {
	settings := false // they are called by settings, not by a plugin of ours
	for _, ev := range h.Events {
		settings = settings || ev.Seconds > 0
		need(ev.Answer != 0, "an answer to "+ev.Name)
	}
	need(!settings || h.Handler != nil, "a handler of its hooks")
	need(!settings || h.Windows != nil, "a line of its hooks for Windows")
	for means, what := range map[Meaning]string{Start: "an event of a start", Prompt: "an event of a prompt", AfterTool: "an event of a used tool"} {
		need(slices.ContainsFunc(h.Events, func(ev Event) bool { return ev.Means == means && ev.Answer > silent }), what)
	}
	need(slices.ContainsFunc(h.Events, func(ev Event) bool { return ev.Means == BeforeCompact || ev.Means == MaybeCompact }), "an event of a compaction")
}
