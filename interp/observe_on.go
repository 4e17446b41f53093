//go:build !noobservers

package interp

// list is the observers of one kind of event. With the build tag noobservers it is
// always empty, so that .ci/steps/41-observers can measure the cost of the tests for observers
// in runs without any.
type list[T any] []T

// add adds o to the observers of one kind of event if it is one.
func add[T any](to *list[T], o Observer) bool {
	t, ok := o.(T)
	if ok {
		*to = append(*to, t)
	}
	return ok
}
