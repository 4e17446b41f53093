package program

import "github.com/simtrun/simtrun/internal/isa"

// Box has the operands of a copy of a box of a tensor, as slots.
type Box struct {
	Rank   int
	Mode   isa.Mod // of isa.LoadMode; 0 is ModeTile
	Map    Side    // place of the tensor map
	Coords []uint32
	// Offsets are those of the coordinates of pixels; nil except for im2col.
	Offsets []uint32
	Loads   bool // the tensor is the source, and not the destination
	// Reduces is the operation that reduces the tensor, of isa.AtomOp; 0 for a plain copy.
	Reduces isa.Mod
}

const (
	tensorAlign = 128 // of boxes in shared memory
	mapAlign    = 64  // of tensor maps
	mapBytes    = 128
)

// Replace is a field of a tensor map, and its new value.
type Replace struct {
	Field   isa.Mod
	Ordinal int
	Value   uint32 // slot
	Wide    bool   // of 64 bits
}

// box lowers a tensor map with coordinates.
func (l *lowering) box(c *Copy, a *isa.Operand) (err error) {
	t := &Box{Rank: l.in.Mods.Rank(), Mode: l.in.Mods[isa.LoadMode], Loads: l.in.Mods[isa.Completion] == isa.CompleteTx, Reduces: l.in.Mods[isa.AtomOp]}
	c.Box = t
	of := &a.Elems[isa.ImageName]
	if err := l.side(&t.Map, of, l.mapSpace(of)); err != nil {
		return err
	}
	t.Map.Info.Size, t.Map.Info.Frame = mapAlign, l.info.Frame
	t.Coords, err = l.slots(a.Elems[isa.ImageCoords:], isa.S32)
	return err
}

// mapSpace returns the space of the address of a tensor map: that of a parameter that is a map, if it is named, and
// else generic.
func (l *lowering) mapSpace(of *isa.Operand) isa.Space {
	if of.Kind != isa.SymOperand {
		return isa.Generic
	}
	_, kernel := l.f.kernel[of.Sym]
	_, frame := l.f.frame[of.Sym]
	if kernel || frame {
		return isa.Param
	}
	return isa.Generic
}

// replace lowers a tensormap.replace, which is a copy of a map to its own place.
func (l *lowering) replace() (err error) {
	in := l.in
	c := &Copy{Bulk: true, Sized: true, SizeSlot: l.f.Layout.Const(mapBytes, false), Replace: &Replace{Field: in.Mods[isa.MapField], Ordinal: int(in.Args[1].Bits), Wide: in.Types[0].Bits() > 32}}
	if err := l.side(&c.To, &in.Args[0], in.Mods.MemSpace()); err != nil {
		return err
	}
	c.To.Info.Size = mapAlign
	c.From = c.To
	c.Replace.Value, err = l.slot(&in.Args[2], in.Types[0], c.Replace.Wide)
	l.info.Copy = c
	l.notOneAccess()
	return err
}
