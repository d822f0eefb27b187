package hunks

import "github.com/satchel-dev/satchel/internal/scene/changeset"

// ShownFiles returns what a layout knows of the files of a changeset.
func ShownFiles(x *changeset.Run) []shownFile {
	files := make([]shownFile, len(x.Report.Files))
	for i := range files {
		s := x.Definitions(i)
		files[i] = shownFile{Line: x.Line(i), olds: s.Olds, news: s.News}
	}
	return files
}
