package engine_test

import (
	"strings"
	"testing"

	"github.com/satchel-dev/satchel"
	"github.com/satchel-dev/satchel/engine"
)

// TestPlainCallers: a function whose name is a plain word changes its signature, and who
// calls it in another file stands beside the change. The same word in files that cannot
// know the function is none of it.
func TestPlainCallers(t *testing.T) {
	for _, tt := range []struct {
		lang          string
		files         map[string]string
		path, old, is string
		caller, tests string
		not           string
	}{
		{
			"Go", map[string]string{
				"go.mod":                "module example.com/tiny\n\ngo 1.22\n",
				"calc/calc.go":          "package calc\n\n// Total adds the price and its tax.\nfunc Total(price int) int {\n\treturn price + price/5\n}\n",
				"calc/calc_test.go":     "package calc\n\nimport \"testing\"\n\nfunc TestTax(t *testing.T) {\n\tif Total(5) != 6 {\n\t\tt.Fatal()\n\t}\n}\n",
				"report/report.go":      "package report\n\nimport \"example.com/tiny/calc\"\n\n// Line prints a line.\nfunc Line(price int) int {\n\treturn calc.Total(price)\n}\n",
				"elsewhere/counting.go": "package elsewhere\n\ntype sum struct{}\n\nfunc (sum) Count(x interface{ Total(int) int }) int {\n\treturn x.Total(3)\n}\n",
			},
			"calc/calc.go", "Total(price int) int", "Total(price, rate int) int", "report/report.go", "calc/calc_test.go", "elsewhere/counting.go",
		},
		{
			"Python", map[string]string{
				"shop/__init__.py":   "",
				"shop/calc.py":       "def total(price):\n    \"\"\"Adds the tax.\"\"\"\n    return price + price / 5\n",
				"shop/report.py":     "from shop.calc import total\n\n\ndef line(price):\n    return str(total(price))\n",
				"tests/test_calc.py": "from shop.calc import total\n\n\ndef test_tax():\n    assert total(5) == 6\n",
				"shop/counting.py":   "def count(rows):\n    return rows.total(3)\n",
			},
			"shop/calc.py", "total(price)", "total(price, rate)", "shop/report.py", "tests/test_calc.py", "shop/counting.py",
		},
		{
			"TypeScript", map[string]string{
				"package.json":      "{\"name\": \"tiny\"}\n",
				"src/calc.ts":       "/** Adds the tax. */\nexport function total(price: number): number {\n  return price + price / 5;\n}\n",
				"src/report.ts":     "import { total } from \"./calc\";\n\nexport function line(price: number): string {\n  return String(total(price));\n}\n",
				"src/calc.test.ts":  "import { total } from \"./calc\";\n\ntest(\"tax\", () => {\n  expect(total(5)).toBe(6);\n});\n",
				"src/elsewhere.ts":  "export function count(rows: { total(n: number): number }): number {\n  return rows.total(3);\n}\n",
				"src/unrelated.ts":  "export const unrelated = 1;\n",
				"src/unrelated2.ts": "export const other = 1;\n",
			},
			"src/calc.ts", "total(price: number)", "total(price: number, rate: number)", "src/report.ts", "src/calc.test.ts", "src/elsewhere.ts",
		},
	} {
		t.Run(tt.lang, func(t *testing.T) {
			r := newRepository(t)
			r.WriteAll(tt.files)
			r.Commit("one")
			r.Write(tt.path, strings.Replace(tt.files[tt.path], tt.old, tt.is, 1))
			p, err := open(t, engine.Options{Dir: r.Dir}).Pack(t.Context(), satchel.Request{Changes: "HEAD", Budget: 2000})
			if err != nil {
				t.Fatal(err)
			}
			for path, part := range map[string]string{tt.caller: "otal(price)", tt.tests: "otal(5)"} {
				if !shown(p, path, part) {
					t.Errorf("%s is not shown:\n%+v", path, p.Entries)
				}
			}
			if shown(p, tt.not, "otal(") {
				t.Errorf("%s is shown, which cannot know the function", tt.not)
			}
		})
	}
}
