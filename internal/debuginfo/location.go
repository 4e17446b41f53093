package debuginfo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Operations of DWARF expressions.
const (
	opAddr          = 0x03
	opDeref         = 0x06
	opConst1u       = 0x08
	opConst1s       = 0x09
	opConst2u       = 0x0a
	opConst2s       = 0x0b
	opConst4u       = 0x0c
	opConst4s       = 0x0d
	opConst8u       = 0x0e
	opConst8s       = 0x0f
	opConstu        = 0x10
	opConsts        = 0x11
	opDup           = 0x12
	opDrop          = 0x13
	opAnd           = 0x1a
	opMinus         = 0x1c
	opMul           = 0x1e
	opNeg           = 0x1f
	opNot           = 0x20
	opOr            = 0x21
	opPlus          = 0x22
	opPlusUconst    = 0x23
	opShl           = 0x24
	opShr           = 0x25
	opXor           = 0x27
	opLit0          = 0x30
	opReg0          = 0x50
	opBreg0         = 0x70
	opRegx          = 0x90
	opFbreg         = 0x91
	opBregx         = 0x92
	opPiece         = 0x93
	opNop           = 0x96
	opCallFrameCFA  = 0x9c
	opStackValue    = 0x9f
	opImplicitValue = 0x9e
)

// Space is the memory of an address, DW_AT_address_class of PTX.
type Space uint8

// The address classes of NVIDIA's debugger.
const (
	InRegister Space = 2
	InConst    Space = 4
	InGlobal   Space = 5
	InLocal    Space = 6
	InParam    Space = 7
	InShared   Space = 8
	InGeneric  Space = 12
)

// Place is where a value is: in a register, in memory, or in the debug information itself, if it is a constant.
type Place struct {
	Register string // of PTX, such as %r1; "" if it is not in a register
	Constant bool
	Bits     uint64 // of a constant
	Space    Space  // of memory
	Addr     uint64
	Pieces   []Piece // of a value whose parts are in several places, in order; nil for others
}

// Piece is a part of a value, such as a member of a struct that the compiler keeps in a register of its own.
type Piece struct {
	Size  int64 // bytes
	Known bool  // it has a place
	Place Place
}

// Env gives the state of a lane that the place of a variable depends on. It is used for one lane at a time.
type Env interface {
	Register(name string) (uint64, bool)
	// Symbol returns the address of a variable of PTX in its own space.
	Symbol(name string) (uint64, bool)
	// Frame returns the address in local memory of the variables of the function.
	Frame() (uint64, bool)
	Load(space Space, addr uint64, size int) (uint64, bool)
}

// ErrOptimisedOut is the error for a variable that has no value at an instruction.
var ErrOptimisedOut = errors.New("optimised out")

var errPlace = errors.New("its place is not well-formed")

// Locate returns where the value of a variable is at an instruction.
func (i *Info) Locate(v *Variable, pc int, env Env) (Place, error) {
	switch c := v.constant.(type) {
	case int64:
		return Place{Constant: true, Bits: uint64(c)}, nil
	case uint64:
		return Place{Constant: true, Bits: c}, nil
	case []byte:
		var word [8]byte
		copy(word[:], c)
		return Place{Constant: true, Bits: binary.LittleEndian.Uint64(word[:])}, nil
	}
	expr := v.location
	if v.list >= 0 {
		expr = i.listed(v.list, pc)
	}
	if len(expr) == 0 {
		return Place{}, ErrOptimisedOut
	}
	m := machine{in: reader{expr}, info: i, env: env, space: v.space}
	return m.run()
}

// listed returns the expression for an instruction in the location list at an offset of .debug_loc; nil if the list
// has none.
func (i *Info) listed(at int64, pc int) []byte {
	if at >= int64(len(i.loc)) {
		return nil
	}
	for in := (reader{i.loc[at:]}); len(in.data) >= 16; {
		from, to := in.fixed(8), in.fixed(8)
		if from == 0 && to == 0 {
			return nil
		}
		if from == 1<<64-1 { // base address selection; positions of labels are absolute here
			continue
		}
		expr := in.bytes(int(in.fixed(2)))
		if n := uint64(pc); from&(1<<pcBits-1) <= n && n < to&(1<<pcBits-1) {
			return expr
		}
	}
	return nil
}

// machine evaluates a DWARF expression.
type machine struct {
	in    reader
	info  *Info
	env   Env
	space Space
	stack []uint64
	// literal is set while the stack has a constant alone: that is the value, because DWARF 2 has no DW_OP_stack_value.
	literal bool
}

// run evaluates the expression to a place.
func (m *machine) run() (Place, error) {
	var pieces []Piece
	for len(m.in.data) > 0 {
		p, known, err := m.part()
		switch piece := len(m.in.data) > 0 && m.in.data[0] == opPiece; {
		case err != nil:
			return p, err
		case piece:
			m.in.fixed(1)
			pieces = append(pieces, Piece{int64(m.in.uleb()), known, p})
			m.stack = m.stack[:0]
		case len(pieces) > 0:
			return Place{}, errPlace
		case !known:
			return Place{}, ErrOptimisedOut
		default:
			return p, nil
		}
	}
	return Place{Pieces: pieces}, nil
}

// part evaluates the expression up to its end or the end of a piece. Known is false for a piece without a place.
func (m *machine) part() (p Place, known bool, err error) {
	for len(m.in.data) > 0 && m.in.data[0] != opPiece {
		if p, done, err := m.step(); err != nil || done {
			return p, done, err
		}
	}
	switch {
	case len(m.stack) == 0:
		return p, false, nil
	case m.literal:
		return Place{Constant: true, Bits: m.stack[0]}, true, nil
	}
	return Place{Space: m.space, Addr: m.stack[len(m.stack)-1]}, true, nil
}

