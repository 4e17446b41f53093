package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// program is a kernel with everything resolved: one lanes.Op for each
// instruction, in order of PC, and one more that ends threads which run off
// the end of the code.
type program struct {
	fn     *isa.Func
	ops    []lanes.Op
	code   []instr // what the run loop needs beside the Op
	layout *warp.Layout
	flow   *divergence.Flow
	unset  []isa.RegID // registers that may be read before they are written

	places       map[string]uint64 // shared and local variables and parameters, in their spaces
	paramOffsets []int64
	paramBytes   int64
	params       []paramSlot
	static       int64 // bytes of static shared memory
	dynamicAt    int64 // where dynamic shared memory starts
	local        int64 // bytes of local memory per thread
}

// instr is what the run loop needs to know of an instruction beside its Op.
type instr struct {
	mem    lanes.MemFunc
	target int32 // of a branch
	space  isa.Space
	size   uint8 // bytes that one lane moves
	wide   bool  // the address is 64 bits
	sync   bool  // a mask in E names the lanes that take part
}

// paramSlot is a read-only slot that holds a parameter in every lane.
type paramSlot struct {
	off  uint32
	at   int64 // in the parameter block
	typ  isa.Type
	bits int // width of the register that is loaded
}

// value is what the slot holds, given the parameter block: extended to the
// register's width as a load would.
func (s *paramSlot) value(params []byte) uint64 {
	var b [8]byte
	copy(b[:], params[s.at:s.at+int64(s.typ.Bytes())])
	v := binary.LittleEndian.Uint64(b[:])
	if s.typ.Class() == isa.Signed {
		spare := 64 - s.typ.Bits()
		v = uint64(int64(v<<spare) >> spare)
	}
	return v & (1<<s.bits - 1)
}

// lower resolves kernel fn. An instruction that cannot be run yet is an
// *isa.Error with its position.
func (m *Machine) lower(fn *isa.Func) (*program, error) {
	if fn.Later != nil {
		return nil, fn.Later
	}
	p := &program{fn: fn, layout: warp.NewLayout(fn), flow: divergence.Analyze(fn)}
	p.unset = unsetRegs(fn, p.flow)
	m.placeVars(p)
	p.ops = make([]lanes.Op, len(fn.Code)+1)
	p.code = make([]instr, len(fn.Code)+1)
	for pc := range fn.Code {
		l := lowering{m: m, p: p, in: &fn.Code[pc], op: &p.ops[pc], code: &p.code[pc]}
		if err := l.instruction(); err != nil {
			return nil, err
		}
	}
	p.ops[len(fn.Code)] = lanes.Op{Kind: uint8(isa.Exit), Guard: p.layout.True}
	return p, nil
}

// placeVars lays out the kernel's parameters, and its shared and local
// variables: its own, and those of the module that it names.
func (m *Machine) placeVars(p *program) {
	p.places = make(map[string]uint64)
	p.paramOffsets, p.paramBytes = p.fn.ParamLayout()
	for i, v := range p.fn.Params {
		p.places[v.Name] = uint64(p.paramOffsets[i])
	}
	vars := append([]*isa.Var(nil), p.fn.Vars...)
	used := namesIn(p.fn)
	for _, v := range m.mod.Vars {
		if used[v.Name] {
			vars = append(vars, v)
		}
	}
	var dynamic []*isa.Var
	for _, v := range vars {
		switch {
		case v.Space == isa.Shared && v.Linkage == isa.Extern && v.Count == 0:
			dynamic = append(dynamic, v)
		case v.Space == isa.Shared:
			p.places[v.Name] = uint64(place(&p.static, v))
		case v.Space == isa.Local:
			p.places[v.Name] = uint64(place(&p.local, v))
		}
	}
	// All dynamic arrays start at the same place, after the static variables.
	align := int64(1)
	for _, v := range dynamic {
		align = max(align, int64(v.Align))
	}
	p.dynamicAt = alignUp(p.static, align)
	for _, v := range dynamic {
		p.places[v.Name] = uint64(p.dynamicAt)
	}
	p.local = alignUp(p.local, 16)
}

// place puts v at the end of a space of *size bytes.
func place(size *int64, v *isa.Var) int64 {
	at := alignUp(*size, int64(max(v.Align, 1)))
	*size = at + v.Size()
	return at
}

func alignUp(n, align int64) int64 { return (n + align - 1) / align * align }

// namesIn are the symbols that the code of fn names.
func namesIn(fn *isa.Func) map[string]bool {
	names := make(map[string]bool)
	for i := range fn.Code {
		for _, a := range fn.Code[i].Args {
			if a.Sym != "" {
				names[a.Sym] = true
			}
		}
	}
	return names
}
