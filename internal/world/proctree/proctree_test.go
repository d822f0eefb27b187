package proctree

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// role names the variable that makes this test binary a command or what it starts.
const role = "SATCHEL_PROCTREE_ROLE"

func TestMain(m *testing.M) {
	switch as := os.Getenv(role); as {
	case "":
		os.Exit(m.Run())
	case "helper": // answers once
		fmt.Println("ready")
		if bufio.NewScanner(os.Stdin).Scan() {
			fmt.Println("still here")
		}
	default:
		helper := exec.Command(os.Args[0])
		helper.Env = append(os.Environ(), role+"=helper")
		helper.Stdin, helper.Stdout = os.Stdin, os.Stdout
		if err := helper.Start(); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		switch as {
		case "stays":
			_ = helper.Wait()
		case "fails":
			os.Exit(1)
		}
	}
}

// What a command started goes with it, unless it ended well and left a helper.
func TestTree(t *testing.T) {
	for _, test := range []struct {
		as   string
		kill bool
		left bool
	}{
		{as: "stays", kill: true},
		{as: "fails"},
		{as: "leaves", left: true},
	} {
		for name, prepare := range map[string]func(*exec.Cmd) *Tree{"New": New, "NewSession": NewSession} {
			t.Run(test.as+"/"+name, func(t *testing.T) {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), role+"="+test.as)
				in, ask := pipe(t)
				answers, out := pipe(t)
				cmd.Stdin, cmd.Stdout = in, out
				tree := prepare(cmd)
				err := tree.Started(cmd.Start())
				in.Close()
				out.Close()
				if err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewScanner(answers)
				if !lines.Scan() || lines.Text() != "ready" {
					t.Fatalf("the helper says %q", lines.Text())
				}
				if test.kill {
					tree.Kill()
				}
				if err := cmd.Wait(); (err == nil) != test.left {
					t.Errorf("the command ended with %v", err)
				}
				tree.Close()
				_, _ = fmt.Fprintln(ask, "are you there?") // it may be gone
				if left := lines.Scan(); left != test.left {
					t.Errorf("the helper is left: %v, says %q", left, lines.Text())
				}
			})
		}
	}
}

// pipe returns the ends of a pipe that are closed with the test.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
