package sweep

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/jsondoc"
)

// TestJSONIsDocumented compares docs/json.md with what is written.
func TestJSONIsDocumented(t *testing.T) {
	documented := jsondoc.Read(t, "../../docs/json.md")
	for name, typ := range map[string]reflect.Type{"simtrun.sweep/v1": reflect.TypeFor[tableJSON](), matrixSchema: reflect.TypeFor[matrixJSON](), pointSchema: reflect.TypeFor[pointJSON]()} {
		if diff := cmp.Diff(jsondoc.Of(typ, nil), documented[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
