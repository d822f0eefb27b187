package engine

import (
	"github.com/satchel-dev/satchel/internal/scene"
	"github.com/satchel-dev/satchel/internal/scene/changeset"
	"github.com/satchel-dev/satchel/internal/scene/project"
	"github.com/satchel-dev/satchel/internal/scene/readonly"
	"github.com/satchel-dev/satchel/internal/session/snapshots"
	"github.com/satchel-dev/satchel/internal/source/answers"
	"github.com/satchel-dev/satchel/internal/source/files"
	"github.com/satchel-dev/satchel/internal/source/search"
	"github.com/satchel-dev/satchel/internal/store/archive"
	"github.com/satchel-dev/satchel/internal/store/state"
)

// What Sources see and give; see internal/scene.
type (
	Source = scene.Source
	Scene  = scene.Scene
	Offer  = scene.Offer
)

// What an Embedder gets; see [Options].
type (
	Embedder = project.Embedder
	DocText  = project.DocText
)

// Changes, as [Engine.Diff] and what is about it take and give them; see
// internal/scene/changeset.
type (
	DiffRequest = changeset.Request
	DiffProfile = changeset.Profile
	FilterError = changeset.FilterError
	Split       = changeset.Split
)

// Details of a diff, and the most tasks of a Split.
const (
	DiffSummary  = changeset.DiffSummary
	DiffStandard = changeset.DiffStandard
	MostTasks    = changeset.MostTasks
)

// Errors of requests that name paths.
type (
	ScopeError     = project.ScopeError
	ProtectedError = scene.ProtectedError
)

// What is kept of what agents were shown; see internal/session/snapshots.
type (
	Snapshots       = snapshots.Snapshots
	SnapshotEntry   = archive.Entry
	SnapshotProof   = archive.Proof
	SnapshotExpiry  = archive.Expiry
	SnapshotExpired = archive.Expired
	StoredSnapshot  = snapshots.StoredSnapshot
	TakenItem       = snapshots.TakenItem
)

// ErrNoArchive means that snapshots have no place: the engine works on a plain
// folder.
var ErrNoArchive = snapshots.ErrNoArchive

// What is searched for and answered; see internal/source/search and answers.
type (
	SearchRequest = search.Request
	SearchResult  = search.Result
	FileHit       = search.FileHit
	SymbolHit     = search.SymbolHit
	AnswerRequest = answers.Request
	SeenLines     = answers.SeenLines
)

// Limits where a request leaves them zero.
const (
	DefaultResults = search.DefaultResults
	AnswerBudget   = answers.AnswerBudget
	MostAnswers    = answers.MostAnswers
)

// What is told of the index and of files; see [Engine.Index] and [Engine.Files].
type (
	IndexStatus = project.IndexStatus
	Exclusion   = files.Exclusion
)

// Why an index is not there at once, or is not refreshed here.
var (
	ErrNotReady   = project.ErrNotReady
	ErrRefreshing = project.ErrRefreshing
)

// What context files are; see their packages.
type (
	ContextFiles   = readonly.Kept
	ContextRule    = state.ContextRule
	ContextReport  = readonly.Report
	ContextOptions = readonly.Options
	Protection     = readonly.Protection
	Suggestion     = readonly.Suggestion // of a file that may be worth keeping at hand
)
