package clitest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/satchel-dev/satchel/internal/front/cli/base"
	"github.com/satchel-dev/satchel/internal/front/cli/program"
	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/front/schema"
	"github.com/satchel-dev/satchel/internal/front/schema/schematest"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Variables of the processes of scripts: the file that what does not fit its schema is
// added to, and the folder that gets an empty file named as each document that was
// written.
const (
	faultsVar  = "DOCUMENT_FAULTS"
	writtenVar = "DOCUMENTS_WRITTEN"
)

// unchecked are commands whose JSON fits no schema of ours, and why.
var unchecked = map[string]string{
	"schema": "with a name it writes a schema, not a document",
}

// checkedMain runs the program as a user does. If it was asked for JSON, what it wrote
// has to fit the schema of the document. Otherwise the file of faults says so, and the
// script fails.
func (s *Suite) checkedMain(ctx context.Context, env base.Env, args []string) int {
	getenv := config.Getenv(env.Environ)
	mentions := func(arg string) bool { return strings.Contains(arg, "json") }
	if !slices.ContainsFunc(args, mentions) && !mentions(getenv("SATCHEL_FORMAT")) {
		return program.Main(ctx, env, s.Commands, args)
	}
	docs, asked := s.documentsOf(args, env.Environ)
	if !asked {
		return program.Main(ctx, env, s.Commands, args)
	}
	var out bytes.Buffer
	env.Stdout = io.MultiWriter(env.Stdout, &out)
	code := program.Main(ctx, env, s.Commands, args)
	name, err := s.checkDocument(docs, out.Bytes())
	if done := code == base.ExitOK || code == 6 || code == 7; done && err == nil && name == "" && !s.elsewhere(args) {
		err = errors.New("it was done, and no document was written")
	}
	if err != nil {
		fault := fmt.Sprintf("satchel %s: %v\n", strings.Join(args, " "), err)
		fmt.Fprint(env.Stderr, fault)
		if f, err := os.OpenFile(getenv(faultsVar), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err == nil {
			_, _ = f.WriteString(fault)
			_ = f.Close()
		}
		return 99
	}
	if name != "" && getenv(writtenVar) != "" {
		_ = os.WriteFile(filepath.Join(getenv(writtenVar), name), nil, 0o644)
	}
	return code
}

// elsewhere reports whether a document goes into a file or to the clipboard.
func (s *Suite) elsewhere(args []string) bool {
	c, rest, err := program.Root(s.Commands).Find(args)
	if err != nil {
		return false
	}
	c.InitDefaultHelpFlag()
	_ = c.ParseFlags(rest)
	return slices.ContainsFunc([]string{"output", "copy", "update", "help"}, func(name string) bool { return c.Flags().Changed(name) })
}

// checkDocument returns the name of the document that text is, if it is any.
func (s *Suite) checkDocument(docs []schema.Document, text []byte) (string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return "", nil // an error, or it went into a file
	}
	if len(docs) == 0 {
		return "", fmt.Errorf("no schema says what this is:\n%s", text)
	}
	types := program.DocumentTypes()
	for _, t := range s.Types {
		maps.Copy(types, t)
	}
	var whys []string
	for i := range docs {
		of, err := docs[i].Schema(types, nil)
		if err != nil {
			return "", err
		}
		err = schematest.Check(of, text)
		if err == nil {
			return docs[i].Name, nil
		}
		whys = append(whys, fmt.Sprintf("not %s: %v", docs[i].File(), err))
	}
	return "", fmt.Errorf("%s\n%s", strings.Join(whys, "\n"), text)
}

// documentsOf returns the documents that a command line may write, and whether it asks
// for JSON at all.
func (s *Suite) documentsOf(args, environ []string) (docs []schema.Document, asked bool) {
	c, rest, err := program.Root(s.Commands).Find(args)
	if err != nil {
		return nil, false
	}
	// Errors in flags are the program's to find.
	c.InitDefaultHelpFlag()
	_ = c.ParseFlags(rest)
	if !asksJSON(c, environ) {
		return nil, false
	}
	name := strings.TrimPrefix(c.CommandPath(), "satchel ")
	if unchecked[name] != "" && c.Flags().NArg() > 0 {
		return nil, false
	}
	most := -1
	for _, d := range s.Documents {
		for _, w := range d.Writers {
			words, flags, _ := strings.Cut(w, " --")
			need := strings.FieldsFunc(flags, func(r rune) bool { return r == ' ' })
			for i := range need {
				need[i] = strings.TrimPrefix(need[i], "--")
			}
			lacks := func(f string) bool { return !c.Flags().Changed(f) }
			if words != name || slices.ContainsFunc(need, lacks) {
				continue
			}
			if len(need) > most {
				docs, most = nil, len(need)
			}
			if len(need) == most {
				docs = append(docs, d)
			}
		}
	}
	return docs, true
}

// asksJSON reports whether a command line asks for a document of ours. The format of a
// trimmed session is an agent's, and config shows the setting of that name.
func asksJSON(c *cobra.Command, environ []string) bool {
	is := func(f *pflag.Flag, value string) bool { return f != nil && f.Changed && f.Value.String() == value }
	if is(c.Flags().Lookup("json"), "true") {
		return true
	}
	f := c.Flags().Lookup("format")
	switch c.CommandPath() {
	case "satchel session trim", "satchel config":
		return false
	case "satchel pack":
		return is(f, "json") || !f.Changed && slices.Contains(environ, "SATCHEL_FORMAT=json")
	}
	return is(f, "json")
}

// failOnFaults fails a script in which a document did not fit its schema.
func failOnFaults(t testscript.T, faults string) {
	if text, err := os.ReadFile(faults); err == nil {
		t.Fatal(string(text))
	}
}

// everyDocument demands that the scripts write each document, so that no schema was
// never tried. A run of some scripts says nothing about that.
func (s *Suite) everyDocument(t *testing.T, written string) {
	if t.Failed() || someTests() || testing.Short() {
		return
	}
	for _, d := range s.Written {
		_, err := os.Stat(filepath.Join(written, d.Name))
		if err != nil {
			t.Errorf("%s: no script writes it", d.Name)
		}
	}
}

// someTests reports whether go test was told to run some scripts only.
func someTests() bool {
	f := flag.Lookup("test.run")
	return f != nil && strings.Contains(f.Value.String(), "/")
}
