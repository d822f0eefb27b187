package schematest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// unknown is what git says where no release can be known: the folder is no repository,
// one without a commit, without a tag, or without one that HEAD comes from.
var unknown = []string{"not a git repository", "malformed object name 'HEAD'", "No names found", "No tags can describe"}

// Release returns the tag of the last released version before what is checked out in
// the folder root, which may be a release itself, or "" and why none is known there:
// nothing is released yet, the folder is no repository, or a clone without tags. That
// git fails for any other reason is an error.
func Release(root string) (tag, why string, err error) {
	args := []string{"describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"}
	out, err := Git(root, "tag", "--points-at", "HEAD")
	if err == nil {
		for own := range strings.Lines(out) {
			args = append(args, "--exclude", strings.TrimSpace(own))
		}
		out, err = Git(root, args...)
	}
	if err != nil {
		if slices.ContainsFunc(unknown, func(s string) bool { return strings.Contains(err.Error(), s) }) {
			return "", err.Error(), nil
		}
		return "", "", err
	}
	return strings.TrimSpace(out), "", nil
}

// ReleasedNames lists the files of a released version that a path names: itself, or with
// a slash at the end those in the folder.
func ReleasedNames(root, tag, path string) ([]string, error) {
	out, err := Git(root, "ls-tree", "--name-only", "-z", tag, "--", path)
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
	text, err = Git(root, "show", tag+":"+path)
	return text, err == nil, err
}

// kept are the variables for git that say nothing of a repository: where it stops to
// look for one, where its programs are, and that it takes every folder for another's.
var kept = []string{"GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH", "GIT_TEST_ASSUME_DIFFERENT_OWNER"}

// Git runs git in the folder root, and returns what it prints. The configuration of the
// host does not count, nor do the variables that a hook hands on, which would name
// another repository, nor who owns the folder.
func Git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", root, "-c", "safe.directory=*"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(kept, name)
	})
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}
