package report

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

const schemaFile = "docs/report.schema.json"

// schemaOf returns the JSON schema of a Document, with the Go comments as descriptions. A strict schema forbids other
// keys.
func schemaOf(t *testing.T, strict bool) []byte {
	t.Helper()
	t.Chdir("../..")
	r := &jsonschema.Reflector{AllowAdditionalProperties: !strict, Mapper: mapped}
	for _, folder := range []string{"internal/report", "internal/profile"} {
		if err := r.AddGoComments("github.com/simtrun/simtrun", folder); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Reflect(&Document{})
	s.ID = "https://github.com/simtrun/simtrun/docs/report.schema.json"
	s.Title = documentSchema
	for _, typ := range []reflect.Type{reflect.TypeFor[Finding](), reflect.TypeFor[Other]()} {
		def := s.Definitions[typ.Name()]
		def.Required = slices.DeleteFunc(def.Required, func(key string) bool { return slices.Contains(mayBeMissing(typ), key) })
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// mayBeMissing returns the keys that a type has from structs embedded as pointers.
func mayBeMissing(typ reflect.Type) (keys []string) {
	for f := range typ.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			for inner := range f.Type.Elem().Fields() {
				key, _, _ := strings.Cut(inner.Tag.Get("json"), ",")
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// mapped returns the schema of types with their own JSON encoding.
func mapped(typ reflect.Type) *jsonschema.Schema {
	named := func(names []string, value *jsonschema.Schema, all bool) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		for _, name := range names {
			s.Properties.Set(name, value)
		}
		if all {
			s.Required = names
		}
		return s
	}
	cycles := &jsonschema.Schema{Type: "integer", Minimum: "0"}
	switch typ {
	case reflect.TypeFor[States](), reflect.TypeFor[Stalls]():
		var names []string
		for state := range sm.NumStates {
			names = append(names, state.String())
		}
		return named(names, cycles, typ == reflect.TypeFor[States]())
	case reflect.TypeFor[Limits]():
		var names []string
		for r := range gpu.NumResources {
			names = append(names, r.String())
		}
		return named(names, &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer"}, {Type: "null"}}}, true)
	case reflect.TypeFor[*big.Int](), reflect.TypeFor[big.Int]():
		return cycles
	case reflect.TypeFor[isa.Kind]():
		return &jsonschema.Schema{Type: "string", Enum: []any{isa.Load.String(), isa.Store.String(), isa.Atomic.String()}}
	case reflect.TypeFor[isa.Space]():
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// TestSchemaIsPublished checks that docs/report.schema.json matches the types. -update writes it.
func TestSchemaIsPublished(t *testing.T) {
	text := schemaOf(t, false)
	if *update {
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(published)); diff != "" {
		t.Errorf("(-types +published):\n%s", diff)
	}
}

// TestDocumentsHaveTheSchema checks that reports have only keys of the schema, and are unchanged after encoding and
// decoding.
func TestDocumentsHaveTheSchema(t *testing.T) {
	documents := map[string]*Document{
		"timed":      NewDocument(withTime(mixed(t)), nil, 0),
		"functional": NewDocument(mixed(t), nil, 0),
		"no run":     NewDocument(&Run{}, nil, 2),
	}
	schema, err := validator.UnmarshalJSON(bytes.NewReader(schemaOf(t, true)))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range documents {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		object, err := validator.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(object); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		back, err := ReadDocument(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, back, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}
