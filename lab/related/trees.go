package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/satchel-dev/satchel/lab/train/tasks"
)

// command prepares a git command that reads no configuration but the repository's own.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=lab", "GIT_AUTHOR_EMAIL=lab@example.com", "GIT_COMMITTER_NAME=lab", "GIT_COMMITTER_EMAIL=lab@example.com",
		"GIT_AUTHOR_DATE=2030-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2030-01-01T00:00:00Z")
	return cmd
}

func output(cmd *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(b)), nil
}

// borrow makes a repository that has the objects of one of the mirror.
func borrow(ctx context.Context, o options, repo string) (dir string, err error) {
	mirror, err := tasks.Repository(o.mirror, repo)
	if err != nil {
		return "", err
	}
	objects, err := output(command(ctx, mirror, "rev-parse", "--path-format=absolute", "--git-path", "objects"))
	if err != nil {
		return "", err
	}
	dir = filepath.Join(o.cache, strings.ReplaceAll(repo, "/", "+"), "repo")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if _, err := output(command(ctx, dir, "init", "-q", "--bare", ".")); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o644)
}

// commitQuery makes a commit on the base of a case that changes nothing but the files of
// its query.
func commitQuery(ctx context.Context, dir string, c *Case) (id string, err error) {
	index := filepath.Join(dir, "lab-index")
	defer os.Remove(index)
	git := func(args ...string) (string, error) {
		cmd := command(ctx, dir, args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
		return output(cmd)
	}
	if _, err := git("read-tree", c.Base); err != nil {
		return "", err
	}
	for _, name := range c.Query {
		line, err := git("ls-tree", c.Commit, "--", name) // MODE blob ID\tNAME
		if err != nil {
			return "", err
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return "", fmt.Errorf("%s: no file %s", c.ID, name)
		}
		if _, err := git("update-index", "--cacheinfo", fields[0]+","+fields[2]+","+name); err != nil {
			return "", err
		}
	}
	tree, err := git("write-tree")
	if err != nil {
		return "", err
	}
	return git("commit-tree", tree, "-p", c.Base, "-m", "the change of a case")
}
