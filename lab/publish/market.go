package main

import "github.com/satchel-dev/satchel/internal/front/install"

// marketplace returns the repository that Claude Code, Codex and Gemini CLI install
// satchel from: the folders of "satchel install --plugin" and "--extension", laid
// over each other, under a README of their own.
func marketplace(src source, version string) tree {
	t := tree{}
	for _, b := range []install.Bundle{install.Extension, install.Plugin} {
		for name, text := range b.Files(version) {
			t[name] = file{text: []byte(text)}
		}
	}
	t["README.md"] = file{text: src.market}
	t["LICENSE"] = file{text: src.license}
	return t
}
