package golden

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/jsondoc"
)

// TestJSONIsDocumented checks that docs/json.md has exactly the keys of the object of a case, with their types.
func TestJSONIsDocumented(t *testing.T) {
	documented := jsondoc.Read(t, "../../docs/json.md")["simtrun.test/v1"]
	if diff := cmp.Diff(jsondoc.Of(reflect.TypeFor[caseJSON](), nil), documented); diff != "" {
		t.Errorf("(-written +documented):\n%s", diff)
	}
}
