package kerneltest

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// Diff is cmp.Diff for values that are large and mostly equal, for which cmp.Diff is slow.
func Diff(want, got any, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}
