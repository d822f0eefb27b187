package lab

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/satchel-dev/satchel/lab/archtest"
)

// top is lab itself, which stands above all packages of satchel.
var top = [][]string{{"lab"}}

// stage is the program that plays the model APIs for the acceptance tests, on this
// machine. No other opens connections.
const stage = "lab/clients/accept"

// TestHouse holds lab to the rules of satchel's own packages.
func TestHouse(t *testing.T) {
	files, err := archtest.Parse(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 { // a rule that sees no files cannot fail
		t.Fatalf("found %d Go files", len(files))
	}
	for i := range files {
		files[i].Path, files[i].Dir = path.Join("lab", files[i].Path), path.Join("lab", files[i].Dir)
	}

	layers := slices.Concat(archtest.Layers, top)
	bad := slices.Concat(archtest.Imports(files, layers, nil), archtest.Connections(files, stage), archtest.Docs(files), archtest.Names(files), archtest.Comments(files))
	for _, b := range bad {
		t.Error(b)
	}
	if len(archtest.Connections(files)) == 0 {
		t.Errorf("%s opens no connection: the rule sees nothing", stage)
	}
}
