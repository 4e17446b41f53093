package program

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Image has the operands of a texture or surface instruction, as slots; 0 for none.
type Image struct {
	Geometry isa.Geometry
	Handle   uint32 // of the texture or surface
	Wide     bool   // Handle has 64 bits
	Sampler  uint32 // handle of the sampler; 0: the texture's own
	// Coords are the leading elements, which number a texture of an array and a sample, and then the coordinates.
	Coords  []uint32
	LOD     uint32
	DX, DY  []uint32 // derivatives of the coordinates
	Offset  []uint32
	Compare uint32
	// Results is the number of registers that a surface is loaded into; ResultWide says that they have 64 bits.
	Results    int
	ResultWide bool
	// Texel are slots where a formatted store puts words of a texel; Stores then stores them, by the logarithm of the
	// texel's bytes.
	Texel  [4]uint32
	Stores [5]lanes.Op
	// Signed is an atomic on a surface of signed integers, if that differs from the one on others.
	Signed *lanes.Op

	wideSampler bool
}

// SamplerWide reports whether Sampler has 64 bits.
func (im *Image) SamplerWide() bool { return im.wideSampler }

// image finds the slots of a texture or surface, its sampler and coordinates.
func (l *lowering) image(a *isa.Operand) (err error) {
	im := &Image{Geometry: l.in.Geometry()}
	l.info.Image = im
	if im.Handle, im.Wide, err = l.handle(&a.Elems[isa.ImageName]); err != nil {
		return err
	}
	if s := &a.Elems[isa.ImageSampler]; s.Kind != isa.NoOperand {
		if im.Sampler, im.wideSampler, err = l.handle(s); err != nil {
			return err
		}
	}
	if l.in.Spec.Kind == isa.QueryKind {
		return nil
	}
	g := l.in.Geometry()
	im.Coords, err = l.slots(a.Elems[isa.ImageCoords:][:g.Index()+g.Dims()], isa.B32)
	return err
}

// slots returns the slots of scalar operands of type t.
func (l *lowering) slots(elems []isa.Operand, t isa.Type) (all []uint32, err error) {
	for i := range elems {
		off, err := l.slot(&elems[i], t, false)
		if err != nil {
			return nil, err
		}
		all = append(all, off)
	}
	return all, nil
}

// steps finds the slots of an offset or of a derivative of the coordinates.
func (l *lowering) steps(formal *isa.Formal, a *isa.Operand) (err error) {
	elems := []isa.Operand{*a}
	if a.Kind == isa.VecOperand {
		elems = a.Elems
	}
	all, err := l.slots(elems[:l.in.Geometry().Dims()], formal.Fixed)
	switch im := l.info.Image; formal.Name {
	case 'x':
		im.DX = all
	case 'y':
		im.DY = all
	default:
		im.Offset = all
	}
	return err
}

// handle returns the slot of a handle, and whether it has 64 bits. A name that is not declared in the function is
// bound before the launch.
func (l *lowering) handle(a *isa.Operand) (off uint32, wide bool, err error) {
	if a.Kind == isa.RegOperand {
		return l.f.Layout.Reg(a.Reg), l.f.Src.Regs[a.Reg].Type.Bits() > 32, nil
	}
	if at, ok := l.f.kernel[a.Sym]; ok {
		return l.handleParam(at), true, nil
	}
	sym, err := l.symbol(a)
	if err != nil {
		return 0, true, err
	}
	l.p.Images = append(l.p.Images, NamedImage{a.Sym, l.in.PosOf(a), l.in})
	return l.f.Layout.Const(sym.addr, true), true, nil
}

// NamedImage is an instruction that names a texture, sampler or surface of the module.
type NamedImage struct {
	Name  string
	Pos   isa.Pos
	Instr *isa.Instr
}

// handleParam returns a new slot with the handle in a kernel's parameter.
func (l *lowering) handleParam(at int64) uint32 {
	s := ParamSlot{at: at, typ: isa.U64, Bits: 64, Off: l.f.Layout.newSlot(true)}
	l.f.ParamSlots = append(l.f.ParamSlots, s)
	return s.Off
}

// opaqueParam returns the offset of the handle in a kernel's parameter of an opaque type.
func (f *Func) opaqueParam(name string) (at int64, ok bool) {
	for _, v := range f.Src.Params {
		if v.Name == name && v.Type.IsOpaque() {
			at, ok = f.kernel[name]
		}
	}
	return at, ok
}

// surface adds the facts about accesses to surfaces other than slots.
func (l *lowering) surface(v *isa.Variant) error {
	in, op, im := l.in, l.op, l.info.Image
	l.info.Space = isa.Global
	im.Results, im.ResultWide = in.Mods.VecLen(), max(v.DstBits, in.Types[0].Bits()) > 32
	if fn := in.SignedAtomic(); fn != nil {
		signed := *op
		signed.Mem, im.Signed = fn, &signed
	}
	formatted := in.Spec.Kind == isa.Store && in.Mods[isa.SurfaceForm] == isa.SurfaceSamples
	if zeros := in.Spec.Kind == isa.Load && in.Mods[isa.Clamp] == isa.ClampZero; (formatted || zeros) && len(l.before)+len(l.behind) > 0 {
		return isa.Errorf(in.Pos, "%s with registers of several widths, or a constant added to one, is not supported yet", in.Mnemonic())
	}
	if !formatted {
		return nil
	}
	for i := range im.Texel {
		im.Texel[i] = l.f.Layout.newSlot(false)
	}
	for i := range im.Stores {
		store := *op
		store.B, store.Vec = im.Texel[0], new([2 * lanes.MaxVec]uint32)
		copy(store.Vec[:], im.Texel[:])
		store.Mem = [...]lanes.MemFunc{lanes.Store[uint8, uint32], lanes.Store[uint16, uint32], lanes.Store[uint32, uint32], lanes.StoreVec[uint32, uint32](2), lanes.StoreVec[uint32, uint32](4)}[i]
		im.Stores[i] = store
	}
	return nil
}

// StoreOf stores a texel of a number of bytes, a power of two up to 16.
func (im *Image) StoreOf(bytes int) *lanes.Op { return &im.Stores[bits.TrailingZeros(uint(bytes))] }
