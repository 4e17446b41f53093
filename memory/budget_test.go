package memory

import (
	"errors"
	"strings"
	"testing"
)

func TestBudgetRefusesExcess(t *testing.T) {
	b := NewBudget(100)
	if err := b.Take("a", 60); err != nil {
		t.Fatal(err)
	}
	err := b.Take("b", 41)
	var over *BudgetError
	if !errors.As(err, &over) || over.Left != 40 || b.Taken() != 60 {
		t.Fatalf("%v, %d taken; 41 bytes do not fit in 40, and nothing is taken", err, b.Taken())
	}
	for _, say := range []string{"b needs", "--memory", "[host-memory]"} {
		if !strings.Contains(err.Error(), say) {
			t.Errorf("%q does not say %s", err, say)
		}
	}
	b.Give(20)
	if err := b.Take("b", 60); err != nil || b.Left() != 0 {
		t.Errorf("%v, %d left; the budget takes what fits exactly", err, b.Left())
	}
	if got := NewBudget(0).Limit(); got != 16<<30 {
		t.Errorf("%d bytes by default", got)
	}
}

// TestEmptyRegionsCountTowardsBudget: every region counts with the memory that it needs in addition to its bytes, so
// that not even empty ones can be made without end.
func TestEmptyRegionsCountTowardsBudget(t *testing.T) {
	b := NewBudget(1 << 20)
	g := NewGlobal(64, b)
	r, err := g.Alloc("r", 1, 1000)
	if err != nil || b.Taken() < 1000 {
		t.Fatalf("%v, %d taken for 1000 bytes", err, b.Taken())
	}
	g.Free(r)
	if b.Taken() != 0 {
		t.Errorf("%d bytes are still taken after Free", b.Taken())
	}
	for i := 0; ; i++ {
		if _, err := g.Alloc("empty", 1, 0); err != nil {
			break
		}
		if i > 1<<16 {
			t.Fatal("65536 empty regions fit in 1 MiB")
		}
	}
	if _, err := NewGlobal(64, b).Alloc("x", 1, 1<<62); err == nil {
		t.Error("2^62 bytes were given out")
	}
}
