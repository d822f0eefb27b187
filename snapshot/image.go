package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/gif"  // sizes of GIF
	_ "image/jpeg" // of JPEG
	_ "image/png"  // and of PNG
	"strings"
)

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
