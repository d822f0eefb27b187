package ranking

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/store/index"
	"github.com/satchel-dev/satchel/internal/text/terms"
	"github.com/satchel-dev/satchel/rank"
)

// Limits on the templates that are read.
const (
	mostTemplates     = 30
	mostTemplateBytes = 64 << 10
)

// Analyze takes a task apart that was written for the repository of a view. A task
// of one line was written in no form, so no template is read for it. A template
// that cannot be read counts for nothing.
func Analyze(ctx context.Context, v *index.View, task string) rank.Query {
	if !strings.Contains(strings.TrimSpace(task), "\n") {
		return withPaths(v, rank.Analyze(task))
	}
	form := v.Derived(formKey{}, func() any { return readForm(context.WithoutCancel(ctx), v) }).(rank.Form)
	return withPaths(v, rank.AnalyzeFor(task, form))
}

// mostPaths bounds the look-ups that a long task causes.
const mostPaths = 400

// withPaths adds the files of the view whose whole path the task contains, for paths
// that rank does not recognize as file names.
func withPaths(v *index.View, q rank.Query) rank.Query {
	normal := v.Derived(pathsKey{}, func() any { return normalPaths(v) }).(map[string]bool)
	for i, w := range strings.Fields(q.Said) {
		if i == mostPaths {
			break
		}
		w = strings.TrimPrefix(strings.Trim(w, "`'\"()[]{}<>,:;!?"), "./")
		if _, ok := v.File(w); (ok || normal[w]) && strings.ContainsAny(w, "./") && !slices.Contains(q.Files, w) {
			q.Files, q.Paths = append(q.Files, w), append(q.Paths, w)
		}
	}
	return q
}

type pathsKey struct{}

// normalPaths returns the normal forms of the paths that are not in normal form.
func normalPaths(v *index.View) map[string]bool {
	paths := map[string]bool{}
	for _, f := range v.Files() {
		if n := terms.Normal(f.Path); n != f.Path {
			paths[n] = true
		}
	}
	return paths
}

type formKey struct{}

// readForm reads the templates for issues and pull requests, where the hosts of
// repositories look for them.
func readForm(ctx context.Context, v *index.View) rank.Form {
	var list []int
	for i, f := range v.Files() {
		if isTemplate(f.Path) && f.Size <= mostTemplateBytes && len(list) < mostTemplates {
			list = append(list, i)
		}
	}
	form := rank.Form{}
	_ = v.ReadTexts(ctx, list, func(_ int, text []byte, err error) error {
		if err == nil {
			form.Add(string(text))
		}
		return nil
	})
	return form
}

// isTemplate reports whether a path is that of a template by the names that
// GitHub and GitLab know: a file or a folder, at the root or in a folder of theirs
// or of documents.
func isTemplate(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	dir = strings.TrimSuffix(dir, "/")
	for _, home := range [...]string{".github", ".gitlab", ".gitea", ".forgejo", "docs", ""} {
		rest, in := strings.CutPrefix(dir, home)
		if !in {
			continue
		}
		switch strings.TrimPrefix(rest, "/") {
		case "":
			stem, _, _ := strings.Cut(base, ".")
			return stem == "issue_template" || stem == "pull_request_template" || stem == "bug_report"
		case "issue_template", "pull_request_template", "issue_templates", "merge_request_templates":
			return true
		}
	}
	return false
}
