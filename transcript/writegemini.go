package transcript

import (
	"fmt"
	"strconv"
)

// Gemini CLI has no records for summaries and for messages of the client, and
// ignores members that it does not know. So a record that we write also holds
// the kind of its message: {"satchel":{"kind":"summary"}}.

// withKind adds a message's kind to a record.
func withKind(o *object, k Kind) *object {
	var own object
	return o.raw("satchel", own.str("kind", string(k)).bytes())
}

// marked returns the kind that withKind added, or "".
func marked(v []byte) Kind {
	k := Kind(str(field(v, "kind")))
	switch k {
	case Prompt, Meta, Summary, Results, Answer:
		return k
	}
	return ""
}

// hexID derives an id of 32 hexadecimal digits.
func hexID(seed string, n int) string {
	return fmt.Sprintf("%016x%016x", hash(seed+strconv.Itoa(n)), hash(strconv.Itoa(n)+"/"+seed))
}

// writeGemini appends {"$set":{"messages":[…]}}, as Gemini CLI does after a
// compression.
func writeGemini(x *rewriter) error {
	if err := x.copyLines(); err != nil {
		return err
	}
	var vals [][]byte
	for i := range x.Messages {
		vals = append(vals, geminiElement(x, i))
	}
	var set, o object
	set.raw("messages", list(vals)).str("lastUpdated", x.tick().Format(stamp))
	return x.line(o.raw("$set", set.bytes()).bytes())
}

// writeGeminiDocument replaces the messages of a document of former versions.
func writeGeminiDocument(x *rewriter) error {
	return x.array(func([]byte) bool { return false }, func(i int) ([][]byte, error) {
		return [][]byte{geminiElement(x, i)}, nil
	})
}

func geminiElement(x *rewriter, i int) []byte {
	m := &x.Messages[i]
	kind := "user"
	if m.Kind == Answer {
		kind = "gemini"
	}
	var o object
	o.str("id", hexID(x.sess.ID+strconv.FormatInt(x.size, 10), i)).str("timestamp", x.tick().Format(stamp)).
		str("type", kind).raw("content", listOf(m.Blocks, geminiEncode))
	if m.Kind == Answer {
		o.opt("model", m.Model)
	}
	return withKind(&o, m.Kind).bytes()
}

// geminiEncode makes a part of a block.
func geminiEncode(b *Block) []byte {
	var o, in, out object
	signature := str(field(b.Raw, "thoughtSignature"))
	switch b.Type {
	case Thinking:
		o.str("text", b.Text).raw("thought", []byte("true"))
		signature = str(field(b.Raw, "signature"))
	case Call:
		o.raw("functionCall", in.str("id", b.ID).str("name", b.Name).raw("args", b.Input).bytes())
	case Result:
		key := "output"
		if b.Failed {
			key = "error"
		}
		in.str("id", b.ID).str("name", b.Name).raw("response", out.str(key, b.Text).bytes())
		var media [][]byte
		for it := walk(b.Raw); it.next() && len(media) < b.Images; {
			if mime, data, _ := imageAt(it.val); data != "" {
				media = append(media, geminiMedia(mime, data))
			}
		}
		if len(media) > 0 {
			in.raw("parts", list(media))
		}
		return o.raw("functionResponse", in.bytes()).bytes()
	case Image:
		mime, data, _ := imageAt(b.Raw)
		return geminiMedia(mime, data)
	default:
		o.str("text", b.Text)
	}
	return o.opt("thoughtSignature", signature).bytes()
}

func geminiMedia(mime, data string) []byte {
	var o, in object
	return o.raw("inlineData", in.str("mimeType", mime).str("data", data).bytes()).bytes()
}
