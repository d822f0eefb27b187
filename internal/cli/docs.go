package cli

import (
	"github.com/satchel-dev/satchel"
)

// documents is what the settings say about documents in packs; nil if they are
// files like all others.
func (a *app) documents() *satchel.Documents {
	c := &a.settings.Config
	if c.Docs == 0 {
		return nil
	}
	return &satchel.Documents{
		Most: c.Docs, Share: c.DocsShare, Depth: c.DocsDepth,
		Linked: !c.DocsSearch, NoLinks: !c.DocsLinks, MaxBytes: c.DocsFileBytes,
	}
}
