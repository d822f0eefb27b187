package subject

import (
	"fmt"
	"strings"
	"testing"
)

// TestChanges: of three files that were edited, which a command seems to have changed.
func TestChanges(t *testing.T) {
	for command, want := range map[string]string{
		"sed -i 's/a;b|c > d/x/' a.go":                "a.go",
		"sed -i.bak -e s/x/y/ src/b.go":               "src/b.go",
		"sed -ni p a.go":                              "a.go",
		"sed -n 1,20p a.go":                           "",
		"sed --in-place=.bak s/x/y/ a.go src/b.go":    "a.go src/b.go",
		"perl -pi -e 's/x/y/' a.go":                   "a.go",
		"gofmt -w a.go":                               "a.go",
		"gofmt -l a.go":                               "",
		"gofmt -s -w .":                               "a.go src/b.go src/c.go",
		"gofmt -w src/":                               "src/b.go src/c.go",
		"gofmt -w src":                                "src/b.go src/c.go",
		"cd src && gofmt -w b.go":                     "src/b.go",
		"cd src; gofmt -w *.go":                       "src/b.go src/c.go",
		"go fmt ./...":                                "a.go src/b.go src/c.go",
		"go test ./...":                               "",
		"npx prettier --write src/b.go":               "src/b.go",
		"pnpm exec prettier --write \"src/**/*.go\"":  "src/b.go src/c.go",
		"npx prettier --check src/b.go":               "",
		"FOO=1 timeout 20 eslint --fix src":           "src/b.go src/c.go",
		"eslint src":                                  "",
		"npm run format":                              "a.go src/b.go src/c.go",
		"npm run lint -- --fix":                       "a.go src/b.go src/c.go",
		"npm run lint":                                "",
		"make fmt":                                    "a.go src/b.go src/c.go",
		"black --check a.go":                          "",
		"black a.go":                                  "a.go",
		"ruff check --fix .":                          "a.go src/b.go src/c.go",
		"ruff format --check .":                       "",
		"cargo fmt":                                   "a.go src/b.go src/c.go",
		"cargo fmt -- --check":                        "",
		"git checkout a.go":                           "a.go",
		"git checkout -- src/b.go":                    "src/b.go",
		"git checkout HEAD~1 -- src":                  "src/b.go src/c.go",
		"git checkout -- other.go":                    "",
		"git checkout main":                           "a.go src/b.go src/c.go",
		"git checkout -b topic":                       "",
		"git switch main":                             "a.go src/b.go src/c.go",
		"git switch -c topic":                         "",
		"git -C . restore .":                          "a.go src/b.go src/c.go",
		"git restore --staged a.go":                   "",
		"git stash":                                   "a.go src/b.go src/c.go",
		"git stash pop":                               "a.go src/b.go src/c.go",
		"git stash list":                              "",
		"git reset --hard":                            "a.go src/b.go src/c.go",
		"git reset HEAD a.go":                         "",
		"git reset --soft HEAD~1":                     "",
		"git apply --check x.patch":                   "",
		"git apply x.patch":                           "a.go src/b.go src/c.go",
		"git rm --cached a.go":                        "",
		"git mv a.go z.go":                            "a.go",
		"git status && git diff a.go":                 "",
		"git commit -am 'git checkout a.go; rm a.go'": "",
		"git log --oneline | head":                    "",
		"mv a.go z.go":                                "a.go",
		"cp a.go z.go":                                "",
		"cp z.go a.go":                                "a.go",
		"cp z/b.go src":                               "src/b.go",
		"rm -rf src":                                  "src/b.go src/c.go",
		"echo x > a.go":                               "a.go",
		"echo x >> src/b.go":                          "src/b.go",
		"echo x >a.go":                                "a.go",
		"go test ./... > a.log 2>&1":                  "",
		"go test 2> a.go":                             "a.go",
		"go test &> a.go":                             "a.go",
		"echo 'x > a.go'":                             "",
		"echo \"=> a.go\"":                            "",
		"cat < a.go":                                  "",
		"cat > a.go <<'EOF'\nx\nEOF":                  "a.go",
		"cat > z.go <<'EOF'\nsed -i x a.go\ny > a.go\nEOF": "",
		"cat > z.go <<'EOF'\nEOFX\nEOF\nrm a.go":           "a.go",
		"python3 - <<EOF\nopen('a.go')\nEOF":               "",
		"go build | tee a.go":                              "a.go",
		"# rm a.go":                                        "",
		"bash -c 'rm a.go'":                                "a.go",
		"ls | xargs sed -i s/x/y/":                         "a.go src/b.go src/c.go",
		"ls | xargs cat":                                   "",
		"find . -name '*.go' -exec gofmt -w {} +":          "a.go src/b.go src/c.go",
		"find . -name '*.go' -exec cat {} +":               "",
		"for f in src/*.go; do gofmt -w $f; done":          "a.go src/b.go src/c.go",
		"sed -i s/x/y/ a.go && cat a.go":                   "a.go",
		"patch -p1 < x.patch":                              "a.go src/b.go src/c.go",
		"patch --dry-run -p1 < x.patch":                    "",
		"'unterminated > a.go":                             "",
		"sudo sed -i s/x/y/ a.go":                          "a.go",
		"if true; then rm a.go; fi":                        "a.go",
	} {
		s := opened(edit("a.go", "1", alpha), edit("src/b.go", "1", alpha), edit("src/c.go", "1", alpha), bash(command, "ok"))
		var got []string
		for _, f := range s.Files {
			if f.By != "" {
				got = append(got, f.Path)
			}
			if (f.By != "") != (len(f.Hunks) == 1 && f.Hunks[0].By != "") {
				t.Errorf("%s: the hunks of %s do not say what the file does", command, f.Path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s changed %q, want %q", command, got, want)
		}
	}
}

// TestChangedBetween: what was changed by a command is not composed over, and said.
func TestChangedBetween(t *testing.T) {
	s := opened(read("/repo/a.go", alpha), edit("/repo/a.go", "1", alpha), bash("cd /repo && gofmt -w a.go", ""), edit("/repo/a.go", alpha, beta))
	want := "/repo/a.go 2\n  \"1\" -> \"" + alpha + "\" by cd /repo && gofmt -w a.go\n  \"" + alpha + "\" -> \"" + beta + "\"\n"
	if got := state(s); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if f := s.Files[0]; f.ByPart <= f.Reads[0] {
		t.Errorf("the command is not after what was read")
	}
	// A command that failed as a whole may have done its first part.
	s = opened(edit("a.go", "1", alpha), fail(bash("git checkout a.go", ""), "error: pathspec 'a.go' did not match"))
	if s.Files[0].By != "" {
		t.Error("a command that failed changed a file")
	}
	s = opened(edit("a.go", "1", alpha), fail(bash("git checkout a.go && go test ./...", ""), "FAIL"))
	if s.Files[0].By == "" {
		t.Error("what a command did before it failed is not noted")
	}
}

func TestCommandKey(t *testing.T) {
	for _, same := range [][]string{
		{"go test ./...", "go test ./... 2>&1", "go test ./... 2>&1 | tail -20", "go test  ./... | grep -v '|ok' | head", "cd /repo && go test ./...", "go test ./... || true", "go test ./...; echo \"exit $?\""},
		{"go test ./a"},
		{"ls | grep x && go test ./a", "ls | grep x && go test ./a | tail"},
		{"ls"},
		{strings.Repeat("x", 3000) + "1"},
		{strings.Repeat("x", 3000) + "2"},
	} {
		for _, c := range same {
			if got := commandKey(c); got != commandKey(same[0]) {
				t.Errorf("commandKey(%q) = %q, not that of %q", c, got, same[0])
			}
		}
	}
	seen := make(map[string]bool)
	for _, c := range []string{"go test ./...", "go test ./a", "ls | grep x && go test ./a", "ls", strings.Repeat("x", 3000) + "1", strings.Repeat("x", 3000) + "2"} {
		if key := commandKey(c); seen[key] {
			t.Errorf("commandKey(%.40q) is that of another", c)
		} else {
			seen[key] = true
		}
	}
}

// TestFolders: the same words in other folders are another command, unless it is the
// folder in which most ran.
func TestFolders(t *testing.T) {
	s := opened(bash("cd /repo && ls", "x"), bash("cd /repo && npm test", "ok"), bash("npm test", "ok"), fail(bash("cd /repo/web && npm test", ""), "Exit code 1\n1 failed"), bash("npm test", "ok"))
	if len(s.Commands) != 3 || len(s.Commands[1].Runs) != 3 || s.Broken == nil {
		t.Errorf("%d commands, broken %v; want 3, and the one in /repo/web", len(s.Commands), s.Broken)
	}
}

func TestExitStatus(t *testing.T) {
	long := strings.Repeat("some output\n", 200)
	for text, want := range map[string]string{
		"":                            "0 false",
		"ok":                          "0 false",
		"Exit code 1\nFAIL":           "1 true",
		"Exit code: 0\nOutput:\nfine": "0 true",
		"Chunk ID: a\nWall time: 1 s\nProcess exited with code 2\nOutput:\n" + long: "2 true",
		long + "\nCommand exited with code 3":                                       "3 true",
		"Exit Code: 0\n" + long + "\nCommand exited with code 3":                    "3 true",
		long + "\nexit status 1\n":                                                  "1 true",
		"it says exit code 1 in the middle of a line":                               "0 false",
		"<exit_code>4</exit_code>":                                                  "4 true",
		"[exit code: 5]":                                                            "5 true",
		"[Command finished with exit code 6]":                                       "6 true",
		"Command failed with exit code 127: sh":                                     "127 true",
		"exit code -1":                                                              "-1 true",
		"exit code 99999999999":                                                     "999999999 true",
		long + "exit code 1\n" + long:                                               "0 false",
	} {
		if n, said := exitStatus(text); fmt.Sprint(n, said) != want {
			t.Errorf("exitStatus(%.60q) = %d, %v, want %s", text, n, said, want)
		}
	}
}

// TestFailures: checks whose clients do not say how they ended.
func TestFailures(t *testing.T) {
	for out, want := range map[string]bool{
		"ok  \tx\t0.01s": false,
		"--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tx\t0.01s\nFAIL": true,
		"FAIL\tx [build failed]\nok  \ty\t0.1s":               false, // the last says
		"Error: this is logged by a test\nok  \tx\t0.01s":     false,
		"5 passed, 0 failed":                                  false,
		"1 failed, 5 passed in 0.1s":                          true,
		" 9 pass\n 1 fail\nRan 10 tests":                      true,
		" 9 pass\n 0 fail\nRan 9 tests":                       false,
		"  5 passing\n  1 failing":                            true,
		"# pass 3\n# fail 0":                                  false,
		"# pass 3\n# fail 2":                                  true,
		"error TS2304: Cannot find name 'x'.":                 true,
		"Found 3 errors in 2 files":                           true,
		"Found 0 errors":                                      false,
		"make: *** No such file or directory":                 true,
		"bash: pytest: command not found":                     true,
		"Traceback (most recent call last):\n x":              true,
		"test result: ok. 5 passed; 0 failed":                 false,
		"test result: FAILED. 4 passed; 1 failed;":            true,
		"": false,
	} {
		if got := tellsFailure(out); got != want {
			t.Errorf("tellsFailure(%q) = %v, want %v", out, got, want)
		}
	}
	// An exit status that was said counts for more than words, unless it is that of a pipe.
	said := "Exit code: 0\nOutput:\nError: logged"
	if s := opened(bash("go test ./...", said)); s.Broken != nil {
		t.Error("a check that ended with status 0 is said to have failed")
	}
	if s := opened(bash("go test ./... | tail -3", said)); s.Broken == nil {
		t.Error("a check whose status is that of a pipe is said to have succeeded")
	}
}

func TestBroken(t *testing.T) {
	test, other := "go test ./...", "go vet ./..."
	for _, c := range []struct {
		name  string
		deeds []did
		want  string // text of what is broken
	}{
		{"nothing", []did{bash(test, "ok")}, ""},
		{"a check", []did{fail(bash(test, ""), "FAIL")}, test},
		{"the same succeeds", []did{fail(bash(test, ""), "FAIL"), bash(test, "ok")}, ""},
		{"the same in other words", []did{fail(bash(test+" | tail", ""), "FAIL"), bash(test+" 2>&1", "ok")}, ""},
		{"another succeeds", []did{fail(bash(test, ""), "FAIL"), bash(other, "")}, test},
		{"the same check with a fix", []did{fail(bash("bun run lint", ""), "1 error"), bash("bun run lint:fix", "ok")}, ""},
		{"all of what a part failed of", []did{fail(bash("npm test -- a", ""), "1 failed"), bash("npm test", "ok")}, ""},
		{"a part of what failed", []did{fail(bash("npm test", ""), "1 failed"), bash("npm test -- a", "ok")}, "npm test"},
		{"all packages, where one failed", []did{fail(bash("go test ./a -run TestX -v", ""), "FAIL"), bash("go test ./... -count=1", "ok")}, ""},
		{"the packages below", []did{fail(bash("go test ./a/b", ""), "FAIL"), bash("go test ./a/...", "ok")}, ""},
		{"all packages, of the one of the folder", []did{fail(bash("go test", ""), "FAIL"), bash("go test ./...", "ok")}, ""},
		{"the folder alone, of all packages", []did{fail(bash("go test ./a", ""), "FAIL"), bash("go test", "ok")}, "go test ./a"},
		{"other packages", []did{fail(bash("go test ./a", ""), "FAIL"), bash("go test ./b/...", "ok")}, "go test ./a"},
		{"packages of a like name", []did{fail(bash("go test ./ab", ""), "FAIL"), bash("go test ./a/...", "ok")}, "go test ./ab"},
		{"a package, of all below it", []did{fail(bash("go test ./a/...", ""), "FAIL"), bash("go test ./a", "ok")}, "go test ./a/..."},
		{"the package above", []did{fail(bash("go test ./a/b", ""), "FAIL"), bash("go test ./a", "ok")}, "go test ./a/b"},
		{"one test of all packages", []did{fail(bash("go test ./a", ""), "FAIL"), bash("go test -run TestX ./...", "ok")}, "go test ./a"},
		{"another check of all packages", []did{fail(bash("go test ./a", ""), "FAIL"), bash("go vet ./...", "ok")}, "go test ./a"},
		{"without what it failed of", []did{fail(bash("go test -race ./a", ""), "FAIL"), bash("go test ./...", "ok")}, "go test -race ./a"},
		{"before it failed", []did{bash("go test ./...", "ok"), fail(bash("go test ./a", ""), "FAIL")}, "go test ./a"},
		{"all packages, which were not all well", []did{fail(bash("go test ./a", ""), "FAIL"), fail(bash("go test ./...", ""), "FAIL"), bash("go test ./b", "ok")}, "go test ./..."},
		{"in another folder", []did{bash("ls", "x"), bash("cd /repo && ls", "x"), fail(bash("cd /repo/web && pytest tests/test_a.py", ""), "1 failed"), bash("cd /repo && pytest", "1 passed"), bash("ls", "x")}, "cd /repo/web && pytest tests/test_a.py"},
		{"all tests, where a file failed", []did{fail(bash("pytest tests/test_a.py::test_x -q", ""), "1 failed"), bash("pytest -q", "3 passed")}, ""},
		{"the file, where a test failed", []did{fail(bash("python -m pytest tests/test_a.py::test_x", ""), "1 failed"), bash("python -m pytest tests/test_a.py", "3 passed")}, ""},
		{"the folder, where a file failed", []did{fail(bash("pytest tests/unit/test_a.py", ""), "1 failed"), bash("pytest tests/", "3 passed")}, ""},
		{"some tests by name", []did{fail(bash("pytest tests/test_a.py", ""), "1 failed"), bash("pytest -k other", "3 passed")}, "pytest tests/test_a.py"},
		{"the newest", []did{fail(bash(test, ""), "FAIL"), fail(bash(other, ""), "vet: x")}, other},
		{"a search without a hit", []did{fail(bash("grep -rn x .", ""), "Exit code 1")}, ""},
		{"a file that is not there", []did{fail(bash("cat none.go", ""), "Exit code 1\ncat: none.go: No such file or directory")}, "cat none.go"},
		{"by its exit status", []did{bash("./run.sh", "Exit code: 2\nOutput:\n")}, "./run.sh"},
		{"without a result", []did{{name: "Bash", in: in{"command", test}, none: true}}, ""},
		{"an edit", []did{fail(edit("a.go", "1", "2"), "String to replace not found")}, "file_path: a.go\nold_string: 1\nnew_string: 2"},
		{"an edit that came about later", []did{fail(edit("a.go", "1", "2"), "String to replace not found"), edit("a.go", "3", "2")}, ""},
		{"the same file in other words", []did{fail(edit("/repo/a.go", "1", "2"), "String to replace not found"), edit("a.go", "3", "2")}, ""},
		{"an edit of another file", []did{fail(edit("a.go", "1", "2"), "String to replace not found"), edit("b.go", "3", "2")}, "file_path: a.go\nold_string: 1\nnew_string: 2"},
	} {
		b, got := opened(c.deeds...).Broken, ""
		if b != nil {
			got = b.Command.Text
		}
		if got != c.want {
			t.Errorf("%s: broken is %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPolls: what goes on after its call has returned is one run.
func TestPolls(t *testing.T) {
	for name, deeds := range map[string][]did{
		"Codex": {{name: "exec_command", in: in{"cmd", "go test ./..."}, out: "Process running with session ID 7\nOutput:\n"}, {name: "write_stdin", in: in{"session_id", 7, "chars", ""}, out: "Process exited with code 1\nOutput:\nFAIL"}},
		"Claude Code": {{name: "Bash", in: in{"command", "go test ./...", "run_in_background", true}, out: "Command running in background with ID: b7f. Output is being written to a file"},
			fail(did{name: "BashOutput", in: in{"bash_id", "b7f"}}, "FAIL")},
	} {
		s := opened(append(deeds, bash("ls", ""))...)
		if len(s.Commands) != 2 || len(s.Commands[0].Runs) != 2 || s.Commands[0].Runs[0].Polls || !s.Commands[0].Runs[1].Polls || s.Broken == nil || s.Broken.Command != s.Commands[0] {
			t.Errorf("%s: %d commands, the first ran %d times, broken %v", name, len(s.Commands), len(s.Commands[0].Runs), s.Broken)
		}
	}
	if s := opened(did{name: "write_stdin", in: in{"session_id", 9, "chars", "y"}, out: "ok"}); len(s.Commands) != 1 || s.Commands[0].Line {
		t.Error("a poll of what is not known is no command line")
	}
}

func TestCommands(t *testing.T) {
	s := opened(bash("go test ./...", "ok"), bash("rg x", "a.go:1:x"), did{name: "WebFetch", in: in{"url", "https://example.com"}, out: "x"}, fail(edit("a.go", "1", "2"), "no"))
	for i, want := range []string{"Bash true false false line", "Bash false true false line", "WebFetch false false false", "Edit false false true"} {
		c := s.Commands[i]
		got := fmt.Sprintln(c.Tool, c.Check, c.Search, c.Edit)
		if c.Line {
			got = strings.TrimSpace(got) + " line"
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("command %d is %s, want %s", i, got, want)
		}
	}
}

// TestShowsOne: what a command line prints is a file's if one command of it prints.
func TestShowsOne(t *testing.T) {
	for line, want := range map[string]bool{
		"cat a.go": true, "cd /repo && sed -n 1,50p a.go | head -20": true, "gofmt -w a.go && cat a.go": true, "mkdir x; cat a.go || true": true, "nl -ba a.go | sed -n '1,5p;9p'": true,
		"cat a.go 2>/dev/null && cat b.go": false, "cat a.go; echo ---; cat b.go": false, "go test ./... ; cat a.go": false, "cat a.go > b.go; cat b.go": true,
	} {
		if got := showsOne(line); got != want {
			t.Errorf("showsOne(%q) = %v, want %v", line, got, want)
		}
		if files := opened(bash(line, "x")).Files; (len(files) > 0) != want {
			t.Errorf("%s: read %d files", line, len(files))
		}
	}
}

// TestPerhaps: what names no file may have changed any, unless it says that it did not.
func TestPerhaps(t *testing.T) {
	for out, want := range map[string]string{"Checked 9 files. Fixed 2 files.": "npm run lint:fix true", "Checked 9 files in 2ms. No fixes applied.": " false"} {
		if f := opened(edit("a.go", "1", alpha), bash("npm run lint:fix", out)).Files[0]; fmt.Sprint(f.By, " ", f.Perhaps) != want {
			t.Errorf("%s: by %q, perhaps %v", out, f.By, f.Perhaps)
		}
	}
	if f := opened(edit("a.go", "1", alpha), bash("gofmt -w a.go", "")).Files[0]; f.By == "" || f.Perhaps {
		t.Error("a command that names a file has perhaps changed it")
	}
}
