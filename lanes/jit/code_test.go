package jit

import (
	"errors"
	"testing"
)

func TestNewCodeOfNothing(t *testing.T) {
	if c, err := NewCode(nil); err == nil || c != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestNewCodeRefused is for systems on which there is no executable memory.
func TestNewCodeRefused(t *testing.T) {
	c, err := NewCode([]byte{0xC3})
	if err == nil {
		c.Close()
		t.Skip("this system gives executable memory")
	}
	if !errors.Is(err, ErrNoMemory) {
		t.Errorf("got %v, want ErrNoMemory", err)
	}
	if got := Best(); got != None {
		t.Errorf("Best is %v", got)
	}
}

func TestAddr(t *testing.T) {
	c, err := NewCode(make([]byte, 5000))
	if err != nil {
		t.Skip(err)
	}
	if got := c.Addr(4999) - c.Addr(0); got != 4999 {
		t.Errorf("byte 4999 is %d bytes from the first", got)
	}
	if c.Addr(0)%4096 != 0 {
		t.Errorf("code begins at %#x, which is no page", c.Addr(0))
	}
	mustPanic(t, "an offset past the code", func() { c.Addr(5000) })
	mustPanic(t, "a negative offset", func() { c.Addr(-1) })
	c.Close()
	c.Close()
	mustPanic(t, "closed code", func() { c.Addr(0) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}
