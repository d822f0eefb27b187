package subject

import (
	"regexp"
	"strings"
)

// What commands do to files besides what edits do: they write them in place, take
// them back to what was committed, or move them.
var (
	writesNamed = regexp.MustCompile(`^(?:sed\s+(?:-\w*i|-\w+\s+-i|--in-place)|perl\s+-\w*i|gofmt\s+-\w*w|goimports\s+-\w*w|gofumpt\s+-\w*w|(?:npx\s+|bunx\s+|pnpm\s+(?:exec\s+)?|yarn\s+)?(?:prettier\s.*--write|prettier\s.*-w\b|eslint\s.*--fix|biome\s.*--(?:write|apply|fix))|` +
		`black\b|ruff\s+(?:format|.*--fix)|isort\b|rustfmt\b|cargo\s+fmt|go\s+fmt|clang-format\s+.*-i|git\s+(?:checkout|restore|reset|stash|apply|revert|merge|pull|rebase|cherry-pick|am|mv|rm|clean)\b|mv\b|cp\b|rm\b|tee\b|patch\b|truncate\b|dd\b)`)
	writesAll = regexp.MustCompile(`^(?:git\s+(?:checkout|restore|reset|stash|revert|merge|pull|rebase|cherry-pick|am|apply)\b|cargo\s+fmt|go\s+fmt)`)
	harmless  = regexp.MustCompile(`^git\s+(?:checkout\s+-b|reset\s+(?:HEAD\s|--soft)|stash\s+(?:list|show)|apply\s+--(?:stat|check)|(?:checkout|restore)\b.*--staged)`)
	redirects = regexp.MustCompile(`(?:^|[^0-9&>])>{1,2}\s*([^\s>&|;]+)`)
	separates = regexp.MustCompile(`&&|\|\||[;|\n]`)
)

// changes notes which files of the conversation a command seems to have changed:
// those that it names, and all that were edited if it names none of what it changes.
func (o *opener) changes(d *deed, command string) {
	if d.failed {
		return
	}
	about := strings.Join(strings.Fields(command), " ")
	for _, m := range redirects.FindAllStringSubmatch(command, -1) {
		o.changed(d, m[1], about)
	}
	for _, segment := range separates.Split(command, -1) {
		segment = strings.TrimSpace(segment)
		if !writesNamed.MatchString(segment) || harmless.MatchString(segment) {
			continue
		}
		named := false
		for _, word := range strings.Fields(segment)[1:] {
			named = o.changed(d, word, about) || named
		}
		if !named && writesAll.MatchString(segment) && !strings.Contains(segment, " -- ") {
			for _, f := range o.s.Files {
				if f.Edits > 0 {
					f.change(d.call, about)
				}
			}
		}
	}
}

// changed notes that a command changed a file, if the word names one that is known.
func (o *opener) changed(d *deed, word, about string) bool {
	word = strings.Trim(word, `"'`)
	if len(word) < 2 || strings.HasPrefix(word, "-") {
		return false
	}
	word = strings.TrimPrefix(word, "./")
	for _, f := range o.s.Files {
		if f.Path == word || within(f.Path, word) || within(word, f.Path) || strings.HasPrefix(f.Path, strings.TrimSuffix(word, "/")+"/") {
			f.change(d.call, about)
			f.Last = d.group
			return true
		}
	}
	return false
}
