package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// warpBytes is the size of a warp's scratch memory in shared memory, which is contiguous.
const warpBytes = 32 * scratchBytes

// warpMultiply multiplies matrices in the shared memory of a warp: its instructions load A, B and C, and store D.
type warpMultiply struct {
	product  warpProduct
	matrices []*matrixOf
	space    string
	strides  [4]bool // that are given
}

// structuredWarpProducts are the forms of wmma.mma with elements of D that are known to the bit.
var structuredWarpProducts = sync.OnceValue(func() (all []warpProduct) {
	for _, p := range wmmaForms() {
		if p.a != "f64" {
			all = append(all, p)
		}
	}
	return all
})

func randomWarpMultiply(r *rand.Rand) *warpMultiply {
	all := structuredWarpProducts()
	x := &warpMultiply{product: all[r.IntN(len(all))], space: []string{"", ".shared"}[r.IntN(2)]}
	x.matrices, _ = x.product.placed(0)
	for i, m := range x.matrices {
		stride := m.rows * m.cols / m.majors()
		m.stride = stride
		m.stride += r.IntN(3) * 32 * 8 / elementBits(m.typ)
		if m.size() > warpBytes {
			m.stride = stride
		}
		x.strides[i] = m.stride != stride || r.IntN(2) == 0
		m.at = r.IntN((warpBytes-m.size())/64+1) * 64
	}
	return x
}

// execute executes the instructions on a warp.
func (x *warpMultiply) execute(warp []laneState) {
	var memory []byte
	for lane := range warp {
		memory = append(memory, warp[lane].memory[sharedScratch][:]...)
	}
	memory = x.product.multiplied(x.matrices, memory)
	for lane := range warp {
		copy(warp[lane].memory[sharedScratch][:], memory[lane*scratchBytes:])
	}
}

// write writes the instructions as PTX.
func (x *warpMultiply) write(w *kernelText) {
	p, regs := &x.product, make(map[string]string)
	w.line("{")
	var declarations strings.Builder
	for _, m := range x.matrices {
		regs[m.name] = p.declare(&declarations, m)
	}
	w.WriteString(declarations.String())
	w.line("and.b32 %%v, %%t, -32;")
	w.line("mov.u64 %%y, of_cta;")
	w.line("mad.wide.u32 %%y, %%v, %d, %%y;", scratchBytes)
	if x.space == "" {
		w.line("cvta.shared.u64 %%y, %%y;")
	}
	for i, m := range x.matrices {
		stride := ""
		if x.strides[i] {
			stride = fmt.Sprintf(", %d", m.stride)
		}
		switch {
		case m.name == "d":
			w.line("%s %s, %s, %s, %s;", p.fullName(), regs["d"], regs["a"], regs["b"], regs["c"])
			w.line("%s [%%y+%d], %s%s;", p.text(m, x.space), m.at, regs["d"], stride)
		default:
			w.line("%s %s, [%%y+%d]%s;", p.text(m, x.space), regs[m.name], m.at, stride)
		}
	}
	w.line("}")
}