// step executes an operation; done means that it names the place.
func (m *machine) step() (p Place, done bool, err error) {
	op := int(m.in.fixed(1))
	m.literal = len(m.stack) == 0 && (op >= opLit0 && op < opReg0 || op >= opConst1u && op <= opConsts)
	switch {
	case op >= opLit0 && op < opReg0:
		m.push(uint64(op - opLit0))
		return p, false, nil
	case op >= opReg0 && op < opRegx: // numbers that PTX has no registers for
		return p, true, fmt.Errorf("its place is register %d of another machine", (op-opReg0)%0x20)
	}
	switch op {
	case opRegx:
		return Place{Register: registerName(m.in.uleb())}, true, nil
	case opStackValue:
		if len(m.stack) == 0 {
			return p, true, ErrOptimisedOut
		}
		return Place{Constant: true, Bits: m.stack[len(m.stack)-1]}, true, nil
	case opImplicitValue:
		var word [8]byte
		copy(word[:], m.in.bytes(int(m.in.uleb())))
		return Place{Constant: true, Bits: binary.LittleEndian.Uint64(word[:])}, true, nil
	}
	return p, false, m.operate(op)
}

// operate executes an operation that changes the stack alone.
func (m *machine) operate(op int) error {
	switch op {
	case opNop:
	case opAddr:
		return m.address(m.in.fixed(8))
	case opConst1u, opConst2u, opConst4u, opConst8u:
		m.push(m.in.fixed(1 << ((op - opConst1u) / 2)))
	case opConst1s, opConst2s, opConst4s, opConst8s:
		size := 1 << ((op - opConst1s) / 2)
		spare := 64 - 8*size
		m.push(uint64(int64(m.in.fixed(size)<<spare) >> spare))
	case opConstu:
		m.push(m.in.uleb())
	case opConsts:
		m.push(uint64(m.in.sleb()))
	case opBregx:
		return m.based(m.env.Register(registerName(m.in.uleb())))
	case opFbreg:
		return m.based(m.env.Frame())
	case opCallFrameCFA:
		at, ok := m.env.Frame()
		m.push(at)
		return missing(ok)
	default:
		return m.compute(op)
	}
	return nil
}

// compute executes an operation on the top of the stack.
func (m *machine) compute(op int) error {
	x, ok := m.pop()
	y := x
	switch op {
	case opDup, opDrop, opNeg, opNot, opPlusUconst, opDeref:
	default:
		x, ok = m.pop()
	}
	if !ok {
		return errPlace
	}
	switch op {
	case opDup:
		m.push(x)
		m.push(x)
	case opDrop:
	case opNeg:
		m.push(-x)
	case opNot:
		m.push(^x)
	case opPlusUconst:
		m.push(x + m.in.uleb())
	case opDeref:
		v, there := m.env.Load(m.space, x, 8)
		m.push(v)
		m.space = InGeneric
		return missing(there)
	case opAnd:
		m.push(x & y)
	case opOr:
		m.push(x | y)
	case opXor:
		m.push(x ^ y)
	case opPlus:
		m.push(x + y)
	case opMinus:
		m.push(x - y)
	case opMul:
		m.push(x * y)
	case opShl:
		m.push(x << y)
	case opShr:
		m.push(x >> y)
	default:
		return fmt.Errorf("its place needs operation 0x%x of DWARF, which is not known here", op)
	}
	return nil
}

// address pushes the address of a variable of PTX, or a number.
func (m *machine) address(word uint64) error {
	n := word &^ symbolBase
	if word&symbolBase == 0 {
		m.push(word)
		return nil
	}
	if n >= uint64(len(m.info.symbols)) {
		return ErrOptimisedOut
	}
	at, ok := m.env.Symbol(m.info.symbols[n])
	m.push(at)
	return missing(ok)
}

// based pushes a base with the offset that follows it.
func (m *machine) based(base uint64, ok bool) error {
	m.push(base + uint64(m.in.sleb()))
	if m.space == InRegister {
		m.space = InGeneric
	}
	return missing(ok)
}

func missing(ok bool) error {
	if !ok {
		return ErrOptimisedOut
	}
	return nil
}

func (m *machine) push(v uint64) { m.stack = append(m.stack, v) }

func (m *machine) pop() (uint64, bool) {
	if len(m.stack) == 0 {
		return 0, false
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, true
}

// registerName returns the name of a register from its number, whose bytes are its characters, the first one the most
// significant.
func registerName(n uint64) string {
	var b strings.Builder
	for shift := 56; shift >= 0; shift -= 8 {
		if c := byte(n >> shift); c != 0 {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// reader reads numbers of DWARF. Beyond the end it reads zeros.
type reader struct{ data []byte }

func (r *reader) bytes(n int) []byte {
	n = max(0, min(n, len(r.data)))
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

// fixed reads a number of up to 8 bytes.
func (r *reader) fixed(size int) uint64 {
	var word [8]byte
	copy(word[:], r.bytes(size))
	return binary.LittleEndian.Uint64(word[:])
}

func (r *reader) uleb() (n uint64) {
	for shift := 0; len(r.data) > 0; shift += 7 {
		b := r.fixed(1)
		n |= b & 0x7f << shift
		if b&0x80 == 0 {
			break
		}
	}
	return n
}

func (r *reader) sleb() int64 {
	n, shift := uint64(0), 0
	for len(r.data) > 0 {
		b := r.fixed(1)
		n |= b & 0x7f << shift
		shift += 7
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 64 {
				n |= ^uint64(0) << shift
			}
			break
		}
	}
	return int64(n)
}
