package budget_test

import (
	"fmt"

	"github.com/satchel-dev/satchel/budget"
)

func ExampleParse() {
	for _, s := range []string{"16k", "40%", "auto"} {
		limit, err := budget.Parse(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		task := budget.Complexity{Files: 2, Directories: 1, Words: 200}
		least, most, err := limit.Tokens(200_000, 8_000, budget.Auto{})
		fmt.Println(s, task.Between(least, most), err)
	}
	_, err := budget.Parse("lots")
	fmt.Println(err)
	// Output:
	// 16k 16000 <nil>
	// 40% 80000 <nil>
	// auto 40000 <nil>
	// budget "lots": not a number of tokens (want tokens such as 16k, a share of the window such as 40%, auto, or 0 for no limit)
}
