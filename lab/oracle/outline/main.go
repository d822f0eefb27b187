// Command outline compares the line outliner with tree-sitter, definition by
// definition, on repositories.
//
//	cd lab && go run ./oracle/outline -mirror DIR [-lang java,kotlin] [-repo google/gson] [-held] [-diffs 40]
//
// Of each repository at most -n files of the language are outlined both ways: a
// sample that depends on nothing but their contents. A definition of the one is
// that of the other if both give it the same name on the same line; the two agree
// on it if kind, parent, first and last line are equal as well, and fully if the
// signature is. A row says for each repository
//
//	precision and recall of name and line, with tree-sitter as the truth,
//	agree: 2 × those agreed on / (definitions of the one + of the other), an F1,
//	full: the same with the signature,
//	understood: agree of the files that tree-sitter reads without errors, and their definitions,
//	apart: how many definitions were left out of all counts (see settled.go).
//
// -diffs N prints what differs, grouped by cause, the most frequent first, with
// the source lines of the first few of each. The outlines of tree-sitter are
// kept in -cache by the hash of the file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "outline: %v\n", err)
		os.Exit(1)
	}
}

// repositories are those that the outliner is tuned on, by language, and last the
// one that is held out.
var repositories = []struct {
	lang  string
	tuned []string
	held  string
}{
	{"javascript", []string{"expressjs/express", "webpack/webpack", "chartjs/Chart.js"}, "eslint/eslint"},
	{"typescript", []string{"excalidraw/excalidraw", "microsoft/playwright", "typeorm/typeorm"}, "trpc/trpc"},
	{"tsx", []string{"excalidraw/excalidraw", "microsoft/playwright"}, "trpc/trpc"},
	{"java", []string{"google/gson", "apache/kafka", "FasterXML/jackson-core"}, "netty/netty"},
	{"kotlin", []string{"ktorio/ktor", "square/okhttp", "detekt/detekt"}, "JetBrains/Exposed"},
	{"scala", []string{"apache/kafka"}, "playframework/playframework"},
	{"csharp", []string{"jellyfin/jellyfin", "dotnet/efcore", "AvaloniaUI/Avalonia"}, "App-vNext/Polly"},
	{"php", []string{"laravel/framework", "composer/composer", "sebastianbergmann/phpunit"}, "guzzle/guzzle"},
	{"c", []string{"jqlang/jq", "curl/curl", "tmux/tmux"}, "libuv/libuv"},
	{"cpp", []string{"catchorg/Catch2", "simdjson/simdjson", "google/leveldb"}, "gabime/spdlog"},
	{"rust", []string{"BurntSushi/ripgrep", "clap-rs/clap", "tokio-rs/bytes"}, "alacritty/alacritty"},
	{"python", []string{"pallets/flask", "psf/requests", "pytest-dev/pytest"}, "encode/httpx"},
	{"ruby", []string{"jekyll/jekyll", "rubocop/rubocop", "fastlane/fastlane"}, "Homebrew/brew"},
	{"bash", []string{"git/git", "curl/curl", "nvm-sh/nvm"}, "Homebrew/brew"},
}

func run(ctx context.Context) error {
	var (
		mirror = flag.String("mirror", "", "`folder` that holds OWNER+NAME/repo for each repository")
		langs  = flag.String("lang", "", "languages, separated by commas; all if empty")
		only   = flag.String("repo", "", "repository, in place of those of the list")
		held   = flag.Bool("held", false, "the repositories that are held out, in place of those to tune on")
		most   = flag.Int("n", 400, "files of a repository")
		diffs  = flag.Int("diffs", 0, "groups of differences to print")
		clean  = flag.Bool("clean", false, "differences in files that tree-sitter reads without errors only")
		each   = flag.Int("each", 3, "examples of a group")
		cache  = flag.String("cache", filepath.Join(os.TempDir(), "satchel-outline-oracle"), "`folder` for the outlines of tree-sitter")
	)
	flag.Parse()
	if *mirror == "" {
		return fmt.Errorf("-mirror is needed")
	}
	o := truths{dir: *cache}
	var all tally
	fmt.Println(header)
	for _, r := range repositories {
		if *langs != "" && !slices.Contains(strings.Split(*langs, ","), r.lang) {
			continue
		}
		names := r.tuned
		switch {
		case *only != "":
			names = []string{*only}
		case *held:
			names = []string{r.held}
		}
		for _, name := range names {
			files, err := sample(ctx, *mirror, name, r.lang, *most)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t, err := compareAll(&o, r.lang, name, files)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fmt.Println(t.row(r.lang, name, len(files)))
			if *clean {
				t = *t.understood
			}
			all.differences = append(all.differences, t.differences...)
		}
	}
	fmt.Print(settled)
	all.print(os.Stdout, *diffs, *each)
	return nil
}
