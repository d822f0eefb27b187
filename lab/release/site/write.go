package main

import (
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// replace makes a folder hold these files and nothing else. What is there must be a
// site that this program wrote.
func replace(dir string, files map[string][]byte) error {
	if _, err := os.Stat(dir); err == nil {
		if _, err := os.Stat(filepath.Join(dir, "search.js")); err != nil {
			return fmt.Errorf("site: %s is not a site: name a new folder", dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for name, text := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeVersions writes the page above the versions, which lists all and leads to the
// newest, and the newest version's llms.txt.
func writeVersions(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && versionName.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, newer)
	var list strings.Builder
	for _, name := range names {
		fmt.Fprintf(&list, "<li><a href=\"%[1]s/index.html\">%[1]s</a></li>\n", html.EscapeString(name))
	}
	first := path.Join(names[0], "index.html")
	page := fmt.Sprintf(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>satchel</title>
<link rel="stylesheet" href="%[2]s/style.css">
<main>
<h1>satchel</h1>
<p><a href="%[1]s">The documentation of the newest version</a></p>
<ul>
%[3]s</ul>
</main>
</html>
`, html.EscapeString(first), html.EscapeString(names[0]), list.String())
	llms, err := os.ReadFile(filepath.Join(out, names[0], "llms.txt"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "llms.txt"), llms, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.html"), []byte(page), 0o644)
}

// newer orders versions, newest first: releases before those that come before a
// release, and those before devel.
func newer(a, b string) int {
	class := func(v string) int {
		switch {
		case !semver.IsValid(v):
			return 2
		case semver.Prerelease(v) != "":
			return 1
		}
		return 0
	}
	if c := class(a) - class(b); c != 0 {
		return c
	}
	return semver.Compare(b, a)
}
