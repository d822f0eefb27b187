package install

import (
	"image/png"
	"strings"
	"testing"
)

// TestIcon holds the picture against what the directory of plugins takes: square,
// 512 to 2048 pixels on each side.
func TestIcon(t *testing.T) {
	c, err := png.DecodeConfig(strings.NewReader(Plugin.Files("")["plugins/satchel/.claude-plugin/icon.png"]))
	if err != nil || c.Width != c.Height || c.Width < 512 || c.Width > 2048 {
		t.Errorf("%+v, %v", c, err)
	}
}
