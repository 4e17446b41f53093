package jit

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// A fetch from a texture is a routine that compiled code calls: for 8 or 16 lanes at a time it finds the texels at
// their coordinates, gathers them, converts their channels, and weights them. It is written for a Fetch, which has all
// that decides on its instructions, and finds the texture itself (Texels) by a pointer in the Hint of the instruction.

// Fetch is a kind of fetch.
type Fetch struct {
	Dims    int  // of the coordinates, from 1 to 3
	Layers  bool // one more coordinate, after the others, numbers the layer
	Integer bool // coordinates are numbers of texels; else .f32
	Linear  bool // two texels in each dimension are weighted; else one is read. The channels are then .f32
	// FourOf is 0, or 1 more than the channel of which the four texels around a place in two dimensions are read,
	// instead of the channels of one.
	FourOf   int
	Axes     [3]FetchAxis
	Channel  ChannelType
	Channels int // of a texel: 1, 2 or 4
	SRGB     bool
	Results  int // registers of a lane, from 1 to 4: channels that texels do not have are 0, and the fourth is 1
}

// FetchAxis is one dimension of a Fetch.
type FetchAxis struct {
	Mode     AddressMode
	Scaled   bool // coordinates are multiplied by the number of texels
	Infinite bool // infinite coordinates count as 0, as NaN does
}

// AddressMode says what coordinates outside of a texture mean; see package texture.
type AddressMode uint8

// The modes.
const (
	ClampToEdge AddressMode = iota
	Wrap                    // with Scaled only
	Mirror                  // with Scaled only
	ClampOGL
	Border
)

// borders reports whether lanes may read the border's colour.
func (m AddressMode) borders() bool { return m >= ClampOGL }

// ChannelType is how the bits of a channel are read.
type ChannelType uint8

// The types: integers; floating-point numbers; and integers that stand for 0 to 1, or -1 to 1.
const (
	ChannelU8 ChannelType = iota
	ChannelS8
	ChannelU16
	ChannelS16
	Channel32 // .u32, .s32 and .f32, of which the bits are the result
	ChannelF16
	ChannelF32 // Channel32 if it is filtered
	ChannelUnorm8
	ChannelSnorm8
	ChannelUnorm16
	ChannelSnorm16
)

// bytes is the size of a channel.
func (c ChannelType) bytes() int {
	switch c {
	case ChannelU8, ChannelS8, ChannelUnorm8, ChannelSnorm8:
		return 1
	case Channel32, ChannelF32:
		return 4
	}
	return 2
}

// Texels is a texture, as the routine of a Fetch finds it.
type Texels struct {
	code   uintptr        // of the routine
	Data   unsafe.Pointer // the first texel
	Values unsafe.Pointer // with SRGB, the bits of the .f32 for each byte of red, green and blue
	Axes   [4]TexelAxis   // x, y and z; after the dimensions of the Fetch the layers
	Border [4]uint32      // results of lanes that read only the border's colour
	One    uint32         // the fourth result, if texels do not have it

	fetcher *Fetcher // keeps the code alive
}

// TexelAxis is one dimension of a texture, or its layers.
type TexelAxis struct {
	Size    float64 // N
	N, Last int32   // number of texels, and that of the last one
	Step    int32   // bytes from one to the next
	_       int32
}

const (
	texelsCode   = int32(unsafe.Offsetof(Texels{}.code))
	texelsData   = int32(unsafe.Offsetof(Texels{}.Data))
	texelsValues = int32(unsafe.Offsetof(Texels{}.Values))
	texelsAxes   = int32(unsafe.Offsetof(Texels{}.Axes))
	texelsBorder = int32(unsafe.Offsetof(Texels{}.Border))
	texelsOne    = int32(unsafe.Offsetof(Texels{}.One))

	texelAxisBytes = int32(unsafe.Sizeof(TexelAxis{}))
	texelAxisSize  = int32(unsafe.Offsetof(TexelAxis{}.Size))
	texelAxisN     = int32(unsafe.Offsetof(TexelAxis{}.N))
	texelAxisLast  = int32(unsafe.Offsetof(TexelAxis{}.Last))
	texelAxisStep  = int32(unsafe.Offsetof(TexelAxis{}.Step))
)

// MostTexelBytes bounds the memory of Texels: offsets have 31 bits.
const MostTexelBytes = 1<<31 - 64

// FetchRegisters are offsets in the register file: of the slots of the coordinates, in the order of Texels.Axes, and of
// the results.
type FetchRegisters struct{ Coords, Results [4]uint32 }

const fetchResults = int32(unsafe.Offsetof(FetchRegisters{}.Results))

// Fetcher is the routine of a Fetch. It is immutable.
type Fetcher struct {
	code    *Code
	routine int
}

// NewFetcher compiles the routine of a Fetch. With inert it is for evaluation only.
func NewFetcher(level Level, f *Fetch, inert bool) (*Fetcher, error) {
	x := newFetchRoutine(level, f)
	routine := x.NewLabel()
	at := func(offset uintptr) Mem { return memAt(regCtx, int32(offset)) }
	x.Load(W64, regFile, at(unsafe.Offsetof(FetchState{}.file)))
	x.Load(W64, fetchTexels, at(unsafe.Offsetof(FetchState{}.texels)))
	x.Load(W64, fetchTable, at(unsafe.Offsetof(FetchState{}.registers)))
	x.Load(W32, fetchLanes, at(unsafe.Offsetof(FetchState{}.lanes)))
	x.lea(fetchScratch, at(unsafe.Offsetof(FetchState{}.scratch)))
	x.Call(routine)
	x.vzeroupper()
	x.Ret()
	x.write(routine)
	offset := x.Offset(routine)
	x.Pool()
	b, err := x.Bytes()
	if err != nil {
		return nil, err
	}
	allocate := NewCode
	if inert {
		allocate = NewInert
	}
	code, err := allocate(b, 0)
	return &Fetcher{code, offset}, err
}

