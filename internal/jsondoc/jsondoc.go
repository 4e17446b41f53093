// Package jsondoc reads the descriptions of JSON objects in docs/json.md, for tests of the packages that print them.
package jsondoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Schema is the type of each path of an object, as in "launches[].kernel", in the
// words of the page.
type Schema map[string]string

// missing marks keys that an object need not have.
const missing = ", may be missing"

// Read reads the page's tables: a schema for each object.
func Read(t testing.TB, path string) map[string]Schema {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile("^## .*`(simtrun\\.[a-z]+/v\\d+)`")
	row := regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\|")
	schemas := make(map[string]Schema)
	name := ""
	for line := range strings.Lines(string(page)) {
		if m := heading.FindStringSubmatch(line); m != nil {
			name = m[1]
			schemas[name] = make(Schema)
		}
		if m := row.FindStringSubmatch(line); m != nil && name != "" {
			if _, twice := schemas[name][m[1]]; twice {
				t.Errorf("%s: %s is documented twice", name, m[1])
			}
			schemas[name][m[1]] = strings.TrimSpace(m[2])
		}
	}
	return schemas
}

// Of is the schema of the object of a Go type. Types that write their JSON
// themselves are named in own.
func Of(typ reflect.Type, own map[reflect.Type]string) Schema {
	names := maps.Clone(own)
	if names == nil {
		names = make(map[reflect.Type]string)
	}
	names[reflect.TypeFor[*big.Int]()] = "integer"
	names[reflect.TypeFor[json.RawMessage]()] = "number or string"
	s := make(Schema)
	(&walker{s, names}).value("", typ)
	for path, text := range s { // elements that are plain stand in the row of their array
		if array, ok := strings.CutSuffix(path, "[]"); ok && text != "object" {
			element, _, _ := strings.Cut(text, ",")
			s[array] = strings.Replace(s[array], "array", "array of "+element+"s", 1)
		}
	}
	maps.DeleteFunc(s, func(path, _ string) bool { return strings.HasSuffix(path, "[]") })
	return s
}

// walker notes the types of a Go type's paths.
type walker struct {
	into  Schema
	names map[reflect.Type]string
}

func (w *walker) value(path string, typ reflect.Type) {
	if name, ok := w.names[typ]; ok {
		w.into[path] = name
		return
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.String:
		w.into[path] = "string"
	case reflect.Bool:
		w.into[path] = "boolean"
	case reflect.Float64:
		w.into[path] = "number"
	case reflect.Slice, reflect.Array:
		w.into[path] = "array"
		w.value(path+"[]", typ.Elem())
	case reflect.Struct:
		if path != "" {
			w.into[path] = "object"
		}
		w.fields(path, typ)
	default:
		w.into[path] = "integer"
	}
}

func (w *walker) fields(path string, typ reflect.Type) {
	for f := range typ.Fields() {
		if f.Anonymous {
			w.embedded(path, f.Type)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		w.value(at, f.Type)
		if options == "omitempty" {
			w.into[at] += missing
		}
	}
}

// embedded notes the fields of an embedded type. If it is a pointer, all of them may be missing; the fields of a
// present one are present.
func (w *walker) embedded(path string, typ reflect.Type) {
	if typ.Kind() != reflect.Pointer {
		w.fields(path, typ)
		return
	}
	optional := &walker{make(Schema), w.names}
	optional.fields(path, typ.Elem())
	for at, text := range optional.into {
		if inside := strings.TrimPrefix(at, path+"."); !strings.ContainsAny(inside, ".[") {
			text = strings.TrimSuffix(text, missing) + missing
		}
		w.into[at] = text
	}
}

// Validate compares an object that was printed with the schema.
func (s Schema) Validate(object map[string]any) error { return s.object("", object) }

// value compares a value with the documentation of its path.
func (s Schema) value(path string, v any) error {
	kind, _, _ := strings.Cut(s[path], ",")
	ok := false
	switch v := v.(type) {
	case map[string]any:
		if kind != "object of numbers or null" {
			ok = kind == "object" || strings.HasSuffix(path, "[]")
			if ok {
				return s.object(path, v)
			}
			break
		}
		ok = true
		for _, n := range v {
			_, number := n.(float64)
			ok = ok && (number || n == nil)
		}
	case []any:
		if ok = strings.HasPrefix(kind, "array"); ok {
			return s.array(path, kind, v)
		}
	case string:
		ok = strings.Contains(kind, "string")
	case bool:
		ok = kind == "boolean"
	case float64:
		ok = kind == "number" || kind == "number or string" || kind == "integer" && v == float64(int64(v))
	}
	if !ok {
		return fmt.Errorf("%s is %v; it is documented as %q", path, v, s[path])
	}
	return nil
}

func (s Schema) array(path, kind string, elements []any) error {
	of, plain := strings.CutPrefix(kind, "array of ")
	if plain {
		s = Schema{path: strings.TrimSuffix(of, "s")}
	} else {
		path += "[]"
	}
	for _, e := range elements {
		if err := s.value(path, e); err != nil {
			return err
		}
	}
	return nil
}

func (s Schema) object(path string, v map[string]any) error {
	prefix := ""
	if path != "" {
		prefix = path + "."
	}
	for key := range v {
		if _, ok := s[prefix+key]; !ok {
			return fmt.Errorf("%s is not documented", prefix+key)
		}
		if err := s.value(prefix+key, v[key]); err != nil {
			return err
		}
	}
	for at, text := range s {
		key, ok := strings.CutPrefix(at, prefix)
		if ok && !strings.ContainsAny(key, ".[") && !strings.HasSuffix(text, missing) {
			if _, ok := v[key]; !ok {
				return fmt.Errorf("%s is missing", at)
			}
		}
	}
	return nil
}
