package change

import (
	"math"
	"path"
	"strings"

	"github.com/satchel-dev/satchel"
)

// The signals of the default profile, in the order in which they are measured
// and explained. Those without a unit are 1 or absent.
const (
	sigTest      = "class_test"
	sigClass     = "class_" // and the class: docs, config, data, generated, …
	sigSecondary = "secondary"
	sigHidden    = "hidden" // in a folder whose name begins with a dot
	sigCore      = "core"   // below src, lib, pkg, …
	sigDepth     = "depth"  // folders above the file
	sigGeneric   = "generic_name"
	sigRecord    = "record" // a change log, a list of people
	sigNoDiff    = "no_diff"

	sigAdded    = "added"
	sigDeleted  = "deleted"
	sigRenamed  = "renamed"
	sigPlain    = "rename_only" // renamed or given another mode, nothing else
	sigComments = "comments_only"
	sigSpaces   = "spaces_only"
	sigImports  = "imports_only"

	sigLines   = "lines"       // log(1+changed lines) / log(1+1000)
	sigShare   = "lines_share" // of the changed lines of files of code
	sigRank    = "lines_rank"  // 1/(1+log2(1+rank)) by changed lines among files of code
	sigHunks   = "hunks"       // log(1+hunks) / log(1+50)
	sigWhole   = "file_share"  // of the file's lines that changed
	sigGrowth  = "added_share" // of the changed lines that were added
	sigEntropy = "information" // log(1+bits) / log(1+10000), the bits being words times their entropy
	sigRepeats = "repeats"     // share of the changed lines that are there already

	sigDefsAdded   = "definitions_added"   // log(1+n) / log(1+20), as all counts below
	sigDefsChanged = "definitions_changed" //
	sigDefsRemoved = "definitions_removed" //
	sigTypes       = "types_changed"       //
	sigMoves       = "moves"               //
	sigExported    = "exported_added"      //
	sigBroken      = "exported_broken"     // exported definitions removed, renamed or changed
	sigUsers       = "users"               // files outside the changeset that use them
	sigImporters   = "importers"           // files outside the changeset that import the file

	sigBeside = "used_beside"  // share of the other files whose changed lines name a definition of its edits
	sigNamed  = "named_beside" // share of the other files whose changed lines hold the file's name
	sigTheme  = "path_beside"  // share of the other files whose path holds the file's name
	sigPaired = "tested"       // a test named after it changed too
	sigFolder = "folder"       // share of the other files that are in its folder
	sigUsual  = "usual"        // see Facts
	sigChurn  = "churn"        // as counts
	sigTask   = "task"         // see Facts

	sigSecurityPath  = "security_path"
	sigSecurityLines = "security_lines" // as counts
	sigInsecure      = "insecure"       // a check switched off, as TLS verification
	sigChecksGone    = "checks_removed" // more checks removed than added, as counts
	sigPipeline      = "pipeline"       // what builds, tests or ships
	sigManifest      = "manifest"       // what it depends on
)

// Measure fills the Signals of every file for the default profile. Facts must be
// there. The whole changeset is measured at once, since much of what a file says
// depends on what changed beside it.
func Measure(files []Scored) {
	set := newSetMeasure(files)
	for i := range files {
		m := measure{f: &files[i], out: files[i].Signals[:0]}
		m.place()
		m.shape(set)
		m.meaning()
		set.beside(&m, i)
		m.security()
		files[i].Signals = m.out
	}
}

// A measure gathers the signals of one file.
type measure struct {
	f   *Scored
	out []satchel.Signal
}

func (m *measure) set(name string, v float64) {
	if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
		m.out = append(m.out, satchel.Signal{Name: name, Value: v})
	}
}

func (m *measure) is(name string, holds bool) {
	if holds {
		m.set(name, 1)
	}
}

// count puts a number of things on a scale on which 20 are 1.
func (m *measure) count(name string, n int) { m.set(name, scale(n, 20)) }

func scale(n, one int) float64 { return math.Log1p(float64(n)) / math.Log1p(float64(one)) }

