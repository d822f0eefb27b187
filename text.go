package satchel

import "github.com/satchel-dev/satchel/internal/text/clean"

// A Text may be shown to a person or a model: its secrets are redacted, and it
// holds no character that controls a terminal or shows nothing, and no byte that
// is not UTF-8. [Clean] makes one; the zero value is the empty text.
type Text = clean.Text

// Clean makes a Text: that of a file, whose path may tell that it holds secrets by
// its nature, or of something else, with no path.
func Clean(path, text string) Text { return clean.New(path, text) }
