package libdevice

import (
	"math/bits"

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

// Compiled returns an instruction, without operands, that computes f: an isa.Computation. ok is false if compiled code
// cannot compute f, and the call remains.
func (f *Func) Compiled() (in isa.Instr, ok bool) {
	if f.computation == nil {
		return in, false
	}
	return isa.ComputationOf(f.computation), true
}

// computationOf returns the row of an instruction that computes a function with Eval; nil without a template.
func computationOf(name string, f *Func) *isa.Spec {
	t := templates[name]
	if t == nil {
		return nil
	}
	eval := f.Eval
	return isa.Computation(name, len(f.Params), t, func(file *lanes.File, op *lanes.Op, m lanes.Mask) {
		d, a, b := lanes.Out[uint32](file, op.D, m), lanes.Reg[uint32](file, op.A), lanes.Reg[uint32](file, op.B)
		v := new(Values)
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(uint32(rest))
			v.Args = [4]uint64{uint64(a[lane]), uint64(b[lane])}
			eval(v)
			d[lane] = uint32(v.Results[0])
		}
		lanes.Merge[uint32](file, op.D, m)
	})
}
