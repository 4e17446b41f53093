package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/memory"
)

// wholeWarp executes an instruction that all 32 lanes of a warp execute together (.sync.aligned), for the lanes m of
// the path, usually all of them. Otherwise m waits for the others to reach the same instruction; PTX leaves that case
// undefined. wholeWarp reports whether m waits now, which changes the split.
func (e *Engine) wholeWarp(pc int, m lanes.Mask) (waits bool, err error) {
	if m == lanes.AllLanes {
		if waits, err = e.together(pc); waits {
			e.park(m, pc+1) // no other lane is left to run
		}
		if err == nil && len(e.observers.sync) > 0 {
			e.notifyMet(m)
		}
		return waits, err
	}
	if ended := lanes.AllLanes &^ e.warp.Live; ended != 0 {
		return false, e.fault(pc, m, e.incomplete(ended))
	}
	a := e.arrival(pc, m)
	r := e.cta.wholeAt(a)
	last, goOn := r != nil && r.arrived|m == lanes.AllLanes, false
	if last {
		if waits, err = e.together(pc); err != nil {
			return false, err
		}
		goOn = !waits
		e.notifyMet(lanes.AllLanes)
	}
	e.waiting = append(e.waiting[:0], m)
	if !e.warp.Control.Park(e.split.ID, e.waiting, pc+1) {
		e.warp.Control.Advance(e.split.ID, pc)
		return false, e.hangDiverged(pc, m, lanes.AllLanes&^m, RuleMaskMissing, "all lanes of the warp must execute this together, but not all can get here")
	}
	switch {
	case last:
		e.forget(r)
		if goOn {
			e.warp.Control.Wake(lanes.AllLanes)
		}
	case r == nil:
		all := &e.cta.rendezvous[e.warp.ID]
		*all = append(*all, rendezvous{mnemonic: a.instr(e.grid).Mnemonic(), whole: true, members: lanes.AllLanes, arrived: m, arrivals: []arrival{a}})
	default:
		r.arrived |= m
		r.arrivals = append(r.arrivals, a)
	}
	return true, nil
}

// wholeWarpOrBarrier is wholeWarp for an instruction at which the whole warp may have to wait for other warps.
func (e *Engine) wholeWarpOrBarrier(pc int, m lanes.Mask) (Stop, error) {
	waits, err := e.wholeWarp(pc, m)
	switch {
	case err != nil:
		return Changed, err
	case waits && e.cta.Waiting>>e.warp.ID&1 != 0:
		return AtBarrier, nil
	case waits:
		return AtRendezvous, nil
	}
	return Executed, nil
}

// incomplete returns the error that lanes are missing from a warp that executes an instruction together.
func (e *Engine) incomplete(ended lanes.Mask) error {
	what := LanesText(ended) + " have ended"
	if ended.Count() == 1 {
		what = LanesText(ended) + " has ended"
	}
	if never := lanes.AllLanes &^ e.warp.Threads; never != 0 {
		what = fmt.Sprintf("the block has no threads for %s of this one", LanesText(never))
	}
	return violated(RuleMaskMissing, "all 32 lanes of a warp execute this together, and %s", what)
}

// wholeAt returns the rendezvous of the whole warp at the instruction of an arrival, in the same activation; nil if
// no lane waits there.
func (c *CTA) wholeAt(a arrival) *rendezvous {
	all := c.rendezvous[a.warp]
	for i := range all {
		if first := &all[i].arrivals[0]; all[i].whole && first.frame == a.frame && first.fn == a.fn && first.pc == a.pc {
			return &all[i]
		}
	}
	return nil
}

// forget removes a rendezvous of the warp.
func (e *Engine) forget(r *rendezvous) {
	all := e.cta.rendezvous[e.warp.ID]
	for i := range all {
		if &all[i] == r {
			e.cta.rendezvous[e.warp.ID] = append(all[:i], all[i+1:]...)
			return
		}
	}
}

// abandoned returns the fault of lanes that wait for the whole warp after lanes of it have ended; nil if there are
// none.
func (e *Engine) abandoned() error {
	for _, r := range e.cta.rendezvous[e.warp.ID] {
		if !r.whole {
			continue
		}
		a := &r.arrivals[0]
		fn, err := e.p.Funcs[a.fn].Src, e.incomplete(lanes.AllLanes&^e.warp.Live)
		return &Fault{Place: source.At(fn, a.pc), Text: fn.Text(a.pc), Where: e.where(r.arrived), Rule: ruleOf(err), Err: err}
	}
	return nil
}

// together executes the instruction at pc for the whole warp, and reports whether its lanes must wait.
func (e *Engine) together(pc int) (waits bool, err error) {
	x := e.fn.Matrices[pc]
	switch {
	case e.fn.Info[pc].Tensor != nil:
		return e.tensorTogether(pc)
	case x == nil && e.fn.Warpgroups[pc] != nil:
		return e.warpgroup(pc, e.fn.Warpgroups[pc])
	case x == nil:
		return false, e.compute(pc, &e.fn.Ops[pc])
	case x.Pieces != nil:
		return false, e.movePieces(pc, x)
	}
	return false, e.movePiece(pc, x, 0)
}

