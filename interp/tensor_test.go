package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
)

// takeTensor begins a kernel in which warp 0 allocates all of tensor memory, at %r2; freeTensor deallocates it after
// all warps are done.
const (
	takeTensor = kerneltest.Entry + `
	.shared .b32 where;
	mov.u32 %r80, %tid.x;
	shr.u32 %r81, %r80, 5;
	setp.eq.u32 %p80, %r81, 0;
	@!%p80 bra TAKEN;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 512;
TAKEN:
	bar.sync 0;
	ld.shared.u32 %r2, [where];
	`
	freeTensor = `
	bar.sync 0;
	@!%p80 bra FREED;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 512;
FREED:
	`
)

// tensorShape is a shape of tcgen05.ld and tcgen05.st, with its registers for .x1, and the places in the figures of
// PTX (ISA 9.7.16.2.3, matrix fragments): for each register the lane of tensor memory and the column, by lane of the
// warp. Each further repetition is a number of columns further on.
type tensorShape struct {
	name      string
	registers int
	lanes     [4][32]int
	columns   [4][32]int
	width     int
}

// tensorShapes is typed from the figures.
var tensorShapes = []tensorShape{
	{"32x32b", 1, [4][32]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}}, [4][32]int{}, 1},
	{"16x64b", 1,
		[4][32]int{{0, 8, 0, 8, 1, 9, 1, 9, 2, 10, 2, 10, 3, 11, 3, 11, 4, 12, 4, 12, 5, 13, 5, 13, 6, 14, 6, 14, 7, 15, 7, 15}},
		[4][32]int{{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}}, 2},
	{"16x128b", 2,
		[4][32]int{{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
			{8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15}},
		[4][32]int{fours(0, 1), fours(0, 1)}, 4},
	{"16x256b", 4,
		[4][32]int{{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
			{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7},
			{8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15},
			{8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15}},
		[4][32]int{fours(0, 2), fours(1, 2), fours(0, 2), fours(1, 2)}, 8},
	{"16x32bx2", 1, [4][32]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}, [4][32]int{}, 1},
}

// fours returns first, first+step and so on for four lanes, repeated.
func fours(first, step int) (c [32]int) {
	for lane := range c {
		c[lane] = first + lane%4*step
	}
	return c
}

// halfDistance is how far apart the halves of .16x32bx2 are in the tests.
const halfDistance = 256

// cell returns the place of register r of a lane, relative to the address of an access.
func (s *tensorShape) cell(r, lane int) (row, column int) {
	row, column = s.lanes[r%s.registers][lane], s.columns[r%s.registers][lane]+r/s.registers*s.width
	return row, column
}

