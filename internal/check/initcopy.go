package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// initCopy is the undefined bits of the bytes that the lanes of a copy have read and not written yet.
type initCopy struct {
	bytes [lanes.Width][]byte
	from  *unwritten
	wrote bool
}

// copy follows one access of a copy from memory to memory, or of an asynchronous store of registers.
func (c *Init) copy(at *interp.Place, sp *initSpace, a *interp.Access, how *program.Copy) {
	k := &c.copied
	switch {
	case a.CompleteTx:
	case how.Store != nil:
		if sp != nil {
			c.storeAsync(at, sp, a, how)
		}
	case a.Kind == isa.Load:
		if k.wrote {
			*k = initCopy{}
		}
		if sp == nil || sp.undefined == nil {
			k.read(a, nil)
			return
		}
		if m := sp.lanes(a); m != 0 && k.from == nil {
			k.from = c.memory(at, sp, a, m)
		}
		k.read(a, sp.undefined)
	case sp == nil:
		k.wrote = true
	default:
		k.wrote = true
		if a.Kind == isa.Store {
			sp.define(a)
		}
		if m := sp.undefinedLanes(a); m != 0 && k.from == nil && a.Kind == isa.Atomic {
			c.stored(at, sp, a, m, c.memory(at, sp, a, m)) // stays undefined, as after other atomics
		}
		if k.from == nil {
			return
		}
		for left := a.Lanes; left != 0; left &= left - 1 {
			bits := k.bytes[firstLane(left)]
			if how.Box != nil {
				bits = a.Undefined
			}
			sp.add(a, firstLane(left), bits)
		}
		if u := sp.lanes(a); u != 0 {
			c.stored(at, sp, a, u, k.from)
		}
	}
}

// add adds undefined bits to the bytes of a lane.
func (sp *initSpace) add(a *interp.Access, lane int, undefined []byte) {
	sp.need(a)
	to := sp.undefined[a.At(lane):][:a.Size]
	for i := range min(len(to), len(undefined)) {
		to[i] |= undefined[i]
	}
}

// storeAsync makes memory as undefined as the registers of an asynchronous store or reduction.
func (c *Init) storeAsync(at *interp.Place, sp *initSpace, a *interp.Access, how *program.Copy) {
	if a.Kind == isa.Store {
		sp.define(a)
	}
	if m := sp.undefinedLanes(a); m != 0 && a.Kind == isa.Atomic {
		c.stored(at, sp, a, m, c.memory(at, sp, a, m))
	}
	w, x := a.Window(), c.warp(at)
	if x.dirty == 0 {
		return
	}
	f := x.frame(c, w)
	u, from := f.union(f.plan[a.PC].reads, a.Lanes)
	if u == 0 {
		return
	}
	bits := lanes.Access{Mem: make([]byte, lanes.Width*a.Size), Size: a.Size}
	for lane := range bits.Off {
		bits.Off[lane] = uint64(lane) * a.Size
	}
	how.Store(f.shadow.File, &w.Func.Ops[a.PC], a.Lanes, &bits)
	for left := u; left != 0; left &= left - 1 {
		lane := firstLane(left)
		sp.add(a, lane, bits.Mem[uint64(lane)*a.Size:][:a.Size])
	}
	if u = sp.lanes(a); u != 0 {
		c.stored(at, sp, a, u, from)
	}
}

// read appends the undefined bits of the bytes that lanes read; undefined is nil if all are defined.
func (k *initCopy) read(a *interp.Access, undefined []byte) {
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane, part := firstLane(left), make([]byte, a.Size)
		if undefined != nil {
			copy(part, undefined[a.At(lane):])
		}
		k.bytes[lane] = append(k.bytes[lane], part...)
	}
}
