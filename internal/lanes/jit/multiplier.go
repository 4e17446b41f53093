package jit

import (
	"runtime"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Multiplier is the routine of a product as code that Go calls. It is immutable.
type Multiplier struct{ code *Code }

// MultiplierState is the memory that a Multiplier needs, for one thread of the host.
type MultiplierState struct {
	file, registers unsafe.Pointer
	_               [40]byte // as in Context, so that the following begins at a cache line
	scratch         [productBytes]byte
}

// NewMultiplier compiles the routine of a product for which HasProduct holds.
func NewMultiplier(level Level, p *lanes.Product) (*Multiplier, error) {
	return newMultiplier(&Emit{Level: level, Dots: HasDots(level)}, p)
}

func newMultiplier(e *Emit, p *lanes.Product) (*Multiplier, error) {
	e.Reset()
	routine := e.NewLabel()
	e.Load(W64, regFile, memAt(regCtx, int32(unsafe.Offsetof(MultiplierState{}.file))))
	e.Load(W64, productTable, memAt(regCtx, int32(unsafe.Offsetof(MultiplierState{}.registers))))
	e.lea(productScratch, memAt(regCtx, int32(unsafe.Offsetof(MultiplierState{}.scratch))))
	e.Call(routine)
	e.vzeroupper()
	e.Ret()
	e.ProductRoutine(routine, p)
	e.Pool()
	b, err := e.Bytes()
	if err != nil {
		return nil, err
	}
	code, err := NewCode(b, 0)
	return &Multiplier{code}, err
}

// Multiply executes an Op with the Fragments of the product, for all lanes. It reports false, and changes nothing, if
// the routine is not for these operands.
func (m *Multiplier) Multiply(s *MultiplierState, f *lanes.File, in *lanes.Op) bool {
	if ControlOf(in.Mode) != Nearest {
		return false
	}
	s.file, s.registers = unsafe.Pointer(f), unsafe.Pointer(in.Vec)
	failed := Enter(m.code.Addr(0), unsafe.Pointer(s))
	s.file, s.registers = nil, nil
	runtime.KeepAlive(m.code)
	return failed == 0
}
