package schema

import (
	"encoding/json"
	"reflect"
	"strings"
)

// WithLists returns v, or a pointer to a copy of it, in which lists are empty that are
// nil, so that JSON has [] of them and never null: what a schema says is a list is one.
func WithLists(v any) any {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer {
		p = reflect.New(p.Type())
		p.Elem().Set(reflect.ValueOf(v))
	}
	fillLists(p)
	return p.Interface()
}

func fillLists(v reflect.Value) {
	if v.Type().Implements(marshalsJSON) || v.Type() == reflect.TypeFor[json.RawMessage]() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Slice:
		if v.CanSet() { // a list of its own: the caller's stays as it is
			v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		}
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Map: // its values cannot be set in place
		if v.IsNil() || !v.CanSet() {
			return
		}
		filled := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(value)
			fillLists(p)
			filled.SetMapIndex(key, p.Elem())
		}
		v.Set(filled)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag := f.Tag.Get("json")
			if tag == "-" || strings.Contains(tag, ",omit") && v.Field(i).IsZero() || !f.IsExported() && !f.Anonymous {
				continue
			}
			fillLists(v.Field(i))
		}
	}
}
