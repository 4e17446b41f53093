package check

import (
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Two volatile or relaxed accesses are morally strong, so that they do not race. In one warp such accesses are
// mostly steps of code that was written for lock step, such as a reduction of volatile shared memory without
// bar.warp.sync: the result depends on the schedule of the lanes. So two lanes of one warp must execute them
// in an order that does not depend on lock step. Happens-before gives such an order, and so do
//
//   - instructions with .sync, at which lanes wait for each other: shfl, vote, match, redux, elect, mma. They do
//     not order memory, but they order the execution of the instructions before and after them;
//   - polling loops: a lane leaves one after it has read a word that another lane wrote.
//
// Atomics, accesses with .acquire or .release, and polling loads are synchronisation themselves and are not
// compared. Nor are accesses in two arms of a branch, since lock step does not order them: see inLockstep.

// isBare reports whether an instruction is a strong access that does not synchronise by itself.
func isBare(in *isa.Instr) bool {
	sem := in.Mods[isa.Sem]
	return (in.Spec.Kind == isa.Load || in.Spec.Kind == isa.Store) && in.MbarrierOp() == 0 &&
		(sem == isa.SemVolatile || sem == isa.SemRelaxed && in.Mods[isa.MMIO] == 0)
}

// findPolls finds the strong reads of a function that poll a location: loads and atomics in a loop that does
// not change their address and that ends by the value read. They are not bare. Nor are other loads from the
// same address, since compilers put one before the loop.
func findPolls(fn *isa.Func, sites []site) (any bool) {
	var fl *flow.Graph
	var dominators []int
	var polled []*isa.Operand
	for pc := range sites {
		s := &sites[pc]
		if s.class&(strong|reads) != strong|reads || s.isCopy() {
			continue
		}
		if fl == nil {
			fl = flow.New(fn)
			dominators = fl.Dominators()
		}
		loops := loopsAround(fl, dominators, fl.BlockOf(pc))
		for i, loop := range loops {
			// One of several natural loops of a header may poll, such as the wait in a loop of two lanes that take turns. It
			// counts if it does not store.
			if (i == len(loops)-1 || !storesIn(fn, fl, loop)) && leavesBy(fn, fl, loop, pc) {
				s.polls, s.class = true, s.class&^bare
				polled = append(polled, addressOf(s.in()))
				break
			}
		}
	}
	for pc := range sites {
		s := &sites[pc]
		if s.class&(bare|writes) == bare && slices.ContainsFunc(polled, func(a *isa.Operand) bool { return sameAddress(a, addressOf(s.in())) }) {
			s.class &^= bare
		}
	}
	return len(polled) > 0
}

// addressOf returns the operand that is the address of an access.
func addressOf(in *isa.Instr) *isa.Operand {
	i := slices.IndexFunc(in.Args, func(a isa.Operand) bool { return a.Kind == isa.AddrOperand })
	return &in.Args[max(i, 0)]
}

// loopsAround returns the loops of the innermost loop header around a block: the natural loop of each back edge to the
// header, and last the union of them.
func loopsAround(fl *flow.Graph, dominators []int, block int) (loops []map[int]bool) {
	for header := block; header != flow.None; header = dominators[header] {
		all := map[int]bool{}
		for _, p := range fl.Blocks()[header].Pred {
			if !dominates(dominators, header, p) {
				continue
			}
			loop := naturalLoop(fl, header, p)
			maps.Copy(all, loop)
			if loop[block] {
				loops = append(loops, loop)
			}
		}
		if all[block] {
			return append(loops, all)
		}
	}
	return nil
}

// naturalLoop returns the natural loop of the back edge from block back to header: the blocks that reach back without
// passing through header, and header.
func naturalLoop(fl *flow.Graph, header, back int) map[int]bool {
	loop := map[int]bool{header: true}
	for todo := []int{back}; len(todo) > 0; {
		b := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !loop[b] {
			loop[b] = true
			todo = append(todo, fl.Blocks()[b].Pred...)
		}
	}
	return loop
}

// storesIn reports whether a loop stores.
func storesIn(fn *isa.Func, fl *flow.Graph, loop map[int]bool) bool {
	for b := range loop {
		for pc := fl.Blocks()[b].Start; pc < fl.Blocks()[b].End && pc < len(fn.Code); pc++ {
			if fn.Code[pc].Is(isa.Store) {
				return true
			}
		}
	}
	return false
}

func dominates(dominators []int, a, b int) bool {
	for b != flow.None && b != a {
		b = dominators[b]
	}
	return b == a
}

// leavesBy reports whether a loop ends by the value that the access at pc reads, and does not change its address.
func leavesBy(fn *isa.Func, fl *flow.Graph, loop map[int]bool, pc int) bool {
	read := make([]bool, len(fn.Regs)) // registers that depend on the value read
	for ref := range fn.Code[pc].Refs {
		if ref.Role == isa.WriteResult {
			read[ref.Reg] = true
		}
	}
	if address := addressOf(&fn.Code[pc]).Reg; address != isa.NoReg && varyingIn(fn, fl, loop)[address] {
		return false
	}
	for more := true; more; {
		more = false
		for b := range loop {
			for at := fl.Blocks()[b].Start; at < fl.Blocks()[b].End && at < len(fn.Code); at++ {
				in := &fn.Code[at]
				if dependsOn(in, read) {
					for ref := range in.Refs {
						more = more || ref.Role == isa.WriteResult && !read[ref.Reg]
						read[ref.Reg] = read[ref.Reg] || ref.Role == isa.WriteResult
					}
				}
			}
		}
	}
	for b := range loop {
		for at := fl.Blocks()[b].Start; at < fl.Blocks()[b].End && at < len(fn.Code); at++ {
			if in := &fn.Code[at]; dependsOn(in, read) && leaves(in, fl, loop, b) {
				return true
			}
		}
	}
	return false
}

// varyingIn returns the registers that may change from one iteration of a loop to the next: those that the loop writes,
// except for registers with one definition that depends only on values that do not change.
func varyingIn(fn *isa.Func, fl *flow.Graph, loop map[int]bool) []bool {
	varying, writers := make([]bool, len(fn.Regs)), make([]int, len(fn.Regs))
	each := func(do func(in *isa.Instr)) {
		for b := range loop {
			for pc := fl.Blocks()[b].Start; pc < fl.Blocks()[b].End && pc < len(fn.Code); pc++ {
				do(&fn.Code[pc])
			}
		}
	}
	each(func(in *isa.Instr) {
		for ref := range in.Refs {
			if ref.Role.Writes() {
				varying[ref.Reg] = true
				writers[ref.Reg]++
			}
		}
	})
	for more := true; more; {
		more = false
		each(func(in *isa.Instr) {
			if !in.Is(isa.Compute) || in.Guard != isa.NoReg || dependsOn(in, varying) {
				return
			}
			for ref := range in.Refs {
				if ref.Role == isa.WriteResult && varying[ref.Reg] && writers[ref.Reg] == 1 {
					varying[ref.Reg], more = false, true
				}
			}
		})
	}
	return varying
}

// dependsOn reports whether an instruction reads a register of the set read, other than as an address.
func dependsOn(in *isa.Instr, read []bool) bool {
	for ref := range in.Refs {
		if (ref.Role == isa.ReadGuard || ref.Role == isa.ReadSource) && read[ref.Reg] {
			return true
		}
	}
	return false
}

// leaves reports whether an instruction of a block of a loop may leave the loop.
func leaves(in *isa.Instr, fl *flow.Graph, loop map[int]bool, block int) bool {
	switch {
	case in.Is(isa.Exit) || in.Is(isa.Return):
		return true
	case !in.Is(isa.Branch):
		return false
	}
	return slices.ContainsFunc(fl.Blocks()[block].Succ, func(s int) bool { return !loop[s] })
}

// lockstepWarp records, for a warp, the orders of accesses that do not depend on lock step.
type lockstepWarp struct {
	// executed has, by lane, the accesses of the warp that were executed before in any schedule, in addition to those
	// that happen before.
	executed [lanes.Width]warpClock
	// splits has, by access, the lanes of the split that executed it, for bare accesses of diverged warps.
	splits map[splitKey]lanes.Mask
}

// splitKey is an access of a lane.
type splitKey struct {
	site  uint32
	epoch epoch
	lane  uint8
}

// executedBefore returns the accesses of the warp that were executed before a lane's next instruction, in any schedule
// of the lanes.
func (w *warp) executedBefore(lane int) warpClock {
	c := w.clockOf(lane).cta.warp(w.number)
	if w.lockstep == nil {
		return c
	}
	return joinWarpClocks(c, w.lockstep.executed[lane])
}

// notExecuted returns the lanes of m whose accesses in epoch e are not among those of executedBefore.
func (w *warp) notExecuted(lane int, m lanes.Mask, e epoch) lanes.Mask {
	m = w.clockOf(lane).cta.warp(w.number).unordered(m, e)
	if w.lockstep != nil && m != 0 {
		m = w.lockstep.executed[lane].unordered(m, e)
	}
	return m
}

// learn adds accesses of the warp to those that were executed before the next instruction of a lane.
func (w *warp) learn(lane int, of warpClock) {
	if w.lockstep == nil {
		w.lockstep = &lockstepWarp{}
	}
	w.lockstep.executed[lane] = joinWarpClocks(w.lockstep.executed[lane], of)
}

// meet records that the lanes of m have waited for each other.
func (w *warp) meet(m lanes.Mask) {
	var all warpClock
	for left := m; left != 0; left &= left - 1 {
		all = joinWarpClocks(all, w.executedBefore(firstLane(left)))
	}
	all = all.with(m, w.epoch, w.threads)
	for left := m; left != 0; left &= left - 1 {
		w.learn(firstLane(left), all)
	}
	w.nextEpoch()
}

// Met implements interp.SyncObserver.
func (r *Races) Met(at *interp.Place, m lanes.Mask) {
	if r.lockstep {
		r.warp(at).meet(m)
	}
}

// noteSplit records the split in which lanes of a diverged warp execute a bare access.
func (v *visit) noteSplit() {
	w := v.w
	if w.lockstep == nil {
		w.lockstep = &lockstepWarp{}
	}
	if w.lockstep.splits == nil {
		w.lockstep.splits = make(map[splitKey]lanes.Mask)
	}
	for left := v.mask; left != 0; left &= left - 1 {
		key := splitKey{v.site.index, w.epoch, uint8(firstLane(left))}
		split, again := w.lockstep.splits[key]
		if !again {
			split = v.split
		}
		w.lockstep.splits[key] = split & v.split
	}
}

// together reports whether the lanes of the later access of a conflict were in the split that executed the earlier one,
// while the warp was diverged.
func (v *visit) together(c *conflict) bool {
	if v.w.lockstep == nil {
		return false
	}
	for left := c.earlier.lanes; left != 0; left &= left - 1 {
		if c.later&^v.w.lockstep.splits[splitKey{uint32(c.earlier.sites), c.earlier.epoch, uint8(firstLane(left))}] != 0 {
			return false
		}
	}
	return true
}

// pairsInWarp reports whether an earlier access of a class and the present one are bare accesses of one warp, and one
// of them writes. They do not race, but perhaps only lock step orders them.
func (v *visit) pairsInWarp(of class, r *record) bool {
	return v.r.lockstep && of&v.now.class&bare != 0 && (of|v.now.class)&writes != 0 && morallyStrong(of, v.now.class, true) &&
		r.cta == v.now.cta && r.warps()>>v.now.warp&1 != 0
}

// conflicts reports whether an earlier access of a class may race with the present one, or perhaps only lock step
// orders them.
func (v *visit) conflicts(of class, r *record) bool {
	return conflicting(of, v.now.class, r.cta == v.now.cta) || v.pairsInWarp(of, r)
}

// addLockstep adds conflicts of the present lanes with an earlier bare access of the lanes of m.
func (v *visit) addLockstep(r *record, m, later lanes.Mask, at, size uint64) {
	m &^= v.sameInstruction(r, at)
	for ; later != 0; later &= later - 1 {
		lane := firstLane(later)
		un := v.w.notExecuted(lane, m, r.epoch) &^ (1 << lane)
		v.addConflict(r, un, 1<<lane, false, at, size)
	}
}

// observeWrite orders a polling lane after the accesses that the writer, a lane of the same warp, executed before the
// write.
func (v *visit) observeWrite(r *record) {
	const strongWrite = strong | writes
	if !v.site.polls || !v.r.lockstep || r.class&strongWrite != strongWrite || r.cta != v.now.cta || r.warp != v.now.warp {
		return
	}
	var learn lanes.Mask // lanes that have not observed the write or a later one
	for left := v.now.lanes; left != 0; left &= left - 1 {
		if lane := firstLane(left); v.w.notExecuted(lane, r.lanes, r.epoch) != 0 {
			learn |= 1 << lane
		}
	}
	if learn == 0 {
		return
	}
	of := warpClock{}.with(r.lanes, r.epoch, v.w.threads)
	for left := r.lanes; left != 0; left &= left - 1 {
		of = joinWarpClocks(of, v.w.executedBefore(firstLane(left)))
	}
	for ; learn != 0; learn &= learn - 1 {
		v.w.learn(firstLane(learn), of)
	}
}
