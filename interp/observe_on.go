//go:build !noobservers

package interp

// list is those who observe one kind of event. The build tag noobservers makes
// all of them empty for good, so that .ci/observers can tell what looking for
// observers costs where there are none.
type list[T any] []T

// add adds o to those who observe one kind of event, if it does.
func add[T any](to *list[T], o Observer) bool {
	t, ok := o.(T)
	if ok {
		*to = append(*to, t)
	}
	return ok
}

// watches reports whether accesses to memory are observed, or are to be part of an
// Effect.
func (e *Engine) watches() bool { return e.watched }
