package interp

import (
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// spare is memory that a launch leaves to the next one, because short launches would spend most of their time on
// allocating it.
type spare struct {
	launches int
	mu       sync.Mutex   // for forNative
	ctx      *jit.Context // nil while a launch has it
	files    []byte       // for registers, not all zero; nil while a launch has it
	block    isa.Dim      // the block to which shape belongs
	shape    native.Shape
}

// spareFiles is how many bytes of register files are left to the next launch, unless launches that are kept have a
// part of them.
const spareFiles = 256 << 10

// forNative returns a Context, as new, and native.ShapeOf of a block. Several threads may call it.
func (s *spare) forNative(block isa.Dim) (*jit.Context, native.Shape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx := s.ctx
	if s.ctx = nil; ctx == nil {
		ctx = new(jit.Context)
	} else {
		*ctx = jit.Context{}
	}
	ctx.Init()
	if s.block != block {
		s.block, s.shape = block, native.ShapeOf(block)
	}
	return ctx, s.shape
}

// registers returns memory for register files; nil before the second launch. A launch that failed keeps its memory, and
// one that is kept (see Grid.Keep) its part.
func (s *spare) registers() []byte {
	files := s.files
	if s.files = nil; len(files) < spareFiles/2 && s.launches > 0 {
		files = lanes.NewFile(spareFiles).Bytes(spareFiles)
	}
	return files
}

// Expected returns how many warp instructions each warp executes, judging by the latest completed launch of the
// kernel; it is unknown before the first.
func (g *Grid) Expected() (each uint64, known bool) {
	each, known = g.m.executed[g.p.Kernel().Src]
	return each, known
}

// Ended leaves to the next launch the memory that this one does not need any more. The launch must have ended without
// error, and e must have executed every part that did not run on several threads. Registers of its warps cannot be
// inspected afterwards.
func (g *Grid) Ended(e *Engine) {
	g.ended(e)
	if e.native.ctx != nil {
		g.m.spare.ctx, e.native.ctx, e.native.possible = e.native.ctx, nil, false
	}
	if g.files.spare != nil {
		g.m.spare.files, g.files = g.files.spare, fileMemory{}
	}
}

// ended keeps e's knowledge of the kernel.
func (g *Grid) ended(e *Engine) {
	m := g.m
	warps := uint64(g.Launch.Grid.Count()) * uint64(g.Shape.WarpsPerCTA)
	m.executed[g.p.Kernel().Src] = e.Stats.WarpInstrs/warps + 1
	m.spare.launches++
	if e.native.ctx != nil {
		m.code.natives.keepHeat(e)
	}
	m.keepRegions(e)
}

// lastRegions are the regions that instructions of a program accessed last, by function and PC.
type lastRegions struct {
	of    [][]*memory.Region
	taken bool // by an engine
}

// takeRegions returns the regions that instructions of a program accessed last, for one engine: those of the latest
// launch, unless another engine has them.
func (m *Memory) takeRegions(p *program.Program) [][]*memory.Region {
	if known := m.lastRegions[p]; known != nil && !known.taken {
		known.taken = true
		return known.of
	}
	hints := make([][]*memory.Region, len(p.Funcs))
	for i, f := range p.Funcs {
		hints[i] = make([]*memory.Region, len(f.Ops))
	}
	return hints
}

// keepRegions leaves the regions that instructions accessed last to the next launch. An engine that is restored and
// executes again shares its knowledge with that launch.
func (m *Memory) keepRegions(e *Engine) {
	if e.freed != m.freed {
		e.forgetRegions()
	}
	if m.lastRegions == nil {
		m.lastRegions = make(map[*program.Program]*lastRegions)
	}
	if known := m.lastRegions[e.p]; known != nil {
		*known = lastRegions{of: e.hints}
		return
	}
	m.lastRegions[e.p] = &lastRegions{of: e.hints}
}