// Serve makes compiled code fetch from t by the routine.
func (f *Fetcher) Serve(t *Texels) { t.code, t.fetcher = f.code.Addr(f.routine), f }

// FetchState is the memory that Fetcher.Fetch needs, for one thread of the host.
type FetchState struct {
	file, texels, registers unsafe.Pointer
	lanes                   uint32
	_                       uint32
	scratch                 [productBytes]byte
}

// Fetch executes a fetch for the lanes of m.
func (f *Fetcher) Fetch(s *FetchState, file *lanes.File, t *Texels, r *FetchRegisters, m lanes.Mask) {
	s.file, s.texels, s.registers, s.lanes = unsafe.Pointer(file), unsafe.Pointer(t), unsafe.Pointer(r), uint32(m)
	Enter(f.code.Addr(0), unsafe.Pointer(s))
	s.file, s.texels, s.registers = nil, nil, nil
	runtime.KeepAlive(f.code)
}

// FetchHandle is the handle of a texture or of a sampler in the lanes.
type FetchHandle struct {
	Slot uint32
	Wide bool // it has 64 bits
	// Uniform says that all lanes have the handle of the first one; InSpill that it is a scalar without a stride, in
	// the spill slot Spill.
	Uniform, InSpill bool
	Spill            uint32
}

// FetchSite is a fetch in compiled code.
type FetchSite struct {
	PC        int // of the Hint: Base is the handle of the texture, Len that of the sampler, and Data the Texels
	Handles   []FetchHandle
	Registers Label // of a table by FetchTable
	Masked    bool
	Guarded   bool // by the predicate in slot Guard, or its complement
	Not       bool
	Guard     uint32
}

// FetchTable writes a table of registers at l.
func (e *Emit) FetchTable(l Label, r *FetchRegisters) {
	e.Bind(l)
	var b []byte
	for _, all := range [][4]uint32{r.Coords, r.Results} {
		for _, off := range all {
			b = binary.LittleEndian.AppendUint32(b, off)
		}
	}
	e.literal(b)
}

// Fetch calls the routine in the Hint. It jumps to fail, and nothing has changed, if the Hint is empty or is that of
// other handles.
func (e *Emit) Fetch(s *FetchSite, fail Label) {
	done := e.NewLabel()
	e.executing(s.Masked) // in EDX
	if s.Guarded {
		e.Load(W32, RAX, memAt(regFile, int32(s.Guard)))
		if s.Not {
			e.Asm.not(W32, RAX)
		}
		e.op(and, W32, fetchLanes, RAX)
		e.jcc(condE, done)
	}
	h := e.hint(&Area{PC: s.PC})
	e.Load(W64, fetchTexels, h.plus(hintData))
	e.test(W64, fetchTexels, fetchTexels)
	e.jcc(condE, fail)
	for i := range s.Handles {
		e.checkHandle(&s.Handles[i], h.plus([]int32{hintBase, hintLen}[i]), s.Masked || s.Guarded, fail)
	}
	e.lea(fetchTable, atLabel(s.Registers, 0))
	e.lea(fetchScratch, memAt(regCtx, ctxProduct))
	e.Load(W64, RAX, memAt(fetchTexels, texelsCode))
	e.callReg(RAX)
	e.Bind(done)
}

// checkHandle jumps to fail unless the lanes of EDX have the handle at m. It changes RCX, R11 and vectors.
func (e *Emit) checkHandle(h *FetchHandle, m Mem, some bool, fail Label) {
	w, equal, broadcast := W32, vpcmpeqd, vpbroadcastd
	if h.Wide {
		w, equal, broadcast = W64, vpcmpeqq, vpbroadcastq
	}
	if h.Uniform {
		e.Load(w, RCX, memAt(regFile, int32(h.Slot)))
		e.opLoad(cmp, W64, RCX, m)
		e.jcc(condNE, fail)
		return
	}
	e.v2M(broadcast, l256, 0, m)
	signs := vmovmskps
	per := int32(8) // lanes of a vector
	if h.Wide {
		signs, per = vmovmskpd, 4
	}
	if h.InSpill {
		l := l256
		if !h.Wide {
			l = l128
		}
		e.v3M(equal, l, 1, 0, memAt(regFile, int32(h.Spill)))
		e.vToReg(signs, l, RCX, 1)
		e.opImm(cmp, W32, RCX, 1<<subvectors-1)
		e.jcc(condNE, fail)
		return
	}
	e.op(xor, W32, R11, R11)
	for lane := lanes.Width - per; lane >= 0; lane -= per {
		e.v3M(equal, l256, 1, 0, memAt(regFile, int32(h.Slot)+32*lane/per))
		e.vToReg(signs, l256, RCX, 1)
		e.shiftImm(shl, W32, R11, uint8(per))
		e.op(or, W32, R11, RCX)
	}
	if some {
		e.op(and, W32, R11, fetchLanes)
	}
	e.op(cmp, W32, R11, fetchLanes)
	e.jcc(condNE, fail)
}
