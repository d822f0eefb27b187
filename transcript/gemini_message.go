package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

func (d *geminiDecoder) finish() {
	d.b.sent, d.b.chain = true, ""
	clear(d.told) // of what was taken back
	clear(d.open)
	for _, m := range d.list.held {
		d.message(m)
	}
}

func (d *geminiDecoder) message(g geminiMessage) {
	d.b.rec = g.rec
	var kind, at, body, calls, thoughts, tokens, model, own []byte
	read(g.raw,
		member{"type", &kind}, member{"timestamp", &at}, member{"content", &body}, member{"toolCalls", &calls},
		member{"thoughts", &thoughts}, member{"tokens", &tokens}, member{"model", &model}, member{"satchel", &own},
	)
	m := Message{ID: g.id, Time: clock(at), Model: str(model), Usage: geminiUsage(tokens)}
	switch {
	case is(kind, "user"):
		d.user(m, body, marked(own))
	case is(kind, "gemini"):
		d.answer(m, body, calls, thoughts)
	case is(kind, "info"), is(kind, "error"), is(kind, "warning"): // for people
	default:
		d.b.sess.Skipped++
	}
}

// user adds what a user message holds: results of tools, if any were not told
// with their calls, and text.
func (d *geminiDecoder) user(m Message, body []byte, own Kind) {
	r := Message{Kind: Results, ID: m.ID, Time: m.Time}
	m.Blocks = geminiParts(body, &r.Blocks)
	m.Blocks = slices.DeleteFunc(m.Blocks, func(x Block) bool { return x.Type == Call || x.Type == Thinking })
	r.Blocks = slices.DeleteFunc(r.Blocks, func(x Block) bool {
		if x.ID != "" && d.told[x.ID] && d.open[x.ID] <= 0 {
			return true // a resumed session records results twice
		}
		d.result(x.ID)
		return false
	})
	if len(r.Blocks) > 0 {
		d.b.add(r)
	}
	if len(m.Blocks) == 0 {
		return
	}
	text := ""
	for _, x := range m.Blocks {
		if x.Type == Text {
			text = strings.TrimSpace(x.Text)
			break
		}
	}
	m.Kind = Prompt
	switch {
	case own != "" && own != Answer && own != Results:
		m.Kind = own
	case strings.HasPrefix(text, "<session_context>"):
		m.Kind = Meta
		if _, after, ok := strings.Cut(text, "Workspace Directories:**\n"); ok && d.b.sess.Dir == "" {
			dir, _, _ := strings.Cut(after, "\n")
			d.b.sess.Dir = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(dir), "-"))
		}
	case geminiSummary(text):
		m.Kind = Summary
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "?"):
		return // a command to the client: not sent
	}
	d.b.add(m)
}

// result notes that a result was told.
func (d *geminiDecoder) result(id string) {
	d.told[id] = true
	d.open[id]--
}

func (d *geminiDecoder) answer(m Message, body, calls, thoughts []byte) {
	var stray []Block
	blocks := geminiParts(body, &stray)
	modern := false // the content holds thoughts or calls itself
	for _, x := range blocks {
		modern = modern || x.Type == Call || x.Type == Thinking
		if x.Type == Call {
			d.open[x.ID]++
		}
	}
	if !modern {
		for it := walk(thoughts); it.next(); {
			text := str(field(it.val, "description"))
			if s := str(field(it.val, "subject")); s != "" {
				text = "**" + s + "** " + text
			}
			m.Blocks = append(m.Blocks, Block{Type: Thinking, Text: text})
		}
	}
	m.Blocks = append(m.Blocks, blocks...)
	r := Message{Kind: Results, Time: m.Time}
	n := 0
	for it := walk(calls); it.next(); n++ {
		var id, name, args, result, status []byte
		read(it.val,
			member{"id", &id}, member{"name", &name}, member{"args", &args}, member{"result", &result},
			member{"status", &status},
		)
		x := Block{Type: Call, ID: str(id), Name: str(name), Input: input(args)}
		x.ID = cmp.Or(x.ID, m.ID+"-"+strconv.Itoa(n))
		if !modern {
			m.Blocks = append(m.Blocks, x)
			d.open[x.ID]++
		}
		if isNull(result) {
			continue
		}
		var parts []Block
		var text strings.Builder
		images := 0
		for _, part := range geminiParts(result, &parts) {
			if part.Type == Image {
				images++
			}
			text.WriteString(part.Text)
		}
		for _, p := range parts {
			text.WriteString(p.Text)
			images += p.Images
		}
		d.result(x.ID)
		failed := is(status, "error") || is(status, "cancelled")
		r.Blocks = append(r.Blocks, Block{Type: Result, ID: x.ID, Name: x.Name, Text: text.String(), Images: images, Failed: failed})
	}
	m.Kind = Answer
	d.b.add(m)
	if len(r.Blocks) > 0 {
		d.b.add(r)
	}
}

