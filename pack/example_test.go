package pack_test

import (
	"fmt"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/pack"
)

func ExampleFit() {
	candidate := func(path string, score float64, full, outline int) satchel.Candidate {
		c := satchel.Candidate{Item: satchel.Item{
			Ref: satchel.Ref{Kind: satchel.KindFile, Path: path},
			Forms: []satchel.Form{
				{Detail: satchel.Full, Tokens: full},
				{Detail: satchel.Outline, Tokens: outline},
			},
		}}
		c.Score.Add("match", score)
		return c
	}
	r, err := pack.Fit([]satchel.Candidate{
		candidate("login.go", 3, 900, 80),
		candidate("proxy.go", 2.5, 700, 60),
		candidate("timeout.go", 1, 600, 50),
		candidate("unrelated.go", -4, 5000, 400),
	}, pack.Options{Limit: 1700})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Entries {
		fmt.Println(e.Ref, e.Detail, e.Tokens)
	}
	for _, o := range r.Omitted {
		fmt.Println(o.Ref, o.Why)
	}
	fmt.Println(r.Used, "tokens")
	// Output:
	// login.go full 900
	// proxy.go full 700
	// timeout.go outline 50
	// unrelated.go no room
	// 1650 tokens
}
