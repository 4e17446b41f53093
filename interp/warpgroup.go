package interp

import (
	"encoding/binary"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// The warps of a warpgroup execute wgmma together (PTX ISA 9.7.15). The result of one does not depend on the others:
// it computes its 16 rows of D when it arrives, and does not wait. Each warp is checked against those that are ahead,
// because all four must execute the same instructions. A product is done when all four have computed their rows:
// wgmma.wait_group waits for that.

// groupWarps is the number of warps of a warpgroup.
const groupWarps = 4

// warpgroup records the instructions that the warps of a warpgroup have executed together.
type warpgroup struct {
	issued [groupWarps]int // wgmma instructions, by rank of the warp
	first  int             // number of the first of recent
	recent []issued        // instructions that not all of them have executed

	commits [groupWarps][]int       // by rank: value of issued at each wgmma.commit_group that may be waited for
	waiting [groupWarps]productWait // by rank
}

// productWait is a warp that waits until its warpgroup has executed needs wgmma instructions.
type productWait struct {
	arrival
	needs int // 0 if the warp does not wait
}

// reset returns the warpgroup to its initial state.
func (g *warpgroup) reset() {
	*g = warpgroup{recent: g.recent[:0]}
}

// unshare makes a copy of a warpgroup independent of the original.
func (g *warpgroup) unshare() {
	g.recent = slices.Clone(g.recent)
	for rank, c := range g.commits {
		g.commits[rank] = slices.Clone(c)
	}
}

// least returns how many instructions all four warps have executed.
func (g *warpgroup) least() int {
	return min(g.issued[0], g.issued[1], g.issued[2], g.issued[3])
}

// issued is a wgmma instruction that a warp has executed.
type issued struct {
	fn, pc, warp int
	a, b         uint64 // descriptors
}

// warpgroup executes a warpgroup instruction (wgmma or setmaxnreg), the one at pc, for the current warp. It reports
// whether the warp must wait for others.
func (e *Engine) warpgroup(pc int, x *program.Warpgroup) (waits bool, err error) {
	i := issued{fn: e.fn.Number, pc: pc, warp: e.warp.ID}
	if x.Registers > 0 {
		return e.adjustRegisters(pc, x)
	}
	if x.Product == nil {
		if err := e.joinGroup(pc, i); err != nil {
			return false, err
		}
		return e.orderProducts(pc, x), nil
	}
	i, anew, err := e.groupOperands(pc, x, i)
	if err != nil {
		return false, err
	}
	if err := e.joinGroup(pc, i); err != nil {
		return false, err
	}
	return false, e.multiplyGroup(pc, x, &i, anew)
}

// orderProducts commits a group of products, or waits for groups, and reports whether the warp must wait for others
// of its warpgroup.
func (e *Engine) orderProducts(pc int, x *program.Warpgroup) (waits bool) {
	rank := e.warp.ID % groupWarps
	g := &e.cta.warpgroups[e.warp.ID/groupWarps]
	commits := &g.commits[rank]
	switch x.Order {
	case isa.WarpgroupCommit:
		*commits = append(*commits, g.issued[rank])
		if len(e.observers.copy) > 0 {
			e.notifyGrouped(pc, lanes.AllLanes)
		}
		e.wakeGroup(g)
	case isa.WarpgroupWait:
		n := len(*commits) - x.Latest
		if n <= 0 {
			return false
		}
		needs := (*commits)[n-1]
		*commits = slices.Delete(*commits, 0, n)
		if needs > g.least() {
			g.waiting[rank] = productWait{e.arrival(pc, lanes.AllLanes), needs}
			e.cta.Waiting |= 1 << e.warp.ID
			return true
		}
		if len(e.observers.copy) > 0 {
			e.notifyGrouped(pc, lanes.AllLanes)
		}
	}
	return false
}

// wakeGroup wakes warps of a warpgroup that wait for products which are done now.
func (e *Engine) wakeGroup(g *warpgroup) {
	w, split, least := e.warp, e.split, g.least()
	for rank := range g.waiting {
		a := &g.waiting[rank]
		if a.needs == 0 || a.needs > least {
			continue
		}
		waiter := e.cta.Warps[a.warp]
		if len(e.observers.copy) > 0 {
			e.enter(e.cta, waiter, &divergence.Split{Frame: a.frame, PC: a.pc, Mask: a.mask})
			e.notifyGrouped(a.pc, a.mask)
			e.enter(e.cta, w, split)
		}
		e.cta.Waiting &^= 1 << a.warp
		waiter.Control.Wake(a.mask)
		*a = productWait{}
		if e.effect != nil {
			e.effect.ProductsDone = true
		}
	}
}

// awaitsGroup returns the wait of a warp for the products of its warpgroup, and the warps for which it waits; false
// if it does not wait.
func (c *CTA) awaitsGroup(w *warp.State) (a *arrival, missing []int, ok bool) {
	if w.ID/groupWarps >= len(c.warpgroups) {
		return nil, nil, false
	}
	g, rank := &c.warpgroups[w.ID/groupWarps], w.ID%groupWarps
	wait := &g.waiting[rank]
	if wait.needs == 0 {
		return nil, nil, false
	}
	for other, n := range g.issued {
		if n < wait.needs {
			missing = append(missing, w.ID-rank+other)
		}
	}
	return &wait.arrival, missing, true
}

// multiplyGroup computes the rows of the warp of the product at pc.
func (e *Engine) multiplyGroup(pc int, x *program.Warpgroup, i *issued, anew bool) error {
	m := e.groupScratch()
	m.NegateA, m.NegateB, m.Anew = x.NegateA, x.NegateB, anew
	if x.Product.Sparse {
		m.Metadata, m.Selector = lanes.Reg[uint32](e.path.File, x.Metadata), x.Selector
		if err := e.checkMetadata(pc, x.Product, m.Metadata, m.Selector); err != nil {
			return err
		}
	}
	if x.A != nil {
		x.Product.GatherA(e.path.File, x.A, m)
	} else if err := e.readMatrix(&sharedMatrix{"A", pc, i.a, x.TransposeA, e.warp.ID % groupWarps * isa.WarpRows, isa.RowBytes, true}, m.A[:]); err != nil {
		return err
	}
	depth := x.Product.K * x.Product.B.Bits() / 8
	if err := e.readMatrix(&sharedMatrix{"B", pc, i.b, x.TransposeB, 0, depth, false}, m.B[:x.Product.N]); err != nil {
		return err
	}
	x.Product.Group(e.path.File, x.D, m)
	if len(e.observers.value) > 0 {
		e.notifyMultiplied(pc, x, i, anew)
	}
	return nil
}

// notifyMultiplied notifies observers of the product at pc.
func (e *Engine) notifyMultiplied(pc int, x *program.Warpgroup, i *issued, anew bool) {
	s := e.shadower()
	if s == nil {
		return
	}
	shadow := s.SharedShadow(&e.at, len(e.cta.Shared.Data))
	m := new(lanes.GroupMatrices)
	g := &GroupProduct{Product: x.Product, B: m.B[:x.Product.N], Anew: anew}
	if x.A == nil {
		g.A = m.A[:]
		a := &sharedMatrix{"A", pc, i.a, x.TransposeA, e.warp.ID % groupWarps * isa.WarpRows, isa.RowBytes, true}
		a.readShadow(shadow, e.cta.Shared.Base, g.A)
	}
	b := &sharedMatrix{"B", pc, i.b, x.TransposeB, 0, x.Product.K * x.Product.B.Bits() / 8, false}
	b.readShadow(shadow, e.cta.Shared.Base, g.B)
	s.Multiplied(&e.at, e.window, pc, g)
}

// groupScratch returns the engine's state for products of warpgroups.
func (e *Engine) groupScratch() *lanes.GroupMatrices {
	if e.group == nil {
		e.group = new(lanes.GroupMatrices)
	}
	return e.group
}

// groupOperands reads the operands that must be the same in all lanes: i with the descriptors, and whether D counts
// as 0.
func (e *Engine) groupOperands(pc int, x *program.Warpgroup, i issued) (_ issued, anew bool, err error) {
	file, same := e.path.File, true
	if x.A == nil {
		if i.a, same = uniform64(file, x.DescriptorA); !same {
			return i, false, e.fault(pc, lanes.AllLanes, violated(RuleWarpgroup, "the descriptor of A differs between lanes"))
		}
	}
	if i.b, same = uniform64(file, x.DescriptorB); !same {
		return i, false, e.fault(pc, lanes.AllLanes, violated(RuleWarpgroup, "the descriptor of B differs between lanes"))
	}
	scale := lanes.Predicate(file, x.ScaleD)
	if scale != 0 && scale != lanes.AllLanes {
		return i, false, e.fault(pc, lanes.AllLanes, violated(RuleWarpgroup, "scale-d holds in %s, and not in the others", LanesText(scale)))
	}
	return i, scale == 0, nil
}

// uniform64 returns the value of a slot, and whether it is the same in all lanes.
func uniform64(f *lanes.File, slot uint32) (v uint64, same bool) {
	all := lanes.Reg[uint64](f, slot)
	for _, v := range all {
		if v != all[0] {
			return 0, false
		}
	}
	return all[0], true
}

// joinGroup checks that the warp executes the same as the others of its warpgroup.
func (e *Engine) joinGroup(pc int, i issued) error {
	c, rank := e.cta, e.warp.ID%groupWarps
	first := e.warp.ID - rank
	if len(c.Warps) < first+groupWarps {
		return e.fault(pc, lanes.AllLanes, violated(RuleWarpgroup, "warps %d to %d execute this together, and the block has warps 0 to %d: its threads must be a multiple of 128", first, first+groupWarps-1, len(c.Warps)-1))
	}
	if len(c.warpgroups) == 0 {
		c.warpgroups = make([]warpgroup, len(c.Warps)/groupWarps)
	}
	g := &c.warpgroups[e.warp.ID/groupWarps]
	n := g.issued[rank] - g.first
	if n < len(g.recent) {
		if err := e.otherThan(&g.recent[n], &i); err != nil {
			return e.fault(pc, lanes.AllLanes, err)
		}
	} else {
		for other, done := range g.issued {
			if done == g.issued[rank] && other != rank && c.Warps[first+other].Live == 0 {
				return e.fault(pc, lanes.AllLanes, violated(RuleWarpgroup, "warps %d to %d execute this together, and warp %d has ended", first, first+groupWarps-1, first+other))
			}
		}
		g.recent = append(g.recent, i)
	}
	g.issued[rank]++
	least := g.least()
	if done := least - g.first; done > 0 {
		g.recent = append(g.recent[:0], g.recent[done:]...)
		g.first = least
	}
	return nil
}

// otherThan explains how an instruction differs from the one that a warp of the warpgroup has executed before; nil if
// it is the same.
func (e *Engine) otherThan(before, i *issued) error {
	switch in := e.p.Funcs[before.fn].Src.Code[before.pc]; {
	case before.fn != i.fn || before.pc != i.pc:
		return violated(RuleWarpgroup, "warp %d of the warpgroup has executed %s at %s in place of this", before.warp, in.Mnemonic(), source.At(e.p.Funcs[before.fn].Src, before.pc))
	case before.a != i.a:
		return violated(RuleWarpgroup, "the descriptor of A is %#x, and in warp %d of the warpgroup %#x", i.a, before.warp, before.a)
	case before.b != i.b:
		return violated(RuleWarpgroup, "the descriptor of B is %#x, and in warp %d of the warpgroup %#x", i.b, before.warp, before.b)
	}
	return nil
}

// leaveGroup checks that a warp that ends at pc has executed the same instructions as the others of its warpgroup.
func (e *Engine) leaveGroup(pc int, m lanes.Mask) error {
	if e.warp.ID/groupWarps >= len(e.cta.warpgroups) {
		return nil
	}
	g, rank := &e.cta.warpgroups[e.warp.ID/groupWarps], e.warp.ID%groupWarps
	n := g.issued[rank] - g.first
	if n >= len(g.recent) {
		return nil
	}
	before := &g.recent[n]
	in := e.p.Funcs[before.fn].Src.Code[before.pc]
	return e.fault(pc, m, violated(RuleWarpgroup, "the warp ends, and warp %d of its warpgroup has executed %s at %s, which all four must execute", before.warp, in.Mnemonic(), source.At(e.p.Funcs[before.fn].Src, before.pc)))
}

// sharedMatrix is a matrix in shared memory that a warp reads.
type sharedMatrix struct {
	name       string
	pc         int
	descriptor uint64
	transposed bool // M-major or N-major
	first      int  // of the matrix's rows
	bytes      int  // of a row
	more       bool // another one is read afterwards
}

// readMatrix reads rows of A, or columns of B, into words.
func (e *Engine) readMatrix(x *sharedMatrix, rows [][16]uint32) error {
	m, r := memory.WarpgroupMatrix(x.descriptor), &e.cta.Shared
	if s := int(m.Swizzle); !x.transposed && s != 0 && x.bytes > s {
		return e.fault(x.pc, lanes.AllLanes, violated(RuleWarpgroup, "a column of %s has %d bytes, and the swizzle of its descriptor rows of %d", x.name, x.bytes, s))
	}
	total, along := x.units(len(rows))
	for n := range total {
		unit, row := n/along, n%along
		addr := x.unit(&m, unit, row)
		at := uint64(addr) - r.Base
		if at+memory.UnitBytes > uint64(len(r.Data)) || at+memory.UnitBytes < at {
			return e.fault(x.pc, lanes.AllLanes, outsideShared(x, &m, addr, len(r.Data)))
		}
		place(rows, r.Data[at:], unit, row, x.transposed)
		if len(e.observers.access) > 0 {
			e.noteUnit(x, n, at, total)
		}
	}
	return nil
}

// units returns how many units the matrix has, and how many of them are next to each other, with this many rows.
func (x *sharedMatrix) units(rows int) (total, along int) {
	if x.transposed {
		return rows / 8 * (x.bytes / 2), x.bytes / 2
	}
	return x.bytes / memory.UnitBytes * rows, rows
}

// unit returns the address of a unit.
func (x *sharedMatrix) unit(m *memory.SharedMatrix, unit, row int) uint32 {
	if x.transposed {
		return m.AlongMN(x.first/8+unit, row)
	}
	return m.AlongK(x.first+row, unit)
}

// readShadow is readMatrix for the shadow of shared memory, after the matrix has been read.
func (x *sharedMatrix) readShadow(shadow []byte, base uint64, rows [][16]uint32) {
	m := memory.WarpgroupMatrix(x.descriptor)
	total, along := x.units(len(rows))
	for n := range total {
		unit, row := n/along, n%along
		place(rows, shadow[uint64(x.unit(&m, unit, row))-base:], unit, row, x.transposed)
	}
}

// place puts the 16 bytes of a unit into rows: along one of them, or two bytes into each of
// eight.
func place(rows [][16]uint32, data []byte, unit, row int, transposed bool) {
	if !transposed {
		for i := range 4 {
			rows[row][4*unit+i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		return
	}
	for i := range 8 {
		w, shift := &rows[8*unit+i][row/2], row%2*16
		*w = *w&^(0xffff<<shift) | uint32(binary.LittleEndian.Uint16(data[2*i:]))<<shift
	}
}

// outsideShared returns the error that a unit of a matrix is not in shared memory.
func outsideShared(x *sharedMatrix, m *memory.SharedMatrix, addr uint32, size int) error {
	return violated(Rule(memory.ErrBounds.Error()), "the descriptor %#x of %s (start 0x%x, leading offset %d, stride offset %d, swizzle of %d bytes) leads to shared 0x%x, past %d bytes of shared memory",
		x.descriptor, x.name, m.Start, m.Leading, m.Stride, m.Swizzle, addr, size)
}

// noteUnit records unit n of those that are read, and notifies observers of every 32 units: they count as read by one
// lane after the other.
func (e *Engine) noteUnit(x *sharedMatrix, n int, at uint64, total int) {
	r, lane := &e.cta.Shared, n%lanes.Width
	e.acc.Off[lane] = at
	if lane != lanes.Width-1 && n != total-1 {
		return
	}
	e.acc.Mem, e.acc.Base, e.acc.Region, e.acc.Space, e.acc.Strided, e.acc.Size = r.Data, r.Base, r.Number, uint8(r.Space), false, memory.UnitBytes
	e.event.Background = true
	e.notifyAccessed(isa.Load, x.pc, lanes.AllLanes>>(lanes.Width-1-lane), x.more || n != total-1)
	e.event.Background = false
}
