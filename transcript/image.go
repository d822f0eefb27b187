package transcript

import "strings"

// openAI reports whether a recorded block is of the Responses or the Chat
// Completions API rather than of Anthropic's.
func openAI(v []byte) bool {
	kind := str(field(v, "type"))
	switch kind {
	case "reasoning", "image_url", "message", "compaction", "compaction_summary", "context_compaction", "file", "refusal":
		return true
	}
	return strings.HasPrefix(kind, "input_") || strings.HasPrefix(kind, "output_") || strings.HasSuffix(kind, "_call") ||
		strings.HasSuffix(kind, "_output")
}

// imageAt returns where a recorded image is: base64 data with its media type, or
// an address. Both are empty if it does not say.
func imageAt(v []byte) (media, data, url string) {
	for it := walk(v); it.next(); {
		switch string(it.key) {
		case "source": // Anthropic's
			media, data, url = str(field(it.val, "media_type")), str(field(it.val, "data")), str(field(it.val, "url"))
		case "data": // pi's
			data = str(it.val)
		case "mimeType":
			media = str(it.val)
		case "image_url": // of either API of OpenAI
			if url = str(it.val); url == "" {
				url = str(field(it.val, "url"))
			}
		}
	}
	if head, body, ok := strings.Cut(url, ";base64,"); ok && strings.HasPrefix(head, "data:") {
		return strings.TrimPrefix(head, "data:"), body, ""
	}
	return media, data, url
}

// image encodes an image for an API, as text if nothing says where it is.
func image(f Format, b *Block) []byte {
	media, data, url := imageAt(b.Raw)
	if url == "" && data != "" {
		url = "data:" + media + ";base64," + data
	}
	var o, in object
	switch {
	case url == "":
		kind := "text"
		if f == Responses {
			kind = "input_text"
		}
		return o.str("type", kind).str("text", "[image]").bytes()
	case f == Chat:
		return o.str("type", "image_url").raw("image_url", in.str("url", url).bytes()).bytes()
	case f == Responses:
		return o.str("type", "input_image").str("image_url", url).bytes()
	case data != "":
		in.str("type", "base64").str("media_type", media).str("data", data)
	default:
		in.str("type", "url").str("url", url)
	}
	return o.str("type", "image").raw("source", in.bytes()).bytes()
}
