package subject

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// An effect is what a command does to files besides what edits do: it writes them in
// place, takes them back to what was committed, moves or removes them.
type effect uint8

const (
	nothing    effect = iota
	named             // changes the files that it names
	namedOrAll        // and if it names none, any
	all               // any
	lastNamed         // changes the last that it names
)

// Words before a command that leave it what it is.
var wrappers = map[string]bool{"sudo": true, "time": true, "env": true, "command": true, "exec": true, "nohup": true, "npx": true, "bunx": true, "uvx": true,
	"then": true, "do": true, "else": true, "if": true, "{": true, "!": true}

// assignment finds a variable that is set for a command.
var assignment = lazy.Regexp(`^[A-Za-z_]\w*=`)

// formats finds scripts of package managers and makefiles that write files in place.
var formats = lazy.Regexp(`^(?:fmt|format|prettier|fix|lint:fix|format:(?:write|fix|all)|(?:lint|check)-fix)$`)

// bare returns the words of a command without those before its name.
func bare(words []string) []string {
	for len(words) > 0 {
		name := path.Base(words[0])
		switch {
		case wrappers[name], assignment().MatchString(words[0]):
			words = words[1:]
		case name == "timeout" && len(words) > 2:
			words = words[2:]
		case (name == "pnpm" || name == "yarn" || name == "npm" || name == "bun" || name == "uv" || name == "poetry") && len(words) > 2 && (words[1] == "exec" || words[1] == "dlx" || words[1] == "run" && (name == "uv" || name == "poetry")):
			words = words[2:]
		default:
			return words
		}
	}
	return nil
}

// effectOf returns what a command does to files, by its words.
func effectOf(words []string) effect {
	has := func(options ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(options, w) })
	}
	short := func(letter string) bool { // among letters behind one dash
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, letter)
		})
	}
	switch name := path.Base(words[0]); name {
	case "sed":
		if short("i") || slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "--in-place") }) {
			return named
		}
	case "perl", "ruby":
		if short("i") {
			return named
		}
	case "gofmt", "goimports", "gofumpt":
		if short("w") {
			return named
		}
	case "prettier":
		if has("--write", "-w") {
			return named
		}
	case "eslint", "stylelint", "rubocop", "golangci-lint":
		if has("--fix", "-a", "-A") {
			return namedOrAll
		}
	case "biome":
		if has("--write", "--apply", "--fix", "--apply-unsafe") {
			return namedOrAll
		}
	case "ruff":
		if has("format") && !has("--check", "--diff") || has("--fix") {
			return namedOrAll
		}
	case "black", "isort", "rustfmt", "autopep8", "yapf":
		if !has("--check", "--check-only", "--diff") {
			return named
		}
	case "clang-format":
		if short("i") {
			return named
		}
	case "cargo":
		if has("fmt") && !has("--check") || has("fix") || has("clippy") && has("--fix") {
			return all
		}
	case "go":
		if has("fmt", "fix") {
			return namedOrAll
		}
	case "npm", "pnpm", "yarn", "bun", "make", "just", "task":
		if slices.ContainsFunc(words[1:], formats().MatchString) || has("--fix") {
			return all
		}
	case "patch":
		if !has("--dry-run") {
			return namedOrAll
		}
	case "git":
		return gitEffect(words[1:])
	case "mv", "rm", "tee", "truncate", "unlink":
		return named
	case "cp", "install":
		return lastNamed
	case "xargs", "find": // what they run on is not written here
		for i := 1; i < len(words); i++ {
			if w := words[i]; w == "-exec" || w == "-execdir" || name == "xargs" && !strings.HasPrefix(w, "-") {
				rest := bare(words[i:])
				if name == "find" {
					rest = bare(words[i+1:])
				}
				if len(rest) > 0 && effectOf(rest) != nothing {
					return all
				}
				return nothing
			}
		}
	}
	return nothing
}

// unchanged finds how formatters and git say that they left all files as they were.
var unchanged = lazy.Regexp(`(?i)\bno fixes applied|\b(?:no|0) files? (?:were )?(?:changed|reformatted|fixed|updated)|\ball files (?:are )?(?:left )?unchanged|^\d+ files? left unchanged|Already up to date|No local changes to save`)

// changedNothing reports whether a command says that it changed no file.
func changedNothing(out string) bool {
	return unchanged().MatchString(out[:min(len(out), statusHead)]) || unchanged().MatchString(out[max(0, len(out)-statusHead):])
}