// compute executes an instruction on registers of the whole warp.
func (e *Engine) compute(pc int, op *lanes.Op) error {
	if p := e.fn.Products[pc]; p != nil {
		if p.Sparse {
			if err := e.checkMetadata(pc, p, lanes.Reg[uint32](e.path.File, op.E), int(op.Imm)); err != nil {
				return err
			}
		}
		if e.multiply(p, op) {
			return nil
		}
	}
	op.Fn(e.path.File, op, lanes.AllLanes)
	return nil
}

// checkMetadata checks the metadata of a sparse matrix for values that PTX leaves undefined.
func (e *Engine) checkMetadata(pc int, p *lanes.Product, metadata *[lanes.Width]uint32, selector int) error {
	row, chunk, bits, bad := p.BadMetadata(metadata, selector)
	if !bad {
		return nil
	}
	must := "they must differ"
	switch {
	case p.A == lanes.MatrixTF32:
		must = "it must be 0b0100 or 0b1110"
	case p.Ordered:
		must = "they must be in ascending order"
	}
	return e.fault(pc, lanes.AllLanes, violated(RuleMetadata, "metadata 0b%04b for chunk %d of row %d of A, the places %d and %d: %s", bits, chunk, row, bits&3, bits>>2, must))
}

// movePiece makes one of the accesses of a whole warp at pc, at the addresses in its Op.
func (e *Engine) movePiece(pc int, x *program.MatrixAccess, i int) error {
	e.piece = &x.Ops[i]
	switch observed := e.path.Memory == nil || e.mayConflict(pc); {
	case !observed && e.path.Memory.Locate(pc, x.Lanes) != nil:
		e.piece.Mem(e.path.File, e.piece, x.Lanes, &e.acc)
	case observed && (*locator)(e).Locate(pc, x.Lanes) != nil:
		e.moveObserved(pc, x.Lanes, false)
	default:
		return e.accessByLane(pc, x.Lanes)
	}
	return nil
}

// movePieces loads or stores a matrix piece by piece, each as a separate request, after a check of all of them.
func (e *Engine) movePieces(pc int, x *program.MatrixAccess) error {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	kind := isa.Kind(op.Kind)
	if err := e.checkAlignment(pc, x.Pieces); err != nil {
		return err
	}
	for i := range x.Ops {
		e.locatePiece(op, x.Pieces, i)
		if (*locator)(e).Locate(pc, x.Lanes) != nil {
			continue
		}
		var regions [lanes.Width]*memory.Region
		var windows [lanes.Width]uint64
		if fault, at := e.regionsOf(&regions, &windows, op, in, kind, x.Lanes); fault != nil {
			return e.fault(pc, at, fault)
		}
	}
	for i := range x.Ops {
		e.locatePiece(op, x.Pieces, i)
		if err := e.movePiece(pc, x, i); err != nil {
			return err
		}
	}
	return nil
}

// locatePiece sets the addresses of a piece.
func (e *Engine) locatePiece(op *lanes.Op, p *program.Pieces, i int) {
	to, stride, place := lanes.Reg[uint64](e.path.File, op.A), lanes.Reg[uint32](e.path.File, p.Stride), &p.Places[i]
	for lane := range to {
		elements := uint64(place.Major[lane])*uint64(stride[lane]) + uint64(place.Minor[lane])
		to[lane] = e.matrixBase(p, lane) + elements*uint64(p.ElementBits)/8
	}
}

// matrixBase returns the address of a matrix in a lane; PTX requires the same in all lanes.
func (e *Engine) matrixBase(p *program.Pieces, lane int) uint64 {
	if p.Wide {
		return lanes.Reg[uint64](e.path.File, p.Base)[lane] + p.Disp
	}
	return uint64(lanes.Reg[uint32](e.path.File, p.Base)[lane] + uint32(p.Disp))
}

// checkAlignment checks that a matrix begins at a multiple of the size of a lane's fragment (PTX ISA 9.7.14, matrix
// storage for wmma), and its rows at multiples of 16 bytes, or of that size if it is less. PTX requires the size of a
// fragment for rows, too, but CUDA C++ only 16 bytes.
func (e *Engine) checkAlignment(pc int, p *program.Pieces) error {
	in, kind := &e.fn.Info[pc], isa.Kind(e.fn.Ops[pc].Kind)
	stride := lanes.Reg[uint32](e.path.File, p.Stride)
	for lane := range lanes.Width {
		if base := e.matrixBase(p, lane); base%p.Align != 0 {
			err := accessError(in, kind, e.find(in, base), memory.ErrMisaligned)
			err.Size = int(p.Align)
			e.nameRegion(err)
			return e.fault(pc, lanes.AllLanes, err)
		}
		if bytes := uint64(stride[lane]) * uint64(p.ElementBits) / 8; bytes%min(p.Align, 16) != 0 {
			return e.fault(pc, lanes.AllLanes, violated(Rule(memory.ErrMisaligned.Error()),
				"rows or columns %d elements apart, %d bytes, do not begin at multiples of %d bytes", stride[lane], bytes, min(p.Align, 16)))
		}
	}
	return nil
}

// accessOp returns the Op that makes the access at pc.
func (e *Engine) accessOp(pc int) *lanes.Op {
	op := &e.fn.Ops[pc]
	if op.Mem == nil && e.fn.Matrices[pc] != nil {
		op = e.piece
	}
	if e.variant != nil {
		op = e.variant
	}
	return op
}
