package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-dev/satchel/change"
	"github.com/satchel-dev/satchel/rank"
)

// value is a signal of a file after it was measured, 0 if there is none.
func value(f *change.Scored, name string) float64 {
	for _, s := range f.Signals {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// TestMeasurePlace: whole segments of paths, never parts of them.
func TestMeasurePlace(t *testing.T) {
	tests := []struct{ path, class, want string }{
		{"src/auth/token.go", "source", "core security_path"},
		{"lib/authTokens.ts", "source", "core security_path"},
		{"a/author.go", "source", ""},
		{"a/TLSConfig.java", "source", "security_path"},
		{"src/index.ts", "source", "core generic_name"},
		{"src/x_test.go", "test", "class_test"},
		{"docs/auth.md", "docs", "class_docs"},
		{"CHANGELOG.md", "docs", "class_docs record"},
		{".github/workflows/ci.yml", "config", "class_config hidden pipeline"},
		{"deploy/Dockerfile", "source", "pipeline"},
		{"go.mod", "config", "class_config manifest"},
		{"requirements-dev.txt", "config", "class_config manifest"},
		{"Cargo.lock", "lock", "class_lock"},
		{".env", "config", "class_config"},
	}
	names := []string{"class_test", "class_docs", "class_config", "class_lock", "core", "hidden", "generic_name", "record", "security_path", "pipeline", "manifest"}
	for _, test := range tests {
		files := []change.Scored{file(t, test.path+` modified "+x"`)}
		files[0].Class = test.class
		change.Measure(files)
		var got []string
		for _, n := range names {
			if value(&files[0], n) != 0 {
				got = append(got, n)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.path, s, test.want)
		}
	}
}

// TestMeasureSecurity: lines on which a mistake is a hole, checks switched off,
// checks removed.
func TestMeasureSecurity(t *testing.T) {
	tests := []struct {
		lang, lines, want string
	}{
		{"go", `"+	x := &tls.Config{InsecureSkipVerify: true}"`, "insecure security_lines"},
		{"go", `"-	x := &tls.Config{InsecureSkipVerify: true}" "+	x := &tls.Config{}"`, "security_lines"},
		{"python", `"+r = get(url, verify=False)"`, "insecure"},
		{"python", `"+# verify=False is what you must not do"`, ""},
		{"python", `"+r = verify(url)"`, ""},
		{"javascript", `"+const agent = new Agent({ rejectUnauthorized: false })"`, "insecure"},
		{"python", `"+subprocess.run(cmd, shell=True)"`, "insecure security_lines"},
		{"javascript", `"+eval(input)"`, "security_lines"},
		{"go", `"+	evaluate(input)"`, ""},
		{"python", `"+db.execute(f'SELECT * FROM t WHERE id = {id}')"`, "security_lines"},
		{"python", `"+db.execute('SELECT * FROM t WHERE id = ?', id)"`, ""},
		{"yaml", `"+permissions: write-all"`, "insecure security_lines"},
		{"yaml", `"+  pull_request_target:"`, "insecure security_lines"},
		{"dockerfile", `"+RUN chmod -R 777 /srv"`, "insecure security_lines"},
		{"go", `"-	if len(x) > max {" "-		return errTooLong" "-	}"`, "checks_removed"},
		{"go", `"-	if len(x) > max {" "+	if len(x) > limit {"`, ""},
		{"go", `"-	a := 1" "-	b := 2"`, ""},
	}
	for _, test := range tests {
		files := []change.Scored{file(t, "a.x modified "+test.lines)}
		files[0].Class, files[0].Lang = "source", test.lang
		change.Measure(files)
		var got []string
		for _, n := range []string{"insecure", "security_lines", "checks_removed"} {
			if value(&files[0], n) != 0 {
				got = append(got, n)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.lines, s, test.want)
		}
	}
}

// TestMeasureBeside: what files of a changeset say about one another.
func TestMeasureBeside(t *testing.T) {
	files := []change.Scored{
		file(t, `src/user_store.go modified "+func OpenStore(dir string) {"`),
		file(t, `src/server.go modified "+	s := OpenStore(dir)" "+	var u UserStore"`),
		file(t, `src/user_store_test.go modified "+	s := OpenStore(dir)"`),
		file(t, `docs/guide.md modified "+Some words."`),
	}
	for i, class := range []string{"source", "source", "test", "docs"} {
		files[i].Class, files[i].Lang = class, []string{"go", "go", "go", "markdown"}[i]
	}
	change.Describe(files, nil)
	change.Measure(files)
	store := &files[0]
	third := 1.0 / 3
	for name, want := range map[string]float64{"used_beside": 2 * third, "named_beside": third, "path_beside": third, "tested": 1, "folder": 2 * third, "exported_added": value(store, "definitions_added")} {
		if got := value(store, name); got < want-1e-9 || got > want+1e-9 || got == 0 {
			t.Errorf("%s of user_store.go: %v, want %v", name, got, want)
		}
	}
	if got := value(&files[1], "named_beside"); got != 0 {
		t.Errorf("named_beside of server.go: %v", got)
	}
}

// TestMeasureShape: sizes are of changed lines, not of the patch; what changed
// nothing says so.
func TestMeasureShape(t *testing.T) {
	small := file(t, `a.go modified lines=13 "+x"`)
	big := file(t, `b.go modified `+strings.Repeat(`"+total += value" `, 40))
	spaces := file(t, `c.go modified "-	x := 1" "+		x := 1"`)
	comments := file(t, `d.go modified "-	// one" "+	// two"`)
	indent := file(t, `e.py modified "-    x = 1" "+        x = 1"`)
	moved := file(t, `g.go renamed`)
	moved.OldPath, moved.Hunks = "f.go", nil
	files := []change.Scored{small, big, spaces, comments, indent, moved}
	for i := range files {
		files[i].Class, files[i].Lang = "source", "go"
	}
	files[4].Lang = "python"
	change.Describe(files, nil)
	change.Measure(files)
	get := func(path, name string) float64 {
		i := slices.IndexFunc(files, func(f change.Scored) bool { return f.Path == path })
		return value(&files[i], name)
	}
	for _, test := range []struct {
		path, signal string
		holds        bool
	}{
		{"c.go", "spaces_only", true}, {"e.py", "spaces_only", false}, {"d.go", "comments_only", true}, {"a.go", "comments_only", false},
		{"g.go", "rename_only", true}, {"a.go", "rename_only", false}, {"b.go", "repeats", true}, {"a.go", "repeats", false},
	} {
		if got := get(test.path, test.signal) != 0; got != test.holds {
			t.Errorf("%s %s: %v, want %v", test.path, test.signal, got, test.holds)
		}
	}
	if a, b := get("a.go", "lines"), get("b.go", "lines"); a >= b || a > 0.11 {
		t.Errorf("lines of one changed line %v, of forty %v", a, b)
	}
	if got := get("b.go", "lines_rank"); got != 1 {
		t.Errorf("lines_rank of the largest change: %v", got)
	}
}

// TestChangesOrder orders changesets by the default profile.
func TestChangesOrder(t *testing.T) {
	tests := []struct {
		about string
		files []string
		want  string
	}{
		{"a lock file never outranks source, however much of it changed",
			[]string{`Cargo.lock modified lines=900 ` + strings.Repeat(`"+x" `, 400), `src/main.rs modified "+fn a() {}"`},
			"src/main.rs Cargo.lock"},
		{"source above docs and tests of the same size",
			[]string{`a_test.go modified "+x"`, `README.md modified "+x"`, `a.go modified "+x"`},
			"a.go README.md a_test.go"},
		{"tests at the root are tests",
			[]string{`tests/thing.go modified "+func f() {}"`, `lib/thing.go modified "+func f() {}"`},
			"lib/thing.go tests/thing.go"},
		{"a check switched off comes first",
			[]string{`client.go modified "+	InsecureSkipVerify: true,"`, `server.go modified ` + strings.Repeat(`"+	total += value * other" `, 60)},
			"client.go server.go"},
		{"equal files stand by path",
			[]string{`b.go modified "+x"`, `a.go modified "+x"`},
			"a.go b.go"},
	}
	for _, test := range tests {
		var files []change.Scored
		for _, text := range test.files {
			f := file(t, text)
			f.Class = "source"
			switch {
			case strings.HasSuffix(f.Path, ".lock"):
				f.Class = "lock"
			case strings.HasSuffix(f.Path, ".md"):
				f.Class = "docs"
			case strings.Contains(f.Path, "test"):
				f.Class = "test"
			}
			files = append(files, f)
		}
		change.Measure(files)
		score(files, &rank.Changes)
		var got []string
		for i := range files {
			got = append(got, files[i].Path)
			if r := files[i].Relevance; r < 0 || r > 1 {
				t.Errorf("%s: relevance %v", files[i].Path, r)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", test.about, s, test.want)
		}
	}
}

// TestMeasureSignals: every signal that is measured has a rule, and every rule a
// signal.
func TestMeasureNames(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rank.Changes.Rules {
		known[r.Signal] = true
	}
	var files []change.Scored
	for i, class := range []string{"source", "test", "docs", "config", "data", "generated", "vendored", "lock", "minified", "binary"} {
		f := file(t, fmt.Sprintf(`src/.x/f%d.go modified "+func Open() {" "-func Close() {" "+// x"`, i))
		f.Class, f.Lang, f.Secondary, f.NoDiff, f.Task, f.Usual, f.Churn, f.Users, f.Importers, f.Lines = class, "go", true, true, 1, 1, 9, 9, 9, 99
		files = append(files, f)
	}
	change.Describe(files, nil)
	change.Measure(files)
	for i := range files {
		for _, s := range files[i].Signals {
			if !known[s.Name] {
				t.Errorf("no rule for %s", s.Name)
			}
		}
	}
}

func TestPartners(t *testing.T) {
	h := history(
		"parser.go parser_test.go", "parser.go parser_test.go lexer.go", "parser.go parser_test.go", "lexer.go", "parser.go parser_test.go gone.go",
		"lexer.go token.go", "lexer.go token.go gone.go", "a b c d e f g h i j k l m n o p q r s t u v parser.go token.go",
	)
	usual, churn := change.Partners(h, []string{"parser.go", "lexer.go", "new.go"})
	if diff := cmp.Diff([]int{5, 4, 0}, churn); diff != "" {
		t.Errorf("churn -want +got: %s", diff)
	}
	// lexer.go came once in four focused commits of parser.go.
	if diff := cmp.Diff([]float64{1.0 / 6, 1.0 / 6, 0}, usual); diff != "" {
		t.Errorf("usual -want +got: %s", diff)
	}

	// Habits of long ago do not count.
	var commits []string
	for range 20 {
		commits = append(commits, "a new")
	}
	for range 100 {
		commits = append(commits, "a old")
	}
	usual, churn = change.Partners(history(commits...), []string{"a", "new", "old"})
	if usual[1] != 20.0/22 || usual[2] != 0 || churn[0] != 120 {
		t.Errorf("usual %v, churn %d", usual, churn[0])
	}
	if usual, churn := change.Partners(&change.History{}, nil); len(usual)+len(churn) != 0 {
		t.Error("nothing has partners")
	}
}

// history makes commits of lists of files.
func history(commits ...string) *change.History {
	h := new(change.History)
	at := map[string]int32{}
	for _, c := range commits {
		var files []int32
		for f := range strings.FieldsSeq(c) {
			k, ok := at[f]
			if !ok {
				k = int32(len(h.Paths))
				at[f] = k
				h.Paths = append(h.Paths, f)
			}
			files = append(files, k)
		}
		h.Commits = append(h.Commits, files)
	}
	return h
}

func BenchmarkMeasure(b *testing.B) {
	for _, n := range []int{10, 600} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			files := make([]change.Scored, n)
			var body strings.Builder
			for i := range 80 {
				fmt.Fprintf(&body, "+\tvalue%d := compute(ctx, request.Field%d, \"some text here\")\n", i, i*7)
			}
			for i := range files {
				files[i].File = change.File{Path: fmt.Sprintf("src/dir%d/file%d.go", i%20, i), Status: change.Modified, Added: 80,
					Hunks: []change.Hunk{{OldFrom: 1, NewFrom: 1, Body: body.String(), Added: 80}}}
				files[i].Class, files[i].Lang = "source", "go"
			}
			b.SetBytes(int64(n * body.Len()))
			b.ReportAllocs()
			for b.Loop() {
				change.Describe(files, nil)
				change.Measure(files)
			}
		})
	}
}
