package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/satchel-dev/satchel/internal/text/lazy"
)

// A Duration is a time, in a file a text such as "60s".
type Duration time.Duration

// UnmarshalTOML reads the text of a time.
func (d *Duration) UnmarshalTOML(raw []byte) error {
	n, err := time.ParseDuration(string(bytes.Trim(raw, `"'`)))
	if err != nil || n <= 0 {
		return wrong(raw, `a time such as "60s"`)
	}
	*d = Duration(n)
	return nil
}

// A Count is a number above 0, such as tokens. 0 means that the user did not set it.
type Count int

// UnmarshalTOML reads a whole number.
func (c *Count) UnmarshalTOML(raw []byte) error {
	n, err := strconv.ParseInt(string(raw), 0, 64)
	switch {
	case err != nil || n <= 0:
		return wrong(raw, "a number above 0")
	case n > mostNumber:
		return wrong(raw, fmt.Sprintf("a number up to %d", mostNumber))
	}
	*c = Count(n)
	return nil
}

const mostNumber = 1 << 30

// wrong returns the error of a value. raw are the bytes of the value in the document,
// or a copy of the lines of a table.
func wrong(raw []byte, want string) error {
	if len(raw) == 0 || raw[len(raw)-1] == '\n' {
		return fmt.Errorf("a table: want %s", want)
	}
	return unstable.NewParserError(raw, "%s: want %s", bytes.Join(bytes.Fields(raw), []byte{' '}), want)
}

// wanted says what a file must have for a type.
var wanted = map[string]string{
	"string": "a text", "llm.Kind": "a text", "int": "a whole number", "int64": "a whole number", "bool": "true or false", "float64": "a number",
	"config.Share": `a share such as 0.4 or "40%"`, "[]string": "a list of texts", "[]float64": "a list of numbers", "map[string]float64": "a table of numbers",
	"[]config.LLM": "tables [llm.NAME]", "[]config.Price": `tables [prices."MODEL"]`, "[]tokens.Model": "tables [[models]]",
}

// tableTypes are the types of tables by the name of their section.
var tableTypes = map[string]reflect.Type{"llm": reflect.TypeFor[LLM](), "prices": reflect.TypeFor[Price](), "models": reflect.TypeFor[model]()}

// decode reads a document into v, which has a field for each of its keys.
func decode(text []byte, v any) error {
	return toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().EnableUnmarshalerInterface().Decode(v)
}

// blame returns an error of a section in plain words, with its line. want is what the
// section must have, and set reads another text in its place.
func (s *section) blame(err error, want string, set func([]byte) error) (line int, plain error) {
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		row, _ := unknown.Errors[0].Position()
		key := unknown.Errors[0].Key()
		all, hint := names(tableTypes[s.key]), ""
		if s.key == "llm" {
			hint = "; a key belongs in the variable that key-env names"
		}
		return s.line + row - 1, fmt.Errorf("unknown key %.60s in %s: want %s%s", key[len(key)-1], strings.TrimPrefix(want, "tables "), strings.Join(all, ", "), hint)
	case errors.As(err, &bad):
		row, column := bad.Position()
		return s.line + row - 1, s.mismatch(bad, want, row, column)
	}
	return s.line + s.row(err.Error(), set), err
}

// maxBlamed bounds the bytes that are read in search of the line of one mistake.
const maxBlamed = 1 << 19

// row returns the row of a mistake that the decoder does not see. It is the last one
// without which the rows before it do not have the same mistake: a heading, a part of
// a list, or a name in the error.
func (s *section) row(text string, set func([]byte) error) int {
	rows := bytes.SplitAfter(s.text, []byte{'\n'})
	for i, left := len(rows)-1, maxBlamed; i > 0 && left > 0; i-- {
		row := string(bytes.TrimSpace(rows[i]))
		name, _, member := strings.Cut(row, "=")
		name = strings.Trim(name[strings.LastIndexByte(name, '.')+1:], " \t\"'")
		if row == "" || row[0] == '#' || member && !strings.Contains(text, name) {
			continue
		}

		before := bytes.Join(rows[:i], nil)
		left -= len(before)
		for _, end := range []string{"", "]"} {
			err := set(append(before, end...))
			var torn *toml.DecodeError
			if !errors.As(err, &torn) && (err == nil || err.Error() != text) {
				return i
			}
		}
	}
	return 0
}

// scalar matches a value that is not a list or a table.
var scalar = lazy.Regexp(`^("(\\.|[^"\\])*"|'[^']*'|[^,\]}\s#]*)`)

// mismatch returns the error of a value that has the wrong type.
func (s *section) mismatch(e *toml.DecodeError, want string, row, column int) error {
	message := strings.TrimPrefix(e.Error(), "toml: ")
	key := e.Key()
	value := "a table"
	if !strings.Contains(message, "table ") {
		value = string(scalar().Find(bytes.Split(s.text, []byte{'\n'})[row-1][column-1:]))
	}
	if strings.Contains(message, " array ") {
		value = "a list"
	}
	what := wanted[message[strings.LastIndexByte(message, ' ')+1:]]
	switch {
	case !strings.HasPrefix(message, "cannot "): // in words of its own
	case what == "" && tableTypes[s.key] != nil:
		message = "want " + want // without the value, which may be a key of a server
	case what == "" || len(key) == 1 && strings.HasPrefix(value, "a "):
		message = value + ": want " + want
	default:
		message = value + ": want " + what
	}
	if len(key) > 1 {
		return fmt.Errorf("%.60s: %s", key[len(key)-1], message)
	}
	return errors.New(message)
}

// names returns the keys of a table.
func names(t reflect.Type) (all []string) {
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("toml"); name != "-" {
			all = append(all, name)
		}
	}
	return all
}
