package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/internal/world/fsx"
	"github.com/satchel-dev/satchel/internal/world/git"
)

// # What the user leaves out
//
// Settings, .satchel.toml and the ignore files of AI tools are one set of rules. It
// holds for everything that is shown or sent, and nothing in it can take a file in.
// A View has the rules of its tree and of the root on disk. A change has those of the
// tree that it begins at, so that it cannot hide itself.

// ignoreFiles are the ignore files of AI tools, in any folder.
var ignoreFiles = []string{".agentignore", ".aiexclude", ".aiignore", ".claudeignore", ".cursorignore", ".geminiignore"}

// The files of the root that hold rules.
const (
	settingsFile    = ".satchel.toml"
	claudeSettings  = ".claude/settings.json"
	claudeOwn       = ".claude/settings.local.json"
	noAI            = ".noai"
	maxRuleBytes    = 64 << 10 // of one file, as of a .satchel.toml
	maxRules        = 1000     // of all files, since each is tried on each path
	maxRuleFiles    = 200      // that are read
	maxRuleFolders  = 1000     // of a change, searched for files of rules
	mostRuleMessage = 10       // Diagnostics about files of rules
)

var rootFiles = append(slices.Clone(ignoreFiles), settingsFile, claudeSettings, claudeOwn)

// IsRuleFile reports whether a file of this path can exclude others.
func IsRuleFile(name string) bool {
	return slices.Contains(ignoreFiles, path.Base(name)) || slices.Contains(rootFiles, name)
}

// A rule leaves out what a pattern matches below a folder, or keeps it if an earlier
// rule of its set left it out.
type rule struct {
	pattern
	keep bool
	dir  string // with its final slash; "" is the root
	text string // the pattern as it is written
	file string // that holds the rule; "" for a setting
	line int    // 0 if unknown
}

// Rules are all that the user leaves out of one tree.
type Rules struct {
	Diagnostics []satchel.Diagnostic

	index *Index
	names []string          // of sets
	sets  map[string][]rule // of one kind of file each: a rule can only keep what its own set leaves out
	files int
	rules int
	seen  map[string]bool // files of the root that were found on disk
}

// Prefixes of the names of sets. Those without one are of files on disk, and "" is the
// set of settings.
const (
	listedSet = "listed "
	alsoSet   = "also "
)

func (x *Index) newRules() *Rules {
	r := &Rules{index: x, sets: map[string][]rule{}, seen: map[string]bool{}}
	for k, p := range x.exclude {
		r.addRule("", rule{pattern: p, text: x.opts.Exclude[k]})
	}
	if also := x.also.Load(); also != nil {
		for _, name := range also.names {
			if name != "" && !strings.HasPrefix(name, alsoSet) {
				r.names, r.sets[alsoSet+name] = append(r.names, alsoSet+name), also.sets[name]
			}
		}
	}
	return r
}

func (r *Rules) addRule(set string, u rule) {
	if _, ok := r.sets[set]; !ok {
		r.names = append(r.names, set)
	}
	r.sets[set] = append(r.sets[set], u)
}

// match returns the shortest part of a path that a set of rules leaves out, a folder
// with its final slash or all of it, and the rule.
func (r *Rules) match(name string) (at string, by *rule) {
	for _, set := range r.names {
		if part, u := leftOutBy(r.sets[set], name); u != nil && (by == nil || len(part) < len(at)) {
			at, by = part, u
		}
	}
	return at, by
}

// leftOutBy applies one set as git does: from the outermost folder inwards, the last
// rule that matches decides, and nothing below a folder that is left out is kept.
func leftOutBy(set []rule, name string) (string, *rule) {
	for i := 0; i <= len(name); i++ {
		folder := i < len(name)
		if folder && name[i] != '/' || !folder && strings.HasSuffix(name, "/") {
			continue
		}
		for k := len(set) - 1; k >= 0; k-- {
			u := &set[k]
			rest, below := strings.CutPrefix(name[:i], u.dir)
			if !below || rest == "" || u.pattern.dir && !folder || !matchParts(u.parts, rest, false) {
				continue
			}
			if u.keep {
				break
			}
			return name[:min(i+1, len(name))], u
		}
	}
	return "", nil
}

// LeavesOut returns what leaves a path out: --exclude, exclude or the file that says
// so; "" if nothing does. unignore brings back all but what --exclude names.
func (r *Rules) LeavesOut(name string) string {
	if r.index.Never(name) {
		return "--exclude"
	}
	_, u := r.match(name)
	if u == nil || matchAny(r.index.unignore, name) != "" {
		return ""
	}
	return cmp.Or(u.file, SettingExclude)
}

