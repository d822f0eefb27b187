package schematest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Release returns the tag of the last released version before what is checked out in
// the folder root, which may be a release itself, or "" and why none is known there:
// nothing is released yet, the folder is no repository, or a clone without tags.
func Release(root string) (tag, why string) {
	args := []string{"describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"}
	if own, err := git(root, "tag", "--points-at", "HEAD"); err == nil {
		for tag := range strings.Lines(own) {
			args = append(args, "--exclude", strings.TrimSpace(tag))
		}
	}
	out, err := git(root, args...)
	if err != nil {
		return "", err.Error()
	}
	return strings.TrimSpace(out), ""
}

// ReleasedNames lists the files of a released version that a path names: itself, or with
// a slash at the end those in the folder.
func ReleasedNames(root, tag, path string) ([]string, error) {
	out, err := git(root, "ls-tree", "--name-only", "-z", tag, "--", path)
	if out == "" || err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), nil
}

// Released returns a file as it was in a released version; ok is false if it was not
// there.
func Released(root, tag, path string) (text string, ok bool, err error) {
	names, err := ReleasedNames(root, tag, path)
	if err != nil || len(names) != 1 || names[0] != path {
		return "", false, err
	}
	text, err = git(root, "show", tag+":"+path)
	return text, err == nil, err
}

// git runs git without the configuration of the host.
func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
