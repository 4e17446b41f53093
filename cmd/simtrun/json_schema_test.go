package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/report"
)

// documented is the tables of docs/json.md: for each object's schema, the type of
// each path, as in "launches[].kernel".
func documented(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile("^## .*`(simtrun\\.[a-z]+/v\\d+)`")
	row := regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\|")
	schemas := make(map[string]map[string]string)
	schema := ""
	for line := range strings.Lines(string(page)) {
		if m := heading.FindStringSubmatch(line); m != nil {
			schema = m[1]
			schemas[schema] = make(map[string]string)
		}
		if m := row.FindStringSubmatch(line); m != nil && schema != "" {
			if _, twice := schemas[schema][m[1]]; twice {
				t.Errorf("%s: %s is documented twice", schema, m[1])
			}
			schemas[schema][m[1]] = strings.TrimSpace(m[2])
		}
	}
	return schemas
}

// missing marks keys that an object need not have.
const missing = ", may be missing"

// typeNames are the types of a Go type's paths, in the words of docs/json.md.
func typeNames(into map[string]string, path string, typ reflect.Type) {
	switch {
	case typ == reflect.TypeFor[report.Metrics]():
		into[path] = "object of numbers or null"
		return
	case typ == reflect.TypeFor[*big.Int]():
		into[path] = "integer"
		return
	case typ == reflect.TypeFor[json.RawMessage]():
		into[path] = "number or string"
		return
	case typ.Kind() == reflect.Pointer:
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.String:
		into[path] = "string"
	case reflect.Bool:
		into[path] = "boolean"
	case reflect.Float64:
		into[path] = "number"
	case reflect.Slice, reflect.Array:
		into[path] = "array"
		typeNames(into, path+"[]", typ.Elem())
	case reflect.Struct:
		if path != "" {
			into[path] = "object"
		}
		fieldNames(into, path, typ)
	default:
		into[path] = "integer"
	}
}

func fieldNames(into map[string]string, path string, typ reflect.Type) {
	for f := range typ.Fields() {
		if f.Anonymous {
			if f.Type.Kind() != reflect.Pointer {
				fieldNames(into, path, f.Type)
				continue
			}
			optional := make(map[string]string)
			fieldNames(optional, path, f.Type.Elem())
			for at, text := range optional {
				into[at] = strings.TrimSuffix(text, missing) + missing
			}
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
		typeNames(into, at, f.Type)
		if options == "omitempty" {
			into[at] += missing
		}
	}
}

// TestJSONIsDocumented holds that docs/json.md has every key of the objects that
// the command prints, with its type, and no other.
func TestJSONIsDocumented(t *testing.T) {
	schemas := documented(t)
	for schema, typ := range map[string]reflect.Type{
		"simtrun.run/v1":  reflect.TypeFor[runReport](),
		"simtrun.test/v1": reflect.TypeFor[caseReport](),
	} {
		want := make(map[string]string)
		typeNames(want, "", typ)
		for path, text := range want { // elements that are plain stand in the row of their array
			if array, ok := strings.CutSuffix(path, "[]"); ok && text != "object" {
				element, _, _ := strings.Cut(text, ",")
				want[array] = strings.Replace(want[array], "array", "array of "+element+"s", 1)
			}
		}
		maps.DeleteFunc(want, func(path, _ string) bool { return strings.HasSuffix(path, "[]") })
		if diff := cmp.Diff(want, schemas[schema]); diff != "" {
			t.Errorf("%s (-printed +documented):\n%s", schema, diff)
		}
	}
}

// validate compares a value that was printed with what is documented.
func validate(schema map[string]string, path string, v any) error {
	text := schema[path]
	kind, _, _ := strings.Cut(text, ",")
	bad := func() error { return fmt.Errorf("%s is %v; it is documented as %q", path, v, text) }
	switch v := v.(type) {
	case map[string]any:
		if kind == "object of numbers or null" {
			for _, n := range v {
				if _, ok := n.(float64); !ok && n != nil {
					return bad()
				}
			}
			return nil
		}
		if path != "" && kind != "object" && !strings.HasSuffix(path, "[]") {
			return bad()
		}
		return validateObject(schema, path, v)
	case []any:
		if !strings.HasPrefix(kind, "array") {
			return bad()
		}
		of, plain := strings.CutPrefix(kind, "array of ")
		for _, e := range v {
			if !plain {
				if err := validate(schema, path+"[]", e); err != nil {
					return err
				}
				continue
			}
			if err := validate(map[string]string{path: strings.TrimSuffix(of, "s")}, path, e); err != nil {
				return err
			}
		}
		return nil
	case string:
		if !strings.Contains(kind, "string") {
			return bad()
		}
	case bool:
		if kind != "boolean" {
			return bad()
		}
	case float64:
		if kind != "number" && kind != "number or string" && (kind != "integer" || v != float64(int64(v))) {
			return bad()
		}
	case nil:
		return bad()
	}
	return nil
}

func validateObject(schema map[string]string, path string, v map[string]any) error {
	prefix := ""
	if path != "" {
		prefix = path + "."
	}
	for key := range v {
		if _, ok := schema[prefix+key]; !ok {
			return fmt.Errorf("%s is not documented", prefix+key)
		}
		if err := validate(schema, prefix+key, v[key]); err != nil {
			return err
		}
	}
	for at, text := range schema {
		key, ok := strings.CutPrefix(at, prefix)
		if ok && !strings.ContainsAny(key, ".[") && !strings.HasSuffix(text, missing) {
			if _, ok := v[key]; !ok {
				return fmt.Errorf("%s is missing", at)
			}
		}
	}
	return nil
}

// TestJSONIsValid validates what the command prints, of runs that end in all ways.
func TestJSONIsValid(t *testing.T) {
	schemas := documented(t)
	var runs [][]string
	for _, file := range []string{"vecadd", "if_else", "histogram_shared"} {
		runs = append(runs, []string{"run", "../../programs/" + file + ".s", "--json", "--host-time", "--check", "race"})
	}
	examples, err := os.ReadDir("../../docs/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		runs = append(runs, []string{"run", "../../docs/rules/" + e.Name(), "--json", "--check", "race", "--timeout", "50ms"})
	}
	runs = append(runs,
		[]string{"run", "../../programs/vecadd.s", "--json", "--arg", "n=1", "--expect", "c[0:4] == 9", "--expect", "metric warp_instructions == 1"},
		[]string{"run", "../../programs/vecadd.s", "--json", "--grid", "0"},
		[]string{"run", "no such file.s", "--json"},
		[]string{"run", "../../programs/vecadd.s", "--json", "--dump", "c:f32:3", "--dump", "c:u8"},
		[]string{"test", "../../docs/example", "--json"},
		[]string{"test", "../../docs/example/testdata/changed.txtar", "--json"},
	)
	for _, args := range runs {
		out := typed(t, args...).stdout
		if out == "" {
			t.Errorf("%v prints no object", args)
		}
		for line := range strings.Lines(out) {
			var object map[string]any
			if err := json.Unmarshal([]byte(line), &object); err != nil {
				t.Errorf("%v: %v in %s", args, err, line)
				continue
			}
			schema, _ := object["schema"].(string)
			if !slices.Contains(slices.Collect(maps.Keys(schemas)), schema) {
				t.Errorf("%v: schema %q is not documented", args, schema)
				continue
			}
			if err := validate(schemas[schema], "", object); err != nil {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
}