// geminiParts reads content: a string, a part or a list of both. Responses of
// functions go to results.
func geminiParts(body []byte, results *[]Block) (blocks []Block) {
	if isString(body) {
		return []Block{{Type: Text, Text: str(body)}}
	}
	if isObject(body) {
		return geminiPart(body, results)
	}
	for it := walk(body); it.next(); {
		if isString(it.val) {
			blocks = append(blocks, Block{Type: Text, Text: str(it.val)})
			continue
		}
		blocks = append(blocks, geminiPart(it.val, results)...)
	}
	return blocks
}

func geminiPart(v []byte, results *[]Block) []Block {
	var text, thought, opaque, call, response, media []byte
	read(v,
		member{"text", &text}, member{"thought", &thought}, member{"thoughtSignature", &opaque}, member{"functionCall", &call},
		member{"functionResponse", &response}, member{"inlineData", &media}, member{"fileData", &media},
	)
	signature := strLen(opaque)
	switch {
	case isObject(call):
		x := Block{Type: Call, ID: str(field(call, "id")), Name: str(field(call, "name")), Input: input(field(call, "args")), Opaque: signature}
		if signature > 0 {
			x.Raw = raw(v) // goes back with its signature
		}
		return []Block{x}
	case isObject(response):
		x := Block{Type: Result, ID: str(field(response, "id")), Name: str(field(response, "name"))}
		out := field(response, "response")
		x.Text = geminiOutput(out)
		x.Failed = field(out, "error") != nil && field(out, "output") == nil
		for it := walk(field(response, "parts")); it.next(); {
			if isObject(field(it.val, "inlineData")) || isObject(field(it.val, "fileData")) {
				x.Images++
			}
		}
		*results = append(*results, x)
		return nil
	case isObject(media):
		if mime, data := field(media, "mimeType"), field(media, "data"); isString(data) && strings.HasPrefix(str(mime), "image/") {
			return []Block{inlineImage(str(mime), str(data))}
		}
		return []Block{{Type: Text, Text: "[file " + str(field(media, "mimeType")) + "]"}}
	case isTrue(thought):
		x := Block{Type: Thinking, Text: str(text), Opaque: signature}
		if signature > 0 {
			x.Raw = signed(x.Text, opaque)
		}
		return []Block{x}
	case isString(text):
		x := Block{Type: Text, Text: str(text), Opaque: signature}
		if signature > 0 {
			x.Raw = raw(v)
		}
		return []Block{x}
	}
	if !isObject(v) {
		return nil
	}
	return []Block{{Type: Text, Text: shown(v)}} // code that the provider ran, and what is invented later
}

// geminiOutput returns the text of a function's response: its output or error,
// else its JSON.
func geminiOutput(raw []byte) string {
	for _, key := range []string{"output", "error"} {
		if v := field(raw, key); isString(v) {
			return str(v)
		}
	}
	if isNull(raw) || string(raw) == "{}" {
		return ""
	}
	return shown(raw)
}

// geminiUsage reads {input,output,cached,thoughts,tool,total}. Cached is part
// of input; output is without thoughts; tool counts prompts of built-in tools.
func geminiUsage(raw []byte) *Usage {
	var u Usage
	tool := 0
	readNumbers(raw,
		number{"input", &u.Input}, number{"tool", &tool}, number{"output", &u.Output}, number{"cached", &u.CacheRead},
		number{"thoughts", &u.Reasoning},
	)
	u.Output += u.Reasoning
	u.Input += tool
	u.CacheRead = min(u.CacheRead, u.Input)
	u.Input -= u.CacheRead
	return u.known()
}
