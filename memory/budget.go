package memory

import (
	"fmt"
	"strconv"
)

// DefaultBudget is how many bytes of the host's memory a run may take by default.
const DefaultBudget = 16 << 30

// Budget counts the host's memory that a run takes. Everything with a size that a program, a header or a file
// determines is counted here before it is allocated. A Budget is for one goroutine.
type Budget struct {
	limit, taken int64 // bytes
}

// NewBudget returns a budget of limit bytes, with none taken; 0 means DefaultBudget.
func NewBudget(limit int64) *Budget {
	if limit == 0 {
		limit = DefaultBudget
	}
	return &Budget{limit: limit}
}

// Limit returns the size of the budget in bytes.
func (b *Budget) Limit() int64 { return b.limit }

// Taken returns how many bytes are taken.
func (b *Budget) Taken() int64 { return b.taken }

// Left returns how many bytes can still be taken.
func (b *Budget) Left() int64 { return b.limit - b.taken }

// Take counts n bytes for a purpose, or returns a *BudgetError if fewer are left.
func (b *Budget) Take(what string, n int64) error {
	if n < 0 || n > b.Left() {
		return &BudgetError{What: what, Bytes: n, Left: b.Left(), Limit: b.limit}
	}
	b.taken += n
	return nil
}

// Give returns n bytes to the budget.
func (b *Budget) Give(n int64) { b.taken -= n }

// BudgetError says that a run would take more of the host's memory than it may.
type BudgetError struct {
	What               string // what the memory is for
	Bytes, Left, Limit int64
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("%s needs %d bytes of host memory, but only %d of --memory %s are left [host-memory]", e.What, e.Bytes, e.Left, sizeText(e.Limit))
}

// sizeText returns a number of bytes as --memory takes it.
func sizeText(n int64) string {
	for i, unit := range []string{"G", "M", "K"} {
		if size := int64(1) << (30 - 10*i); n >= size && n%size == 0 {
			return strconv.FormatInt(n/size, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}
