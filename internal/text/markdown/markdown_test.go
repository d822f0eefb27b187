package markdown

import (
	"strings"
	"testing"
)

func TestFences(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a\n```go\n# b\n```\nc", "pfcfp"},
		{"~~~\n```\n~~~\n```", "fcff"},
		{"````\n```\n`````\na", "fcfp"},
		{"  ```\nx\n\t``` \r\ny", "fcfp"},
		{"```x``` is code\na", "pp"},
		{"~~~ `a`\nb", "fc"},
		{"```\n``` go\n", "fcc"},
		{"``\n\n", "ppp"},
	} {
		var f Fences
		var got strings.Builder
		for line := range strings.SplitSeq(tt.text, "\n") {
			got.WriteByte("pfc"[f.Line([]byte(line))])
		}
		if got.String() != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, &got, tt.want)
		}
	}
}
