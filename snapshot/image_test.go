package snapshot

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
	"unicode/utf8"
)

func TestImagePreview(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 640, 480), color.Palette{color.Black, color.White})
	encode := func(write func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	webp := func(chunk, rest string) string { return "RIFF\x00\x00\x00\x00WEBP" + chunk + "\x00\x00\x00\x00" + rest }
	pngText := encode(func(b *bytes.Buffer) error { return png.Encode(b, img) })
	for _, tt := range []struct{ name, data, want string }{
		{"png", pngText, "PNG 640x480"},
		{"jpeg", encode(func(b *bytes.Buffer) error { return jpeg.Encode(b, img, nil) }), "JPEG 640x480"},
		{"gif", encode(func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) }), "GIF 640x480"},
		{"bmp, top down", "BM\xff\xff\xff\xff\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x80\x02\x00\x00\x20\xfe\xff\xff", "BMP 640x480"},
		{"webp, lossy", webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x80\x02\xe0\x01"), "WEBP 640x480"},
		{"webp, lossless", webp("VP8L", "\x2f\x7f\xc2\x77\x00\x00\x00\x00\x00\x00"), "WEBP 640x480"},
		{"webp, extended", webp("VP8X", "\x00\x00\x00\x00\x7f\x02\x00\xdf\x01\x00"), "WEBP 640x480"},
		{"torn png", pngText[:20], "PNG"},
		{"torn webp", webp("VP8X", "\x00"), "WEBP"},
		{"no image", "\x00\x01\x02", ""},
	} {
		if got := Preview([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: Preview = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzPreview: whatever the bytes, a preview is valid, short and no panic.
func FuzzPreview(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"))
	f.Add([]byte("BM"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Preview(data); !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxPreview {
			t.Errorf("Preview(%q) = %q", data, got)
		}
	})
}