// place measures path and class.
func (m *measure) place() {
	f := m.f
	if f.Class != "" && f.Class != "source" {
		m.set(sigClass+f.Class, 1)
	}
	lower := strings.ToLower(f.Path)
	dirs := strings.Split(path.Dir(lower), "/")
	hidden, core := false, false
	for _, d := range dirs {
		hidden = hidden || len(d) > 1 && d[0] == '.'
		core = core || coreDirs[d]
	}
	m.is(sigSecondary, f.Secondary)
	m.is(sigHidden, hidden)
	m.is(sigCore, core && f.Class == "source" && !f.Secondary)
	m.set(sigDepth, scale(strings.Count(f.Path, "/"), 10))
	m.is(sigGeneric, genericStems[stemOf(f.Path)])
	m.is(sigRecord, recordStems[stemOf(f.Path)])
	m.is(sigNoDiff, f.NoDiff)
}

var (
	coreDirs     = setOf("src lib libs pkg internal core app apps crates packages cmd server")
	recordStems  = setOf("changelog changes history news releases release_notes authors contributors thanks")
	genericStems = setOf("index main mod __init__ __main__ lib init utils util helpers helper common types constants const misc setup version config settings base package doc")
)

// stemOf is the name of a file without folder and extensions, in lower case.
func stemOf(name string) string {
	base := strings.ToLower(path.Base(name))
	if i := strings.IndexByte(base[min(1, len(base)):], '.'); i >= 0 {
		base = base[:i+1]
	}
	return base
}

// wholeNewFile is how many lines a new file needs to count in full. A file with fewer
// lines counts less, so that a new file of one word does not outrank a real change.
const wholeNewFile = 50

// shape measures how much changed.
func (m *measure) shape(set *setMeasure) {
	f := m.f
	changed := f.File.Added + f.File.Removed
	grows := 1.0
	if f.Status == Added || f.Status == Copied {
		grows = min(scale(f.File.Added, wholeNewFile), 1)
		m.set(sigAdded, grows)
	}
	m.is(sigDeleted, f.Status == Deleted)
	m.is(sigRenamed, f.Status == Renamed)
	// The same bytes: a file that was too large to be compared has no lines either.
	m.is(sigPlain, changed == 0 && !f.Binary && f.OldBlob == f.NewBlob && f.Status != Added && f.Status != Deleted && f.Status != Unmerged)
	m.is(sigComments, f.Comments)
	m.is(sigSpaces, f.Spaces)
	m.set(sigLines, min(scale(changed, 1000), 1.2))
	m.set(sigShare, set.shareOf(f))
	m.set(sigRank, set.rankOf(f))
	m.set(sigHunks, min(scale(len(f.Hunks), 50), 1.2))
	if f.Lines > 0 && (f.Status == Modified || f.Status == Renamed) {
		m.set(sigWhole, min(1, float64(max(f.File.Added, f.File.Removed))/float64(f.Lines)))
	}
	if changed > 0 {
		m.set(sigGrowth, grows*float64(f.File.Added)/float64(changed))
	}
}

// meaning measures what the change does to definitions.
func (m *measure) meaning() {
	f := m.f
	var added, changed, removed, types, moves, exported, broken int
	onlyImports := len(f.Edits) > 0
	for i := range f.Edits {
		e := &f.Edits[i]
		onlyImports = onlyImports && e.Action == Imports
		switch e.Action {
		case Adds, Impl:
			added++
			if e.Exported {
				exported++
			}
		case Removes:
			removed++
		case Signature, Body:
			changed++
		case Type:
			changed++
			types++
		case Moves, MovesAway, Renames:
			moves++
		}
		if e.Breaks() {
			broken++
		}
	}
	m.is(sigImports, onlyImports)
	m.count(sigDefsAdded, added)
	m.count(sigDefsChanged, changed)
	m.count(sigDefsRemoved, removed)
	m.count(sigTypes, types)
	m.count(sigMoves, moves)
	if f.Class != "test" {
		m.count(sigExported, exported)
		m.count(sigBroken, broken)
		m.count(sigUsers, f.Users)
		m.count(sigImporters, f.Importers)
	}
	m.set(sigUsual, f.Usual)
	m.count(sigChurn, f.Churn)
	m.set(sigTask, f.Task)
}
