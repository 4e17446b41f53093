package kerneltest

import (
	"context"
	"sync/atomic"
)

// EndsAfter is a context that has ended once its Err was called so many times: where a launch is interrupted does then
// not depend on how busy the host is. Its Done channel is never closed.
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
