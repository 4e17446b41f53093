package interp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/warp"
)

// An instruction of tcgen05 may take effect at any time until it was waited for (PTX ISA, memory consistency model
// for tcgen05). Here it takes effect at once, in the order in which the threads of a CTA execute.

// tensorMemory is the tensor memory of a CTA. On a GPU the CTAs of an SM share it; here each has one of its own.
type tensorMemory struct {
	cells        lanes.TensorMemory
	taken        []columns // in ascending order
	relinquished bool      // no more may be allocated
	latest       uint32    // columns of the latest allocation; 0 before the first
	waiting      []tensorWait
}

// tensorBytes is the host memory for the tensor memory of a CTA.
const tensorBytes = int64(unsafe.Sizeof(tensorMemory{}))

// columns are n adjacent columns of tensor memory.
type columns struct{ first, n uint32 }

func (c columns) end() uint32 { return c.first + c.n }

func (c columns) compare(other columns) int { return int(c.first) - int(other.first) }

// tensorWait is a warp that waits for n columns: with .cta_group::2, until a warp of the other CTA of the pair waits,
// too.
type tensorWait struct {
	arrival
	n uint32
}

const (
	fewestColumns = 32
	mostColumns   = lanes.TensorColumns
)

// free returns the first of n adjacent columns that are not among those taken, which are in ascending order; false if
// there are none.
func free(taken []columns, n uint32) (first uint32, ok bool) {
	for _, c := range taken {
		if first+n <= c.first {
			return first, true
		}
		first = max(first, c.end())
	}
	return first, first+n <= mostColumns
}

// take allocates columns that are free.
func (t *tensorMemory) take(c columns) {
	i, _ := slices.BinarySearchFunc(t.taken, c, columns.compare)
	t.taken = sorted.Insert(t.taken, i, c)
}

// holds reports whether all columns of c are allocated.
func (t *tensorMemory) holds(c columns) bool {
	at := c.first
	for _, one := range t.taken {
		if one.first <= at && at < one.end() {
			at = one.end()
		}
	}
	return at >= c.end()
}

// takenText lists the allocated columns.
func (t *tensorMemory) takenText() string {
	if t == nil || len(t.taken) == 0 {
		return "none are allocated"
	}
	var all []string
	for _, c := range t.taken {
		all = append(all, c.String())
	}
	return "allocated: " + strings.Join(all, ", ")
}

func (c columns) String() string { return fmt.Sprintf("%d to %d", c.first, c.end()-1) }

// copyTo copies t to *to.
func (t *tensorMemory) copyTo(to **tensorMemory) {
	if *to = nil; t != nil {
		c := *t
		c.taken, c.waiting = slices.Clone(t.taken), slices.Clone(t.waiting)
		*to = &c
	}
}

// tensorMemory executes the instruction of tcgen05 at pc for the lanes m of the path.
func (e *Engine) tensorMemory(pc int, m lanes.Mask) (Stop, error) {
	if !e.fn.Src.Code[pc].Spec.WholeWarp {
		for ; m != 0; m &= m - 1 {
			if err := e.tensorOfLane(pc, firstLane(m)); err != nil {
				return Changed, err
			}
		}
		return Executed, nil
	}
	return e.wholeWarpOrBarrier(pc, m)
}

// tensorTogether executes the instruction at pc for the whole warp, and reports whether the warp must wait for tensor
// memory.
func (e *Engine) tensorTogether(pc int) (waits bool, err error) {
	switch x := e.fn.Info[pc].Tensor; x.Op {
	case isa.TensorAlloc:
		return e.allocTensor(pc, x)
	case isa.TensorDealloc:
		return false, e.deallocTensor(pc, x)
	case isa.TensorRelinquish:
		e.tensor().relinquished = true
		e.hiddenChanges++
	case isa.TensorLoad, isa.TensorStore:
		return false, e.moveTensor(pc, x)
	}
	return false, nil
}

// tensor returns the tensor memory of the running CTA.
func (e *Engine) tensor() *tensorMemory { return e.cta.hasTensor() }

// hasTensor returns the tensor memory of the CTA, and creates it at the first call.
func (c *CTA) hasTensor() *tensorMemory {
	if c.tensor == nil {
		c.tensor = new(tensorMemory)
	}
	return c.tensor
}

