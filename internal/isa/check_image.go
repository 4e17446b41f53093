package isa

import (
	"fmt"
	"math"
	"strings"

	"github.com/simtrun/simtrun/internal/sorted"
)

// The elements of an ImageOperand.
const (
	ImageName    = iota // the texture or surface
	ImageSampler        // the sampler, or NoOperand
	ImageCoords         // the first coordinate
)

// ImageType returns the type of the object in the instruction's image operand: SurfRef or TexRef.
func (in *Instr) ImageType() Type {
	if in.Spec.Surface {
		return SurfRef
	}
	return TexRef
}

// checkImage checks a texture or surface with its sampler and coordinates.
func (in *Instr) checkImage(n Names, a *Operand) string {
	if a.Kind != ImageOperand {
		return "write the texture or surface in brackets: " + in.Spec.FormText()
	}
	want := in.ImageType()
	samplerOnly := want == TexRef && in.Mods[Query] >= QueryUnnormalized
	if msg := in.checkHandle(n, &a.Elems[ImageName], want, samplerOnly); msg != "" {
		return msg
	}
	if s := &a.Elems[ImageSampler]; s.Kind != NoOperand {
		if in.Spec.Kind == QueryKind || want == SurfRef {
			return fmt.Sprintf("a sampler besides %s; it takes none", nameOf(n, &a.Elems[ImageName]))
		}
		if msg := in.checkHandle(n, s, SamplerRef, false); msg != "" {
			return msg
		}
	}
	return in.checkCoords(n, a.Elems[ImageCoords:])
}

// nameOf is a register or variable as a message shows it.
func nameOf(n Names, a *Operand) string {
	if a.Kind == RegOperand {
		return n.Reg(a.Reg).Name
	}
	return a.Sym
}

// checkHandle checks an operand that stands for a texture, sampler or surface: a variable of its type, a parameter of a
// kernel, or a register with a handle.
func (in *Instr) checkHandle(n Names, a *Operand, want Type, samplerToo bool) string {
	switch a.Kind {
	case RegOperand:
		if r := n.Reg(a.Reg); r.Type.Bits() < 32 || r.Type.Bits() > 64 || r.Type.Class() == Float {
			return fmt.Sprintf("%s is .%s; the handle of a .%s takes a 64-bit integer register", r.Name, r.Type, want)
		}
		return ""
	case SymOperand:
		v := n.Var(a.Sym)
		switch {
		case v == nil:
			return fmt.Sprintf("%s is not declared", a.Sym)
		case a.Bits != 0:
			return fmt.Sprintf("%s%+d; a .%s has no parts", a.Sym, int64(a.Bits), want)
		case v.Type == want, samplerToo && v.Type == SamplerRef:
			return ""
		case v.Space == Param && !v.Type.IsOpaque() && v.Size() == 8:
			return "" // the kernel's parameter is a handle
		}
		return fmt.Sprintf("%s is .%s; %s takes a .%s", a.Sym, v.Type, in.Spec.Name, want)
	}
	return fmt.Sprintf("a .%s is a variable or a register with its handle", want)
}

// checkCoords checks coordinates and the operands before them.
func (in *Instr) checkCoords(n Names, coords []Operand) string {
	if in.Spec.Kind == QueryKind {
		if len(coords) > 0 {
			return "coordinates where none are asked for; it takes " + in.Spec.FormText()
		}
		return ""
	}
	g := in.Geometry()
	needed := g.Index() + g.Dims()
	if len(coords) < needed || len(coords) > needed && len(coords) != geometries[g].width && len(coords) != 4 {
		return fmt.Sprintf("%s; .%s takes %s", plural(len(coords), "coordinate"), g, g.coordsText())
	}
	t := S32
	if in.Types[1] != NoType {
		t = in.Types[1]
	}
	for i := range coords {
		elem := t
		if i < g.Index() || i >= needed {
			elem = B32 // a number, or of no meaning
		}
		p := Formal{Name: 'c'}
		if msg := in.checkValue(n, &p, &coords[i], elem); msg != "" {
			return msg
		}
	}
	return ""
}

// coordsText returns the coordinates of a geometry as PTX writes them.
func (g Geometry) coordsText() string {
	var names []string
	if g.Array() {
		names = append(names, "layer")
	}
	if g.Samples() {
		names = append(names, "sample")
	}
	names = append(names, []string{"x", "y", "z"}[:g.Dims()]...)
	return "{" + strings.Join(names, ", ") + "}"
}

// checkOffset checks an offset or a gradient of the coordinates.
func (in *Instr) checkOffset(n Names, p *Formal, a *Operand) string {
	g := in.Geometry()
	most, least := geometries[g].offset, g.Dims()
	if p.Fixed == F32 { // a step
		if most = geometries[g].offset; most == 0 {
			most = 4
		}
	}
	if most == 0 {
		return fmt.Sprintf("an offset %c; .%s takes none", p.Name, g)
	}
	elems := []Operand{*a}
	if a.Kind == VecOperand {
		elems = a.Elems
	}
	if len(elems) < least || len(elems) > max(most, least) {
		return fmt.Sprintf("operand %c has %s; .%s takes %d", p.Name, plural(len(elems), "element"), g, least)
	}
	for i := range elems {
		if msg := in.checkValue(n, p, &elems[i], p.Fixed); msg != "" {
			return msg
		}
	}
	return ""
}

// openOffset inserts an absent offset before a depth, if only one operand follows a texture. The offset is a vector
// or, for one coordinate, an integer.
func (in *Instr) openOffset(n Names) {
	s := in.Spec
	last := len(s.formals) - 1
	if last < 1 || s.formals[last-1].Kind != Offset || !s.formals[last-1].Optional || len(in.Args) != last {
		return
	}
	a := &in.Args[last-1]
	depth := false
	switch a.Kind {
	case RegOperand:
		t := n.Reg(a.Reg).Type
		depth = t.Class() == Float || geometries[in.Mods[Geom]].offset != 1
	case ImmOperand:
		if depth = a.Lit != IntLit; a.Lit == F64Lit {
			a.Lit, a.Bits = F32Lit, uint64(math.Float32bits(float32(math.Float64frombits(a.Bits))))
		}
	}
	if depth {
		in.Args = sorted.Insert(in.Args, last-1, Operand{Reg: NoReg})
	}
}