// why is the reason that receipts count.
func (u *rule) why() string {
	if u.file == "" || u.file == settingsFile {
		return satchel.WhyIgnored
	}
	return satchel.WhyIgnored + " by " + u.file
}

// from says where a rule is.
func (u *rule) from() string {
	switch {
	case u.file == "" || u.file == settingsFile:
		return SettingExclude
	case u.line > 0:
		return fmt.Sprintf("%s:%d", u.file, u.line)
	}
	return u.file
}

// add adds the rules of a file. Files of outer folders come before inner ones. The
// set distinguishes the files of several trees.
func (r *Rules) add(set, name string, text []byte) {
	if r.files++; r.files > maxRuleFiles {
		r.diagnose("", fmt.Sprintf("only the first %d ignore files are read", maxRuleFiles))
		return
	}
	dir, base := path.Split(name)
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var err error
	switch {
	case name == settingsFile:
		var list []string
		list, err = settingsPatterns(text)
		r.addPatterns(set+name, name, r.index.exact(list))
	case name == claudeSettings || name == claudeOwn:
		var list []string
		list, err = r.deniedPatterns(text)
		r.addPatterns(set+name, name, list)
	case base == ".aiexclude" && len(bytes.TrimSpace(text)) == 0:
		r.addLine(set+base, rule{dir: dir, text: "**", file: name})
	default:
		for n, line := range bytes.Split(text, []byte{'\n'}) {
			r.addLine(set+base, rule{dir: dir, text: string(line), file: name, line: n + 1})
		}
	}
	if err != nil {
		r.diagnose(name, "not understood, so it excludes nothing: "+err.Error())
	}
}

// addPatterns adds patterns from the root, without negation.
func (r *Rules) addPatterns(set, name string, list []string) {
	for _, p := range list {
		if !strings.HasPrefix(p, "!") {
			r.addLine(set, rule{text: p, file: name})
		}
	}
}

// addLine adds a line of an ignore file, if it is a rule.
func (r *Rules) addLine(set string, u rule) {
	text := strings.TrimSuffix(u.text, "\r")
	for strings.HasSuffix(text, " ") && !strings.HasSuffix(text, `\ `) {
		text = text[:len(text)-1]
	}
	if text == "" || text[0] == '#' {
		return
	}
	u.text = text
	if text, u.keep = strings.CutPrefix(text, "!"); u.keep && path.Base(u.file) == ".aiexclude" {
		return // it knows no negation
	}
	if r.rules++; r.rules > maxRules {
		r.diagnose("", fmt.Sprintf("only the first %d ignore rules are read", maxRules))
		return
	}
	var err error
	if u.pattern, err = parsePattern(text); err != nil {
		r.diagnose(u.file, "a line excludes nothing: "+err.Error())
		return
	}
	r.addRule(set, u)
}

func (r *Rules) diagnose(name, text string) {
	d := satchel.Diagnostic{Path: name, Text: text}
	if len(r.Diagnostics) < mostRuleMessage && !slices.Contains(r.Diagnostics, d) {
		r.Diagnostics = append(r.Diagnostics, d)
	}
}

// settingsPatterns returns exclude of a .satchel.toml.
func settingsPatterns(text []byte) (list []string, err error) {
	var s struct {
		Exclude any `toml:"exclude"`
	}
	err = toml.Unmarshal(text, &s)
	all, ok := s.Exclude.([]any)
	if !ok {
		all = []any{s.Exclude}
	}
	for _, p := range all {
		if text, ok := p.(string); ok {
			list = append(list, text)
		}
	}
	return list, err
}

// deniedPatterns returns the Read rules of permissions.deny in settings of Claude
// Code. It ignores rules for the home folder and other places.
func (r *Rules) deniedPatterns(text []byte) (list []string, err error) {
	var s struct {
		Permissions struct{ Deny []string }
	}
	err = json.Unmarshal(text, &s)
	for _, d := range s.Permissions.Deny {
		p, ok := strings.CutPrefix(d, "Read(")
		p, end := strings.CutSuffix(p, ")")
		if !ok || !end || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "//") {
			continue
		}
		if strings.HasPrefix(p, "./") {
			p = p[1:]
		}
		list = append(list, p)
	}
	return list, err
}