// columnsAsked returns how many columns the warp allocates or frees at pc.
func (e *Engine) columnsAsked(pc int, x *program.Tensor) (uint32, error) {
	n, same := uniform(e.path.File, x.Columns, lanes.AllLanes)
	switch {
	case !same:
		return 0, e.fault(pc, lanes.AllLanes, violated(RuleTensorAlloc, "the lanes of the warp have different numbers of columns"))
	case n < fewestColumns || n > mostColumns || n&(n-1) != 0:
		return 0, e.fault(pc, lanes.AllLanes, violated(RuleTensorAlloc, "%d columns of tensor memory: allocate 32, 64, 128, 256 or 512", n))
	}
	return n, nil
}

// allocTensor allocates columns for the warp, and reports whether the warp must wait for them.
func (e *Engine) allocTensor(pc int, x *program.Tensor) (waits bool, err error) {
	t, c := e.tensor(), e.cta
	n, err := e.columnsAsked(pc, x)
	if err != nil {
		return false, err
	}
	if t.relinquished {
		return false, e.fault(pc, lanes.AllLanes, violated(RuleTensorAlloc, "the block has relinquished the right to take tensor memory"))
	}
	if err := e.locateTensorResult(pc, x); err != nil {
		return false, err
	}
	if t.latest != 0 && n > t.latest {
		e.warn(pc, lanes.AllLanes, RuleTensorAlloc, fmt.Sprintf("%d columns of tensor memory after %d: PTX allows no more than in the previous allocation", n, t.latest),
			func() []Involved { return []Involved{involved(Affects, e.where(lanes.AllLanes))} })
	}
	if x.Pair {
		return e.allocPair(pc, n)
	}
	if first, ok := free(t.taken, n); ok {
		e.giveTensor(pc, columns{first, n})
		return false, nil
	}
	t.waiting = append(t.waiting, tensorWait{e.arrival(pc, lanes.AllLanes), n})
	c.Waiting |= 1 << e.warp.ID
	return true, nil
}

// locateTensorResult finds the place in shared memory for the address of allocated columns, in e.acc.
func (e *Engine) locateTensorResult(pc int, x *program.Tensor) error {
	if _, err := e.locateShared(x.To, pc, 1, "place for an address of tensor memory"); err != nil {
		return err
	}
	if e.acc.Region != e.cta.Shared.Number {
		return e.fault(pc, 1, violated(RuleTensorAlloc, "the address of tensor memory must not go to the shared memory of another block"))
	}
	return nil
}

// giveTensor allocates columns for the running warp, and stores their address at the place in e.acc.
func (e *Engine) giveTensor(pc int, c columns) {
	t, k := e.tensor(), e.copyScratch()
	t.take(c)
	t.latest = c.n
	e.hiddenChanges++
	binary.LittleEndian.PutUint32(k.bytes[:], c.first)
	e.notifyMoving(isa.Store, pc, 1, false)
	copy(e.acc.Mem[e.acc.At(0):][:4], k.bytes[:4])
	e.notifyMoved(1)
}

// deallocTensor frees columns, which wakes warps that wait for them.
func (e *Engine) deallocTensor(pc int, x *program.Tensor) error {
	n, err := e.columnsAsked(pc, x)
	if err != nil {
		return err
	}
	at, err := e.tensorAddress(pc, x.At, lanes.AllLanes)
	if err != nil {
		return err
	}
	t := e.tensor()
	i := slices.Index(t.taken, columns{uint32(at), n})
	if i < 0 {
		return e.fault(pc, lanes.AllLanes, violated(RuleTensorAlloc, "no %d columns of tensor memory were allocated at 0x%x; %s", n, uint32(at), t.takenText()))
	}
	t.taken = slices.Delete(t.taken, i, i+1)
	e.hiddenChanges++
	if x.Pair {
		e.servePair()
	} else {
		e.serveTensor()
	}
	return nil
}

// serveTensor gives columns to warps of the CTA that wait for as many as are free now.
func (e *Engine) serveTensor() {
	c, t, w, split := e.cta, e.cta.tensor, e.warp, e.split
	kept := t.waiting[:0]
	for _, a := range t.waiting {
		if first, ok := free(t.taken, a.n); ok {
			e.giveWaiting(c, c, a, first)
		} else {
			kept = append(kept, a)
		}
	}
	t.waiting = kept
	e.enter(c, w, split)
}

