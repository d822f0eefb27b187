package files

import (
	"context"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/measure/ranking"
	"github.com/satchel-dev/satchel/internal/scene/project"
)

// Sections returns all sections of documents of the work tree and of the vault,
// each text once, as an [Embedder] will get them: secrets are redacted.
func (f Files) Sections(ctx context.Context) ([]project.DocText, []satchel.Diagnostic, error) {
	view, err := f.project.Index.View(ctx, f.project.Tree, "")
	if err != nil {
		return nil, nil, err
	}
	diags := view.Diagnostics()
	vault, err := f.project.ReadVault(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	if vault != nil {
		diags = append(diags, vault.Diagnostics...)
	}
	sections, err := ranking.NewReader(view).DocTexts(ctx, vault)
	return sections, diags, err
}