// fromDisk adds files of the work tree, those that names lists and that are there.
func (r *Rules) fromDisk(s *source, names []string) {
	for _, name := range names {
		if text, ok := r.readDisk(s, name); ok {
			r.add("", name, text)
		}
	}
	if _, err := s.tree.ReadFile(noAI, maxRuleBytes); err == nil && !r.index.opts.NoAiIgnore {
		r.diagnose(noAI, "this file asks AI tools not to read the project; satchel does not enforce it")
	}
}

func (r *Rules) readDisk(s *source, name string) ([]byte, bool) {
	text, err := s.tree.ReadFile(name, maxRuleBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, git.ErrNoWorkTree) || fsx.NotDir(err) {
		return nil, false
	}
	r.seen[name] = true
	if err != nil {
		r.diagnose(name, "cannot be read, so it excludes nothing: "+err.Error())
	}
	return text, err == nil
}

// fromListing adds the files of a listing that are not read yet.
func (r *Rules) fromListing(s *source, l *listing) {
	var found []*entry
	for i := range l.entries {
		e := &l.entries[i]
		if IsRuleFile(e.path) && r.counts(e.path) && !(l.workTree && r.seen[e.path]) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return compareDepth(a.path, b.path) })
	set := listedSet
	if l.workTree {
		set = ""
	}
	for _, e := range found[:min(len(found), maxRuleFiles+1)] {
		text, ok := []byte(nil), false
		if e.kind != regular && !l.workTree {
			r.diagnose(e.path, "not a regular file, so it excludes nothing")
			continue
		}
		if l.workTree {
			text, ok = r.readDisk(s, e.path)
		}
		if !ok && !r.seen[e.path] && e.blob != "" {
			text, ok = r.readBlob(s, e.path, e.blob)
		}
		if ok {
			r.add(set, e.path, text)
		}
	}
}

func (r *Rules) readBlob(s *source, name, blob string) ([]byte, bool) {
	text, err := s.objects().Read(blob, maxRuleBytes)
	if err != nil {
		r.diagnose(name, "cannot be read, so it excludes nothing: "+err.Error())
	}
	return text, err == nil
}

// counts reports whether a file of rules has effect.
func (r *Rules) counts(name string) bool { return name == settingsFile || !r.index.opts.NoAiIgnore }

func compareDepth(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
}

// RulesFor returns the rules about some paths in a tree with the id of a tree or a
// commit, or "" for none. If onDisk is true, rules on disk count too; otherwise only
// files that git ignores in the root, which belong to the user and to no tree.
func (x *Index) RulesFor(ctx context.Context, tree Tree, id string, onDisk bool, paths ...string) (*Rules, error) {
	r, s := x.newRules(), x.newSource(tree)
	names := slices.DeleteFunc(r.filesAround(paths), func(name string) bool { return !r.counts(name) })
	found := map[string]bool{}
	if s.repo != nil && id != "" {
		blobs, err := s.repo.BlobsAt(ctx, id, names)
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			if blobs[i] == "" {
				continue
			}
			found[name] = true
			if text, ok := r.readBlob(s, name, blobs[i]); ok {
				r.add(listedSet, name, text)
			}
		}
	}
	if onDisk || s.repo == nil {
		r.fromDisk(s, names)
		return r, nil
	}
	own := slices.DeleteFunc(slices.Clone(rootFiles), func(name string) bool {
		_, err := tree.ReadFile(name, maxRuleBytes)
		return err != nil || found[name] || !r.counts(name)
	})
	if len(own) > 0 {
		ignored, err := s.repo.Ignores(ctx, own)
		if err != nil {
			return nil, err
		}
		for _, name := range own {
			if !slices.Contains(ignored, name) {
				r.diagnose(name, "not committed, so it excludes nothing from a change")
			}
		}
		own = ignored
	}
	r.fromDisk(s, own)
	return r, nil
}

// filesAround names the files that may have rules about some paths, outer folders
// first.
func (r *Rules) filesAround(paths []string) []string {
	names := slices.Clone(rootFiles)
	seen := map[string]bool{"": true}
	for _, p := range paths {
		for i := range len(p) {
			if p[i] != '/' || seen[p[:i+1]] {
				continue
			}
			if len(seen) > maxRuleFolders {
				r.diagnose("", fmt.Sprintf("ignore files are read in only %d folders of the change", maxRuleFolders))
				return names
			}
			seen[p[:i+1]] = true
			for _, base := range ignoreFiles {
				names = append(names, p[:i+1]+base)
			}
		}
	}
	slices.SortStableFunc(names, compareDepth)
	return names
}

// Also lets the rules of files hold for every View that is made from now on.
func (x *Index) Also(r *Rules) { x.also.Store(r) }
