package libdevice

import (
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// templates are those of the functions that compiled code computes itself, with the bits of Eval, by their names
// without the prefix. Each is of one .f32, or of two.
var templates = map[string]*jit.Template{
	"expf": ofOne((*jit.Emit).ExpSingle), "exp10f": ofOne((*jit.Emit).Exp10Single), "expm1f": ofOne((*jit.Emit).Expm1Single),
	"logf": ofOne((*jit.Emit).LogSingle), "log2f": ofOne((*jit.Emit).Log2Single), "log10f": ofOne((*jit.Emit).Log10Single),
	"powf":  {NaN: true, Control: jit.Nearest, Body: func(e *jit.Emit, o *jit.Operands) { e.PowSingle(o.D, o.A, o.B) }},
	"tanhf": ofOne((*jit.Emit).TanhSingle),
	"sinf":  ofAngle((*jit.Emit).SinSingle), "cosf": ofAngle((*jit.Emit).CosSingle), "tanf": ofAngle((*jit.Emit).TanSingle),
}

// ofOne returns the template of a function of one .f32.
func ofOne(body func(e *jit.Emit, d, a jit.Val)) *jit.Template {
	return &jit.Template{NaN: true, Control: jit.Nearest, Body: func(e *jit.Emit, o *jit.Operands) { body(e, o.D, o.A) }}
}

// ofAngle returns the template of a function of an angle. Lanes with large angles are left to Eval.
func ofAngle(body func(e *jit.Emit, d, a jit.Val)) *jit.Template {
	t := ofOne(body)
	t.Check = func(e *jit.Emit, a jit.Val, p *jit.Val, fail jit.Label) { e.CheckMagnitude(a, fn.MostReduced, p, fail) }
	return t
}

// Compiled returns an instruction, without operands, that computes f: an isa.Computation. ok is false if f is not
// computed in Go, or has other results than one; the call remains then.
func (f *Func) Compiled() (in isa.Instr, ok bool) {
	if f.computation == nil {
		return in, false
	}
	return isa.ComputationOf(f.computation()), true
}

// HasTemplate reports whether compiled code computes f itself; it asks for the lane function of other instructions.
func (f *Func) HasTemplate() bool { return templates[strings.TrimPrefix(f.Name, Prefix)] != nil }

// ParamBits returns the widths of the registers of an instruction that computes f, first that of the result.
func (f *Func) ParamBits() (all []int) {
	for _, t := range append(f.Results[:1:1], f.Params...) {
		all = append(all, int(8*types[t].bytes))
	}
	return all
}

// newComputation returns the row of an instruction that computes f.
func (f *Func) newComputation() *isa.Spec {
	name := strings.TrimPrefix(f.Name, Prefix)
	return isa.Computation(name, len(f.Params), templates[name], func(file *lanes.File, op *lanes.Op, m lanes.Mask) {
		v := Vectors{Lanes: m}
		v.Results[0] = f.Results[0].in(file, op.D)
		offsets := [len(v.Args)]uint32{op.A, op.B, op.C, op.E}
		for i, t := range f.Params {
			v.Args[i] = t.in(file, offsets[i])
		}
		f.EvalLanes(&v)
	})
}

// in returns the values of the type in a slot.
func (t Type) in(file *lanes.File, off uint32) Vector {
	if t.IsLong() {
		return Vector{Long: lanes.Reg[uint64](file, off)}
	}
	return Vector{Word: lanes.Reg[uint32](file, off)}
}
