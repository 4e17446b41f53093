package simtrun

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	compiled "github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Dim is a size or a position in up to three dimensions. In a size, 0 counts as 1.
type Dim struct{ X, Y, Z uint32 }

// Count returns the number of elements of a size.
func (d Dim) Count() int64 { return atLeastOne(d).Count() }

// atLeastOne returns a size with at least 1 in every dimension.
func atLeastOne(d Dim) isa.Dim { return isa.Dim{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)} }

// Pos is a position in a source file. Lines and columns count from 1; 0 is unknown.
type Pos struct {
	File      string
	Line, Col int
}

// String returns "file:line:col", without the parts that are unknown.
func (p Pos) String() string {
	return isa.Pos{File: p.File, Line: int32(p.Line), Col: int32(p.Col)}.String()
}

func posOf(p isa.Pos) Pos { return Pos{p.File, int(p.Line), int(p.Col)} }

// sourceOf returns the position in the source that was compiled; zero for PTX written by hand.
func sourceOf(p compiled.Place) Pos {
	if !p.IsCompiled() {
		return Pos{}
	}
	return posOf(p.Pos())
}

// Code is an instruction, and the source that it was compiled from.
type Code struct {
	Pos    Pos    // in the PTX
	Source Pos    // in the source that was compiled to the PTX; zero if there is none
	Instr  string // text of the instruction
	Line   string // of the source, without space around it; "" if it cannot be read
	// Calls are those through which the code was inlined, the innermost first, such as "put, called by k at k.cu:9".
	Calls []string
}

// Place returns the position in the source or, if there is none, in the PTX: file:line:col.
func (c *Code) Place() string { return c.shown().String() }

// Text returns the line of the source or, if it is not known, the instruction.
func (c *Code) Text() string { return cmp.Or(c.Line, c.Instr) }

func (c *Code) shown() Pos {
	if c.Source != (Pos{}) {
		return c.Source
	}
	return c.Pos
}

func codeOf(p compiled.Place, instr string) Code {
	return Code{Pos: posOf(p.Code), Source: sourceOf(p), Instr: instr, Line: p.Source(), Calls: p.Calls()}
}

// CodeAt returns an instruction of a function.
func CodeAt(fn *isa.Func, pc int) Code { return codeOf(compiled.At(fn, pc), fn.Text(pc)) }

// Threads are lanes of one warp in a launch.
type Threads struct {
	Block Dim // the block's index in the grid
	Warp  int // the warp's index in the block
	Lanes Mask
}

// String returns text such as "block (1,0,0) warp 2 lanes 0-15 (0000ffff)".
func (t Threads) String() string {
	word := "lanes"
	if t.Lanes.Count() == 1 {
		word = "lane"
	}
	return fmt.Sprintf("block (%d,%d,%d) warp %d %s %s (%08x)", t.Block.X, t.Block.Y, t.Block.Z, t.Warp, word, t.Lanes, uint32(t.Lanes))
}

func threadsOf(w interp.Where) Threads { return Threads{Dim(w.CTA), w.Warp, Mask(w.Lanes)} }

// Width is the number of lanes of a warp.
const Width = lanes.Width

// Mask is a set of lanes of a warp: bit i is lane i.
type Mask uint32

// Count returns the number of lanes in m.
func (m Mask) Count() int { return bits.OnesCount32(uint32(m)) }

// Has reports whether lane i is in m.
func (m Mask) Has(i int) bool { return m>>i&1 != 0 }

// Lanes returns the lanes in m, in ascending order.
func (m Mask) Lanes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros32(uint32(m))) {
				return
			}
		}
	}
}

// String returns the lanes as ranges, such as "0-15,20"; "none" for an empty mask.
func (m Mask) String() string { return lanes.Mask(m).Ranges() }
