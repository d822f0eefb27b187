package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/satchel-dev/satchel/internal/front/schema"
)

type inner struct {
	List []string `json:"list"`
}

type document struct {
	Version int `json:"version"`
	inner
	Deep  []inner   `json:"deep"`
	Left  []string  `json:"left,omitempty"`
	Maybe *inner    `json:"maybe"`
	Some  *inner    `json:"some,omitempty"`
	Color colour    `json:"color"`
	Other *colour   `json:"other"`
	Times []float64 `json:"times,omitempty"`
	Taken time.Time `json:"taken,omitzero"`
}

type colour string

var keys = schema.Keys{
	"schema_test.document": {"version": "which form it has", "deep": "what is below", "nothing": "no field is this"},
	"schema_test.inner":    {"list": "one name each"},
}

var types = schema.Types{reflect.TypeFor[colour](): schema.Enum(colour("red"), colour("blue"))}

func TestSchema(t *testing.T) {
	d := schema.Document{Name: "made-up", Version: 3, What: "What is made up", Writers: []string{"made up", "make --up"}, Type: reflect.TypeFor[document]()}
	text, err := d.JSON(types, keys)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for name, want := range map[string]string{
		"version": `{"type":"integer","description":"which form it has","const":3}`,
		"list":    `{"type":"array","items":{"type":"string"},"description":"one name each"}`,
		"deep":    `{"type":"array","items":{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"},"description":"one name each"}},"required":["list"]},"description":"what is below"}`,
		"maybe":   `{"type":["null","object"],"properties":{"list":{"type":"array","items":{"type":"string"},"description":"one name each"}},"required":["list"]}`,
		"some":    `{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"},"description":"one name each"}},"required":["list"]}`,
		"color":   `{"type":"string","enum":["red","blue"]}`,
		"taken":   `{"type":"string","format":"date-time"}`,
		"other":   `{"type":["null","string"],"enum":["red","blue",null]}`,
	} {
		got, err := json.Marshal(s.Properties[name])
		if err != nil || string(got) != want {
			t.Errorf("%s is %s (%v), want %s", name, got, err, want)
		}
	}
	if diff := cmp.Diff(s.Required, []string{"version", "list", "deep", "maybe", "color", "other"}); diff != "" {
		t.Errorf("required (-got +want):\n%s", diff)
	}
	if s.AdditionalProperties != nil || s.ID != "https://raw.githubusercontent.com/satchel-dev/satchel/main/docs/schema/made-up.v3.json" || !strings.HasPrefix(string(text), "{\n  \"$schema\": ") {
		t.Errorf("id %s, further keys %v:\n%s", s.ID, s.AdditionalProperties, text)
	}
}

// TestUnwritable: what the library would describe wrongly is refused.
func TestUnwritable(t *testing.T) {
	for _, tt := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[struct {
			Version int             `json:"version"`
			Raw     json.RawMessage `json:"raw"`
		}](), "schema of x: Raw: json.RawMessage writes itself, and nothing says what"},
		{reflect.TypeFor[struct {
			Version int `json:"version"`
			Any     any `json:"any"`
		}](), "schema of x: Any: interface {} may be anything"},
		{reflect.TypeFor[struct {
			Version int    `json:"version"`
			Bytes   []byte `json:"bytes"`
		}](), "schema of x: Bytes: []uint8 is bytes"},
		{reflect.TypeFor[struct {
			Version int `json:"version"`
			Bytes   int `json:"bytes,omitempty,string"`
		}](), "schema of x: struct { Version int \"json:\\\"version\\\"\"; Bytes int \"json:\\\"bytes,omitempty,string\\\"\" }.Bytes is written as a string, which the schema would not say"},
		{reflect.TypeFor[inner](), "schema of x: schema_test.inner has no version"},
	} {
		d := schema.Document{Name: "x", Version: 1, Type: tt.of}
		if _, err := d.Schema(nil, nil); err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %q", tt.of, err, tt.want)
		}
	}
}

func TestWithLists(t *testing.T) {
	got, err := json.Marshal(schema.WithLists(document{Deep: []inner{{}}, Some: new(inner)}))
	want := `{"version":0,"list":[],"deep":[{"list":[]}],"maybe":null,"some":{"list":[]},"color":"","other":null}`
	if err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
}

// TestWithListsBelowMaps: lists below maps are filled, too, and nothing of the caller's
// is changed.
func TestWithListsBelowMaps(t *testing.T) {
	type list struct {
		List []string `json:"list"`
	}
	in := struct {
		M map[string]list `json:"m"`
		S []list          `json:"s"`
	}{map[string]list{"a": {}}, []list{{}}}
	got, err := json.Marshal(schema.WithLists(in))
	if want := `{"m":{"a":{"list":[]}},"s":[{"list":[]}]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if in.M["a"].List != nil || in.S[0].List != nil {
		t.Error("the caller's lists were filled")
	}
}

// TestKeys: what is written is read again, and a struct without a name is called by the
// field that holds it.
func TestKeys(t *testing.T) {
	if diff := cmp.Diff(schema.ParseKeys(keys.String()), keys); diff != "" {
		t.Errorf("read again (-got +want):\n%s", diff)
	}
	type unnamed struct {
		List []struct {
			Word string `json:"word"`
		} `json:"list"`
		Left int `json:"-"`
	}
	var got []string
	schema.Fields(reflect.TypeFor[map[string]*unnamed](), nil, func(f schema.Field) { got = append(got, f.Of+" "+f.Key) })
	if diff := cmp.Diff(got, []string{"schema_test.unnamed list", "schema_test.unnamed.list word"}); diff != "" {
		t.Errorf("fields (-got +want):\n%s", diff)
	}
}