// gitEffect returns what a command of git does to the files of the work tree.
func gitEffect(words []string) effect {
	for len(words) > 1 && strings.HasPrefix(words[0], "-") { // options of git itself
		if words[0] == "-C" || words[0] == "-c" {
			words = words[1:]
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return nothing
	}
	has := func(options ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(options, w) })
	}
	switch words[0] {
	case "checkout", "switch":
		if has("-b", "-B", "-c", "-C", "--orphan", "--help") {
			return nothing
		}
		if has("--") {
			return named
		}
		return namedOrAll
	case "restore":
		if has("--staged", "-S") && !has("--worktree", "-W") {
			return nothing
		}
		return namedOrAll
	case "reset":
		if has("--hard", "--merge", "--keep") {
			return all
		}
	case "stash":
		if !has("list", "show", "drop", "clear", "create", "store", "branch") {
			return all
		}
	case "apply":
		if !has("--check", "--stat", "--numstat", "--summary", "--cached") {
			return all
		}
	case "revert", "merge", "pull", "rebase", "cherry-pick", "am":
		if !has("--abort", "--quit") || words[0] != "am" {
			return all
		}
	case "mv", "rm", "clean":
		if !has("--cached", "-n", "--dry-run") {
			return named
		}
	}
	return nothing
}

// changes notes which files of the conversation a command seems to have changed:
// those that it names, and all that were edited if it names none of what it changes.
// Of one that failed, as far as it may have got before it did.
func (o *opener) changes(d *deed, command string) {
	did, folder := steps(command), d.workdir()
	if d.failed && len(did) < 2 {
		return
	}
	about := ""
	say := func() string {
		if about == "" {
			about = strings.Join(strings.Fields(command[:min(len(command), maxKey)]), " ")
		}
		return about
	}
	for i := range did {
		st := &did[i]
		in := folder
		if st.folder != "" {
			in = joined(folder, st.folder)
		}
		for _, to := range st.to {
			o.changed(d, in, to, say)
		}
		words := bare(st.words)
		if len(words) == 0 {
			continue
		}
		e := effectOf(words)
		some := false
		switch e {
		case nothing:
			continue
		case lastNamed:
			last := words[len(words)-1]
			if len(words) > 2 && o.known(in, last) != nil {
				o.changed(d, in, last, say)
			} else if len(words) > 2 { // a folder
				for _, w := range words[1 : len(words)-1] {
					o.changed(d, in, joined(last, path.Base(w)), say)
				}
			}
			continue
		case named, namedOrAll:
			for _, w := range words[1:] {
				some = o.changed(d, in, w, say) || some
				if strings.HasPrefix(w, "$") { // a variable may be any
					e = namedOrAll
				}
			}
		}
		if e == all || e == namedOrAll && !some {
			if changedNothing(d.text) || !o.lookAtAll() {
				continue
			}
			for _, f := range o.s.Files {
				if f.Edits > 0 && f.ByPart != d.call {
					f.change(d.call, say(), true)
				}
			}
		}
	}
}

// changed notes that a command changed the files that a word of it names, as a file, a
// folder or a pattern, and reports whether any that is known is among them.
func (o *opener) changed(d *deed, folder, word string, about func() string) bool {
	if word == "" || word[0] == '-' || len(word) > maxPath {
		return false
	}
	note := func(f *File) {
		if f.Edits+len(f.Reads) > 0 {
			f.change(d.call, about(), false)
			f.Last = d.group
		}
	}
	if f := o.known(folder, word); f != nil {
		note(f)
		return true
	}
	if !o.lookAtAll() {
		return false
	}
	clean := path.Clean(joined(folder, strings.TrimSuffix(word, "...")))
	if at := strings.IndexAny(clean, "*?["); at >= 0 { // what stands before is enough of a pattern
		clean = path.Dir(clean[:at] + "x")
		if clean == "." && !strings.HasPrefix(word, "*") && !strings.HasPrefix(word, "?") {
			return false
		}
	}
	some := false
	for _, f := range o.s.Files {
		if f.Edits+len(f.Reads) > 0 && o.below(f.Path, clean) {
			note(f)
			some = true
		}
	}
	return some
}

// mostLooks is how many files are looked at for whether they stand in a folder that
// a command names.
const mostLooks = 1 << 22

// lookAtAll reports whether all files may be looked at once more.
func (o *opener) lookAtAll() bool {
	if o.looks > mostLooks {
		return false
	}
	o.looks += 1 + len(o.s.Files)
	return true
}

// below reports whether a file stands in a folder.
func (o *opener) below(file, folder string) bool {
	if folder == "." {
		return !strings.HasPrefix(file, "/") || slices.ContainsFunc(o.roots, func(r string) bool { return strings.HasPrefix(file, r+"/") })
	}
	if strings.HasPrefix(file, folder+"/") {
		return true
	}
	if strings.HasPrefix(folder, "/") && !strings.HasPrefix(file, "/") { // written from a root
		for _, r := range o.roots {
			if rest, ok := strings.CutPrefix(folder, r); ok && (rest == "" || strings.HasPrefix(file, strings.TrimPrefix(rest, "/")+"/")) {
				return true
			}
		}
		return false
	}
	return !strings.HasPrefix(folder, "/") && slices.ContainsFunc(o.roots, func(r string) bool { return strings.HasPrefix(file, r+"/"+folder+"/") })
}
