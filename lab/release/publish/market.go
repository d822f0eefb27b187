package main

import "github.com/satchel-dev/satchel/internal/front/install"

// marketplace returns the repository that Claude Code and Codex install satchel from:
// the folder of "satchel install --plugin" under a README of its own.
func marketplace(src source, version string) tree {
	return bundle(install.Plugin, version, src.market, src.license)
}

// extension returns the repository that Gemini CLI installs satchel from. It cannot be
// the marketplace: Gemini reads hooks/hooks.json of the repository, which Claude Code
// then takes for hooks of its own, and warns of every event in it.
func extension(src source, version string) tree {
	return bundle(install.Extension, version, src.extension, src.license)
}

func bundle(b install.Bundle, version string, readme, license []byte) tree {
	t := tree{}
	for name, text := range b.Files(version) {
		t[name] = file{text: []byte(text)}
	}
	t["README.md"] = file{text: readme}
	t["LICENSE"] = file{text: license}
	return t
}
