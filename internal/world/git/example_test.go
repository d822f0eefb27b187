package git_test

import (
	"context"
	"fmt"
	"log"

	"github.com/satchel-dev/satchel/internal/world/git"
)

func ExampleBlobID() {
	fmt.Println(git.BlobID(git.SHA1, []byte("hello\n")))
	// Output: ce013625030ba8dba906f756967f9e9ca394464a
}

// The contents of the work tree: from the object store where git knows that a
// file is unchanged, else from disk.
func ExampleRepo_WorkTree() {
	ctx := context.Background()
	repo, err := git.Open(ctx, ".")
	if err != nil {
		log.Fatal(err)
	}
	defer repo.Close()
	files, diags, err := repo.WorkTree(ctx)
	if err != nil {
		log.Fatal(err)
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	const limit = 1 << 20
	for _, f := range files {
		if !f.Mode.IsRegular() {
			continue
		}
		var text []byte
		if f.Clean {
			text, err = objects.Read(f.OID, limit)
		} else {
			text, err = repo.ReadFile(f.Path, limit)
		}
		fmt.Println(f.Path, len(text), err)
	}
	for _, n := range diags {
		fmt.Println(n.Path, n.Text)
	}
}
