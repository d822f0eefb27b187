// Stub stands for satchel where npm's part is tried: it says what reached it.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	fmt.Printf("args %q\n", os.Args[1:])
	switch first := append(os.Args, "")[1]; first {
	case "exit":
		code, _ := strconv.Atoi(os.Args[2])
		fmt.Fprintln(os.Stderr, "to stderr")
		os.Exit(code)
	case "cat":
		n, err := io.Copy(os.Stdout, os.Stdin)
		fmt.Println("read", n, err)
	case "wait": // ends by itself, with a code of its own
		fmt.Println("ready")
		fmt.Println("got", <-signals)
		os.Exit(7)
	case "die": // ends as one that handles no signal
		fmt.Println("ready")
		s := <-signals
		signal.Reset()
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Signal(s)
		}
		select {}
	case "count": // how many signals come before a line of input
		fmt.Println("ready")
		line := make(chan bool)
		go func() { _, _ = os.Stdin.Read(make([]byte, 1)); close(line) }()
		n := 0
		for read := false; !read; {
			select {
			case <-signals:
				n++
				fmt.Println("got")
			case <-line:
				read = true
			}
		}
		fmt.Println("signals", n)
	}
}
