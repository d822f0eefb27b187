package signal_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/satchel-dev/satchel/internal/git"
	"github.com/satchel-dev/satchel/internal/index"
	"github.com/satchel-dev/satchel/internal/outline"
	"github.com/satchel-dev/satchel/internal/signal"
	"github.com/satchel-dev/satchel/rank"
)

func TestMain(m *testing.M) {
	if outline.WorkerMain() {
		return
	}
	os.Exit(m.Run())
}

const shop = `
-- shop/cart.py --
from .money import Money
from shop import tax

class Cart:
    """Items that a customer will buy."""
    def total_price(self):
        return tax.add(Money(0))
-- shop/money.py --
class Money:
    def round_half_even(self):
        pass
-- shop/tax.py --
def add(amount):
    """Add the tax of the customer's country."""
    return amount
-- shop/legacy/export.py --
def export():
    pass
-- shop/value.h --
struct value { int v; };
-- shop/value-inl.h --
inline int get(value v) { return v.v; }
-- tests/test_tax.py --
from shop.tax import add

def test_wrong_country():
    assert add(1) == 1
-- README.md --
# Shop

A shop with carts and taxes.
`

// view makes a view of a plain folder with the files of an archive.
func view(t *testing.T, archive string) *index.View {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := git.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	parser := outline.New(nil)
	t.Cleanup(func() { parser.Close() })
	x, err := index.Open(index.Options{Parser: parser})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	v, err := x.View(context.Background(), folder, "")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestColumns checks for each signal which file a task makes it speak for most.
func TestColumns(t *testing.T) {
	v := view(t, shop)
	for _, test := range []struct {
		signal rank.Signal
		task   string
		want   string
	}{
		{rank.BM25F, "tax of the customer", "shop/tax.py"},
		{rank.BM25Title, "customer will buy items", "shop/cart.py"},
		{rank.BM25Def, "round half even is wrong", "shop/money.py"},
		{rank.BM25Comment, "items a customer will buy", "shop/cart.py"},
		{rank.PathWords, "export fails", "shop/legacy/export.py"},
		{rank.TitleStem, "money is lost", "shop/money.py"},
		{rank.FileNamed, "look at shop/money.py", "shop/money.py"},
		{rank.ModuleNamed, "shop.tax.add is slow", "shop/tax.py"},
		{rank.InTraceback, "boom\n  File \"/x/shop/cart.py\", line 7, in total", "shop/cart.py"},
		{rank.NameDefined, "boom\n`total_price` is off", "shop/cart.py"},
		{rank.PhraseDefined, "the total price is off", "shop/cart.py"},
		{rank.TestNamed, "wrong country", "shop/tax.py"},
		{rank.TestImports, "wrong country", "shop/tax.py"},
		{rank.Secondary, "anything", "shop/legacy/export.py"},
	} {
		m := signal.First(v, rank.Analyze(test.task))
		if got := best(m, test.signal); got != test.want {
			t.Errorf("%v of %q is highest for %q, want %q", test.signal, test.task, got, test.want)
		}
	}
}

func best(m *signal.Measurement, s rank.Signal) string {
	at, most := -1, float32(0)
	for i, v := range m.Table.Columns[s] {
		if v > most {
			at, most = i, v
		}
	}
	if at < 0 {
		return ""
	}
	return m.View.Files()[at].Path
}

// TestSecond checks what likely files say about their neighbours.
func TestSecond(t *testing.T) {
	v := view(t, shop)
	for _, test := range []struct {
		signal     rank.Signal
		seed, want string
	}{
		{rank.Imports, "shop/cart.py", "shop/money.py"},
		{rank.Sibling, "shop/value.h", "shop/value-inl.h"},
	} {
		m := signal.First(v, rank.Analyze("anything"))
		seed, ok := v.File(test.seed)
		if !ok {
			t.Fatalf("no file %s", test.seed)
		}
		scores := make([]float32, m.Table.Rows)
		scores[seed] = 10
		// Twice: a second pass forgets the first one's seeds.
		m.Second([]int{0}, []float32{1}, make([]float32, m.Table.Rows))
		m.Second([]int{seed}, []float32{1}, scores)
		target, _ := v.File(test.want)
		if got := m.Table.Columns[test.signal][target]; got <= 0 {
			t.Errorf("%v of %s with seed %s is %v", test.signal, test.want, test.seed, got)
		}
	}
}

// TestDemotion checks that tests and documents step back unless asked for.
func TestDemotion(t *testing.T) {
	v := view(t, shop)
	for _, test := range []struct {
		task, file string
		demoted    bool
	}{
		{"tax is wrong", "tests/test_tax.py", true},
		{"add a test for tax", "tests/test_tax.py", false},
		{"tax is wrong", "README.md", true},
		{"readme: mention taxes", "README.md", false},
		{"tax is wrong", "shop/tax.py", false},
	} {
		m := signal.First(v, rank.Analyze(test.task))
		i, _ := v.File(test.file)
		if got := m.Table.Demotion[i].By > 0; got != test.demoted {
			t.Errorf("%q demotes %s: %v, want %v", test.task, test.file, got, test.demoted)
		}
	}
}

// TestImportant checks the order of a repository without a task.
func TestImportant(t *testing.T) {
	v := view(t, shop)
	value := map[string]float64{}
	for i, x := range signal.Important(v, 0) {
		value[v.Files()[i].Path] = x.Value()
	}
	if value["shop/money.py"] <= value["shop/legacy/export.py"] {
		t.Errorf("an imported module is worth %v, a legacy one %v", value["shop/money.py"], value["shop/legacy/export.py"])
	}
	if value["shop/tax.py"] <= value["tests/test_tax.py"] {
		t.Errorf("a module is worth %v, its test %v", value["shop/tax.py"], value["tests/test_tax.py"])
	}
}
