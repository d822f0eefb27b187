package render

import (
	"strings"

	"github.com/satchel-dev/satchel"
)

// xmlText writes
//
//	<context note="Excerpts from …">
//	<paths><![CDATA[
//	…
//	]]></paths>
//	<file path="path/to/file.go" lang="go">
//	<list><![CDATA[
//	10-12 func Outlined()
//	]]></list>
//	<text lines="30-42" name="Shown"><![CDATA[
//	func Shown() {
//	…
//	]]></text>
//	</file>
//	<receipt><![CDATA[
//	…
//	]]></receipt>
//	</context>
//
// The newline after CDATA[ is not part of the text.
func xmlText(v *view) []part {
	ps := &parts{section: "frame"}
	ps.say(`<context note="`, intro, "\">\n")
	ps.pack(v, func(kind, title string, lines []string) {
		note := ""
		if kind == "paths" && v.unsure {
			note = attr("note", strings.ToLower(title))
		}
		ps.element(kind, note, quote{strings.Join(lines, "\n") + "\n", -1})
	}, func(f *fileView) {
		ps.say("<file", attr("path", f.path), attr("lang", f.lang), attr("blob", f.blob))
		if f.dirty {
			ps.say(attr("state", "uncommitted"))
		}
		ps.say(attr("note", strings.Join(f.notes, "; ")), ">\n")
		if len(f.list) > 0 {
			ps.element("list", "", quote{strings.Join(f.list, "\n") + "\n", -1})
		}
		for j := range f.blocks {
			b := &f.blocks[j]
			attrs := ""
			if b.from > 0 {
				attrs = attr("lines", satchel.Range{From: b.from, To: b.to}.String())
			}
			attrs += attr("name", b.title)
			if b.detail < satchel.Full {
				attrs += attr("detail", b.detail.String())
			}
			ps.element("text", attrs, b.texts...)
		}
		ps.say("</file>\n")
	})
	ps.in("frame")
	ps.say("</context>\n")
	return ps.done()
}

// element appends an element whose content is verbatim text.
func (ps *parts) element(name, attrs string, texts ...quote) {
	ps.say("<", name, attrs, "><![CDATA[\n")
	for i, q := range texts {
		// The end of a section of verbatim text may lie across two texts only
		// if one does not end in a newline, and all do.
		if strings.Contains(q.text, "]]>") {
			texts[i] = quote{strings.ReplaceAll(q.text, "]]>", "]]]]><![CDATA[>"), -1}
		}
		ps.quote(texts[i].text, texts[i].tokens)
	}
	ps.say("]]></", name, ">\n")
}

// attr returns an attribute, or nothing if the value is empty.
func attr(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + attrEscapes.Replace(value) + `"`
}

var attrEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