// list returns the registers %r100 and so on in braces.
func list(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%%r%d", 100+i))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// TestTensorShapesLoadStoredCells stores a number to each cell of a warp's lanes by .32x32b, and loads them by each
// shape and repetition, from the lower lanes and from the upper ones, compared with the figures; and the reverse.
func TestTensorShapesLoadStoredCells(t *testing.T) {
	n := 0
	for _, s := range tensorShapes {
		for times := 1; times*s.registers <= 128; times *= 2 {
			for _, pack := range []bool{false, true} {
				first, fits := s.somewhere(times, pack)
				if !fits {
					continue
				}
				for _, upper := range []int{0, 16} {
					if upper > 0 && s.name == "32x32b" {
						continue
					}
					if n++; short.Skips(n) || short.Waits(n, 3) {
						continue
					}
					s.load(t, times, first, upper, pack)
					s.store(t, times, first, upper, pack)
				}
			}
		}
	}
}

// somewhere returns a first column for an access with all of its columns; false if there are too few.
func (s *tensorShape) somewhere(times int, pack bool) (first int, fits bool) {
	n := s.width * times
	if pack {
		n *= 2
	}
	if s.name == "16x32bx2" {
		n += halfDistance
	}
	if n > 512 {
		return 0, false
	}
	return rand.IntN(min(20, 512-n) + 1), true
}

// operands returns the address of an access from a lane and a column on, with the distance of halves.
func (s *tensorShape) operands(first, upper int) (at, half string) {
	at = fmt.Sprintf("[%%r3+%d]", upper<<16+first)
	if s.name == "16x32bx2" {
		half = fmt.Sprintf(", %d", halfDistance)
	}
	return at, half
}

// storeRegisters stores %r100 and so on to the buffer, n words for each thread.
func storeRegisters(n int) string {
	text := fmt.Sprintf("ld.param.u64 %%rd1, [out];\n\tmad.wide.u32 %%rd1, %%r80, %d, %%rd1;\n", 4*n)
	for r := range n {
		text += fmt.Sprintf("\tst.global.u32 [%%rd1+%d], %%r%d;\n", 4*r, 100+r)
	}
	return text
}

func (s *tensorShape) load(t *testing.T, times, first, upper int, pack bool) {
	n := times * s.registers
	at, half := s.operands(first, upper)
	modifier := ""
	if pack {
		modifier = ".pack::16b"
	}
	instr := fmt.Sprintf("tcgen05.ld.sync.aligned.%s.x%d%s.b32 %s, %s%s;", s.name, times, modifier, list(n), at, half)
	kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor.txt", "load", "$registers", storeRegisters(n), "$instr", instr),
		Block: kerneltest.Dim(128, 1), Words: []int{128 * n}}.Want(t, func(i int) uint32 {
		thread, r := i/n, i%n
		row, column := s.cell(r, thread%32)
		if pack {
			column *= 2
		}
		column += first
		if s.name == "16x32bx2" && thread%32 >= 16 {
			column += halfDistance
		}
		v := uint32((thread/32*32+upper+row)*1000000 + column)
		if pack {
			v = v&0xffff | (v+1)<<16
		}
		return v
	})
	if t.Failed() {
		t.Fatal(instr)
	}
}

// store stores thread*1000+r from register r by a shape into cells of ones, and loads all of the lane's columns.
func (s *tensorShape) store(t *testing.T, times, first, upper int, pack bool) {
	const columns = 512
	n := times * s.registers
	at, half := s.operands(first, upper)
	modifier := ""
	if pack {
		modifier = ".unpack::16b"
	}
	instr := fmt.Sprintf("tcgen05.st.sync.aligned.%s.x%d%s.b32 %s%s, %s;", s.name, times, modifier, at, half, list(n))
	set := ""
	for r := range n {
		set += fmt.Sprintf("\tadd.u32 %%r%d, %%r4, %d;\n", 100+r, r)
	}
	var want [128][columns]uint32
	for thread := range 128 {
		for c := range columns {
			want[thread][c] = uint32(thread*1000000 + c)
		}
	}
	for thread := range 128 {
		for r := range n {
			row, column := s.cell(r, thread%32)
			if pack {
				column *= 2
			}
			column += first
			if s.name == "16x32bx2" && thread%32 >= 16 {
				column += halfDistance
			}
			v, lane := uint32(thread*100000+r), &want[thread/32*32+upper+row]
			if lane[column] = v; pack {
				lane[column], lane[column+1] = v&0xffff, v>>16
			}
		}
	}
	kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor.txt", "store", "$instr", instr, "$set", set),
		Block: kerneltest.Dim(128, 1), Words: []int{128 * columns}}.Want(t, func(i int) uint32 { return want[i/columns][i%columns] })
	if t.Failed() {
		t.Fatal(instr)
	}
}

// TestTensorMemoryRunsOut: warps that ask for more than is free wait until others deallocate enough; columns are the
// first free ones.
func TestTensorMemoryRunsOut(t *testing.T) {
	out, _, err := kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor.txt", "tensor memory runs out"), Block: kerneltest.Dim(128, 1), Words: []int{128}}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[uint32]bool)
	for w := range 4 {
		v := out[0][w*32]
		if v%1000 != 0 && v%1000 != 256 || seen[v/1000] {
			t.Errorf("warp %d: place %d, as number %d", w, v%1000, v/1000)
		}
		seen[v/1000] = true
	}
	_, _, err = kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor.txt", "an allocation that waits for ever"), Block: kerneltest.Dim(64, 1), Words: []int{1}}.Run(t)
	kerneltest.WantHang(t, err, "no warp of the block can go on", "[sync-deadlock]", "warp 1 lanes 0-31", "for 32 columns of tensor memory; allocated: 0 to 511", "barrier 0")
}
