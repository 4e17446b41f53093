package jit

import (
	"errors"
	"testing"
)

func TestNewCodeRefusesNothing(t *testing.T) {
	if c, err := NewCode(nil, 0); err == nil || c != nil {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestNewCodeRefused is for systems without executable memory.
func TestNewCodeRefused(t *testing.T) {
	c, err := NewCode([]byte{0xC3}, 0)
	if err == nil {
		c.Close()
		t.Skip("this system gives executable memory")
	}
	if !errors.Is(err, errNoMemory) {
		t.Errorf("got %v, want ErrNoMemory", err)
	}
	if got := Best(); got != None {
		t.Errorf("Best is %v", got)
	}
}

func TestAddrRefusesOffsetsOutsideCode(t *testing.T) {
	c, err := NewCode(make([]byte, 5000), 0)
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

// TestAppendKeepsEarlierCode: appended code is at Next, and earlier code stays in place.
func TestAppendKeepsEarlierCode(t *testing.T) {
	first, err := NewCode(make([]byte, 5000), 9000)
	if err != nil {
		t.Skip(err)
	}
	defer first.Close()
	at, next := first.Addr(0), first.Next()
	if next%4096 != 0 || next < 5000 {
		t.Errorf("code is appended at %d", next)
	}
	both, err := first.Append(make([]byte, 6000))
	if err != nil {
		t.Fatal(err)
	}
	if first.Addr(0) != at || both.Addr(0) != at || both.Addr(next+5999)-at != uintptr(next+5999) {
		t.Errorf("code was at %#x, and is at %#x and %#x", at, first.Addr(0), both.Addr(0))
	}
	mustPanic(t, "an offset past the code before the other", func() { first.Addr(next) })
	mustPanic(t, "an offset past the code", func() { both.Addr(next + 6000) })
	if _, err := both.Append(make([]byte, 1<<16)); err == nil {
		t.Error("there is room for everything")
	}
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
