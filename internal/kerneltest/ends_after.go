package kerneltest

import (
	"context"
	"sync/atomic"
)

// EndsAfter returns a context that ends once its Err was called asks times, so that the place at which a launch is
// interrupted does not depend on the host's load. Its Done channel is never closed.
func EndsAfter(asks int) context.Context {
	c := &asked{Context: context.Background()}
	c.left.Store(int64(asks))
	return c
}

type asked struct {
	context.Context
	left atomic.Int64
}

func (c *asked) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