// giveWaiting allocates the columns for which a warp of a CTA waits, and wakes it; e runs the warp meanwhile. Issuer is
// the CTA whose warp has freed the columns, or has asked for the same ones.
func (e *Engine) giveWaiting(issuer, c *CTA, a tensorWait, first uint32) {
	waits := divergence.Split{Frame: a.frame, PC: a.pc, Mask: a.mask}
	e.enter(c, c.Warps[a.warp], &waits)
	if err := e.locateTensorResult(a.pc, e.fn.Info[a.pc].Tensor); err != nil {
		panic("simtrun bug: a place that was checked is not there")
	}
	e.giveTensor(a.pc, columns{first, a.n})
	c.Waiting &^= 1 << a.warp
	e.warp.Control.Wake(a.mask)
	if e.effect != nil {
		e.effect.Served = e.effect.Served || c == issuer
		e.effect.PairServed = e.effect.PairServed || c != issuer
	}
}

// tensorAddress returns the address in tensor memory that all lanes of m have.
func (e *Engine) tensorAddress(pc int, a program.TensorAddress, m lanes.Mask) (lanes.TensorAddress, error) {
	at, same := uniform(e.path.File, a.Slot, m)
	if !same {
		return 0, e.fault(pc, m, violated(RuleTensorAccess, "the lanes of the warp have different addresses in tensor memory"))
	}
	return lanes.TensorAddress(at + a.Disp), nil
}

// moveTensor loads or stores tensor memory.
func (e *Engine) moveTensor(pc int, x *program.Tensor) error {
	at, err := e.tensorAddress(pc, x.At, lanes.AllLanes)
	if err != nil {
		return err
	}
	upper := at + lanes.TensorAddress(x.Upper)
	for _, half := range [...]lanes.TensorAddress{at, upper} {
		what := e.wrongQuarter(half, x.Access.Lanes())
		if what == "" {
			what = e.cta.tensor.wrongCells(half, x.Access.Lanes(), x.Access.Columns())
		}
		if what != "" {
			return e.fault(pc, lanes.AllLanes, violated(RuleTensorAccess, "%s", what))
		}
	}
	if x.Op == isa.TensorLoad {
		x.Access.Load(e.path.File, &e.cta.tensor.cells, at, upper)
		if x.Reduce != nil {
			x.Reduce.Reduce(e.path.File, x.Access.Registers, x.Reduced)
		}
		return nil
	}
	e.hiddenChanges++
	x.Access.Store(e.path.File, &e.cta.tensor.cells, at, upper)
	return nil
}

// wrongQuarter explains that lanes of tensor memory are not those that the warp may load and store; "" if they are.
func (e *Engine) wrongQuarter(at lanes.TensorAddress, n int) string {
	const quarter = lanes.TensorLanes / 4
	first := e.warp.ID % 4 * quarter
	if l := at.Lane(); l < first || l+n > first+quarter {
		return fmt.Sprintf("lanes %d to %d of tensor memory at 0x%x; warp %d has lanes %d to %d", l, l+n-1, uint32(at), e.warp.ID, first, first+quarter-1)
	}
	return ""
}

// wrongCells explains why lanes and columns of tensor memory (nil if a CTA has none) are invalid; "" if they are
// valid.
func (t *tensorMemory) wrongCells(at lanes.TensorAddress, rows, cols int) string {
	c := columns{uint32(at.Column()), uint32(cols)}
	switch {
	case at.Lane()+rows > lanes.TensorLanes:
		return fmt.Sprintf("lanes %d to %d of tensor memory at 0x%x, which has %d", at.Lane(), at.Lane()+rows-1, uint32(at), lanes.TensorLanes)
	case t == nil || !t.holds(c):
		return fmt.Sprintf("columns %s of tensor memory at 0x%x are not allocated; %s", c, uint32(at), t.takenText())
	}
	return ""
}

// waitingForTensor lists the waits of a warp for tensor memory.
func (c *CTA) waitingForTensor(w *warp.State) (all []tensorWait) {
	if c.tensor == nil {
		return nil
	}
	for _, a := range c.tensor.waiting {
		if a.warp == w.ID {
			all = append(all, a)
		}
	}
	return all
}

// leaksTensor returns the fault of lanes at pc that are the last ones of a CTA to end, while it still has tensor
// memory; nil otherwise.
func (e *Engine) leaksTensor(pc int, m lanes.Mask) error {
	t := e.cta.tensor
	if len(t.taken) == 0 || e.cta.Live > 1 || e.warp.Live != m {
		return nil
	}
	return e.fault(pc, m, violated(RuleTensorAlloc, "the block ends without having deallocated its tensor memory; %s", t.takenText()))
}
