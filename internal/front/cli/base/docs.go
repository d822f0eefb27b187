package base

import (
	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/code/document"
	"github.com/satchel-dev/satchel/internal/front/config"
)

// Documents is what the settings say about documents in packs; nil if they are
// files like all others. Where the settings say nothing, own says whether they are
// a source of their own.
func (a *App) Documents(own bool) *satchel.Documents {
	c := a.Settings
	most := c.Docs
	if o := c.Origins["docs"]; own && len(o) == 1 && o[0].Source == config.Default {
		most = c.OwnDocs
	}
	if most == 0 {
		return nil
	}
	return &satchel.Documents{
		Most: most, Share: float64(c.DocsShare), Depth: c.DocsDepth,
		Linked: c.NoDocsSearch, NoLinks: c.NoDocsLinks, MaxBytes: c.DocsFileBytes,
	}
}

// LinkedDocuments is documents for a task that may link to some: then they are a
// source of their own, if it is a document of this repository that it links to.
func (a *App) LinkedDocuments(task string) *satchel.Documents {
	c := a.Settings
	links := !c.NoDocsLinks && len(document.Links(task)) > 0
	d := a.Documents(links)
	if d != nil && c.Docs == 0 {
		d.IfLinked = true
	}
	return d
}
