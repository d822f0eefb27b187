package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/text/clip"
)

// A Draft is a record in the making, and the blobs that it needs.
type Draft struct {
	Record Record
	Blobs  map[string][]byte // by id; those that the store already has are not in it

	hash func(data []byte) string
}

// New returns an empty draft. hash gives the blob id of bytes in the store that
// will keep them.
func New(s Strategy, hash func(data []byte) string) *Draft {
	return &Draft{Record: Record{Version: version, Strategy: s}, Blobs: make(map[string][]byte), hash: hash}
}

// Bytes are the contents of an item.
type Bytes struct {
	Data     []byte // with secrets redacted
	Stored   string // id of the blob that holds exactly Data in the store already; "" if none does
	Redacted int    // secrets that were taken out of Data
}

// Add appends an item with its contents. Blob, Size, Mime, Redacted and Preview
// are filled in.
func (d *Draft) Add(it Item, b Bytes) {
	it.Blob = b.Stored
	if it.Blob == "" {
		it.Blob = d.keep(b.Data)
	}
	it.Size = int64(len(b.Data))
	it.Mime = Mime(b.Data)
	it.Redacted = b.Redacted
	if it.Preview == "" {
		it.Preview = Preview(b.Data)
	}
	d.Record.Items = append(d.Record.Items, it)
}

// SetOutput says what the rendered pack was.
func (d *Draft) SetOutput(format string, text []byte) {
	d.Record.Output = &Output{Format: format, Blob: d.keep(text), Size: int64(len(text))}
}

func (d *Draft) keep(data []byte) string {
	id := d.hash(data)
	d.Blobs[id] = data
	return id
}

// SetPack copies what a pack says besides its entries.
func (d *Draft) SetPack(p *satchel.Pack, req Request) {
	r := &d.Record
	r.Commit, r.Budget, r.Used, r.Method = p.Rev, p.Budget, p.Used, p.Method
	r.Sections = slices.Clone(p.Sections)
	r.Omitted = slices.Clone(p.Omitted)
	r.Diagnostics = slices.Clone(p.Diagnostics)
	r.Request = &req
}

// Finish sorts the items, writes the summary and checks the record. The order
// of items is that of a pack: by path and lines.
func (d *Draft) Finish() (*Record, error) {
	r := &d.Record
	slices.SortStableFunc(r.Items, func(a, b Item) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	if r.Summary == "" {
		r.Summary = summarize(r)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

// summarize says in one line what a record holds.
func summarize(r *Record) string {
	paths := make(map[string]bool)
	for i := range r.Items {
		paths[r.Items[i].Path] = true
	}
	s := fmt.Sprintf("%s of %s", count(len(r.Items), "item"), count(len(paths), "path"))
	if r.Used > 0 {
		s += fmt.Sprintf(", %s", count(r.Used, "token"))
	}
	if n := len(r.Omitted); n > 0 {
		s += fmt.Sprintf(", %d left out", n)
	}
	if r.Request != nil && r.Request.Task != "" {
		title, _, _ := strings.Cut(strings.TrimSpace(r.Request.Task), "\n")
		s += ": " + clip.First(title, 100)
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxPreview is the most characters of a preview: git-internal advises fewer
// than 500.
const maxPreview = 499

// Preview returns the beginning of a text, under 500 characters; the format and
// size of an image, as "PNG 640x480"; and "" for other bytes that are no text.
func Preview(data []byte) string {
	if text := imagePreview(data); text != "" {
		return text
	}
	head := data[:min(len(data), 8<<10)]
	if bytes.IndexByte(head, 0) >= 0 {
		return ""
	}
	return clip.First(strings.ToValidUTF8(string(head[:wholeRunes(head)]), "\uFFFD"), maxPreview)
}

// wholeRunes returns the length of b without a character that is cut off at its
// end.
func wholeRunes(b []byte) int {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return len(b) - i
			}
			break
		}
	}
	return len(b)
}

// magic are the beginnings of images that agents are shown.
var magic = []struct{ head, mime string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"BM", "image/bmp"},
	{"%PDF-", "application/pdf"},
}

// Mime returns the media type of bytes, by the bytes alone.
func Mime(data []byte) string {
	for _, m := range magic {
		if bytes.HasPrefix(data, []byte(m.head)) && (m.head != "BM" || !utf8.Valid(data)) {
			return m.mime
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	if bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// imagePreview says in words what image bytes are: "PNG 640x480", the format alone
// if the size cannot be read, and "" for bytes that are no image.
func imagePreview(data []byte) string {
	format, ok := strings.CutPrefix(Mime(data), "image/")
	if !ok {
		return ""
	}
	format = strings.ToUpper(format)
	if w, h := imageSize(data); w > 0 && h > 0 {
		return fmt.Sprintf("%s %dx%d", format, w, h)
	}
	return format
}

// imageSize reads the width and height of an image in pixels from its header; it
// decodes no pixels. They are 0 if the header does not hold them.
func imageSize(data []byte) (width, height int) {
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		return c.Width, c.Height
	}
	le := binary.LittleEndian
	switch {
	case Mime(data) == "image/bmp" && len(data) >= 26:
		h := int32(le.Uint32(data[22:])) // negative if the rows go from top to bottom
		return int(int32(le.Uint32(data[18:]))), int(max(h, -h))
	case Mime(data) != "image/webp" || len(data) < 30:
		return 0, 0
	}
	// The first chunk of a WebP, by the container specification.
	switch string(data[12:16]) {
	case "VP8 ":
		return int(le.Uint16(data[26:]) & 0x3fff), int(le.Uint16(data[28:]) & 0x3fff)
	case "VP8L":
		bits := le.Uint32(data[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return int(uint24(data[24:])) + 1, int(uint24(data[27:])) + 1
	}
	return 0, 0
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
