package kerneltest

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
)

// Diff is cmp.Diff, which takes long, for what is large and mostly equal.
func Diff(want, got any, opts ...cmp.Option) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, opts...)
}
