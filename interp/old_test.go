package interp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// oldKernel is a launch of a kernel of testdata/old, as nvopencc of the CUDA toolkits 1.1 to 3.2 would compile it.
// The buffers are slices, passed by their addresses; other arguments are values. want has the expected buffers,
// computed independently of the simulator; nil: unchanged.
type oldKernel struct {
	file, kernel string
	grid, block  isa.Dim
	shared       int64
	args, want   []any
	printed      string
}

func floats(n int, f func(i int) float32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func ints(n int, f func(i int) int32) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

// small is a sequence of small integers, whose sums and products are exact.
func small(i int) float32 { return float32(i*7%11 - 5) }

func oldKernels() []oldKernel {
	var kernels []oldKernel
	add := func(k oldKernel) { kernels = append(kernels, k) }

	a, b := floats(100, small), floats(100, func(i int) float32 { return 3 - float32(i) })
	add(oldKernel{file: "sdk11", kernel: "vectorAdd", grid: kerneltest.Dim(4, 1), block: kerneltest.Dim(32, 1),
		args: []any{a, b, make([]float32, 128), int32(100)},
		want: []any{nil, nil, floats(128, func(i int) float32 {
			if i >= 100 {
				return 0
			}
			return a[i] + b[i]
		}), nil}})

	var weighted float32
	for i := range 64 {
		weighted += a[i] * float32(i&3+1)
	}
	add(oldKernel{file: "sdk11", kernel: "blockSum", block: kerneltest.Dim(64, 1), shared: 64 * 4,
		args: []any{a[:64], make([]float32, 1)}, want: []any{nil, []float32{weighted}}})

	const wA, wB, hA = 8, 12, 8
	ma, mb := floats(hA*wA, small), floats(wA*wB, func(i int) float32 { return float32(i%5) - 2 })
	add(oldKernel{file: "sdk23", kernel: "_Z9matrixMulPfS_S_ii", grid: kerneltest.Dim(wB/4, hA/4), block: kerneltest.Dim(4, 4),
		args: []any{make([]float32, hA*wB), ma, mb, int32(wA), int32(wB)},
		want: []any{floats(hA*wB, func(i int) float32 {
			sum := float32(0)
			for k := range wA {
				sum += ma[i/wB*wA+k] * mb[k*wB+i%wB]
			}
			return sum
		}), nil, nil, nil, nil}})

	const width, height = 20, 35
	in := floats(width*height, func(i int) float32 { return float32(i) })
	add(oldKernel{file: "sdk23", kernel: "_Z9transposePfS_ii", grid: kerneltest.Dim(2, 3), block: kerneltest.Dim(16, 16),
		args: []any{make([]float32, width*height), in, int32(width), int32(height)},
		want: []any{floats(width*height, func(i int) float32 { return in[i%height*width+i/height] }), nil, nil, nil}})

	raw := make([]byte, 64)
	halves := make([]int16, 64)
	for i := range raw {
		raw[i], halves[i] = byte(i*37+100), int16(i*1009-30000)
	}
	rawAfter, mixed := make([]byte, 64), make([]uint32, 64)
	for i := range raw {
		s, h := int32(int8(raw[i])), int32(halves[i])
		sum := h*3 + s*h
		if s > h {
			sum += s - h
		} else {
			sum += h - s
		}
		rawAfter[i] = byte(sum)
		mixed[i] = uint32((int32(uint16(sum)*5) ^ s) * -3)
	}
	add(oldKernel{file: "sdk23", kernel: "_Z6bytesPhPsPj", block: kerneltest.Dim(64, 1),
		args: []any{raw, halves, make([]uint32, 64)}, want: []any{rawAfter, nil, mixed}})

	mathF, mathN := make([]float32, 16), make([]int32, 16)
	for i := range mathF {
		x := float64(i)
		q := x / 4
		pick, n := float64(i), int32(math.RoundToEven(q)) // lg2(2^i) and sqrt(i*i) are both i
		if !(q > 0.5) {
			n = min(int32(math.Abs(x-8)), 3)
		}
		floorOrCeil := math.Floor(q)
		if i < 8 {
			floorOrCeil = math.Ceil(q)
		}
		mathF[i] = float32(pick + min(q, 1) + floorOrCeil)
		mathN[i] = n + int32(q)
	}
	add(oldKernel{file: "sdk23", kernel: "_Z4mathPfPi", block: kerneltest.Dim(16, 1),
		args: []any{make([]float32, 16), make([]int32, 16)}, want: []any{mathF, mathN}})

	pairs := floats(64, small)
	add(oldKernel{file: "sdk23", kernel: "_Z5localP6float2Pi", block: kerneltest.Dim(32, 1),
		args: []any{pairs, make([]int32, 32)},
		want: []any{floats(64, func(i int) float32 {
			x, y := pairs[i&^1], pairs[i|1]
			if i%2 == 1 {
				return x
			}
			return x*2 + y*4
		}), ints(32, func(i int) int32 {
			sum := int32(0)
			for k := range int32(8) {
				if sum += k * int32(i); sum > 20 {
					break
				}
			}
			return sum + 10 - 1
		})}})

	kernels = append(kernels, oldSamples()...)

	doubles := make([]float64, 300)
	sums := make([]float64, 3)
	for i := range doubles {
		doubles[i] = float64(i%17) - 0.5
		sums[i/128] += doubles[i]
	}
	add(oldKernel{file: "sdk23_sm13", kernel: "_Z7reduce4IdEvPT_S1_j", grid: kerneltest.Dim(3, 1), block: kerneltest.Dim(64, 1), shared: 64 * 8,
		args: []any{doubles, make([]float64, 3), uint32(300)}, want: []any{nil, sums, nil}})

	data := make([]byte, 128)
	bins := make([]uint32, 16)
	top, votes := uint32(0), uint32(0)
	for i := range data {
		data[i] = byte(i * 5)
		if i/32 == 2 {
			data[i] = byte(201 + i%32) // one warp whose lanes all have more than 200
		}
		bins[data[i]&15]++
		top = max(top, uint32(data[i]))
	}
	for w := range 4 {
		over := 0
		for _, v := range data[32*w : 32*w+32] {
			if v > 200 {
				over++
			}
		}
		if over > 0 {
			votes |= 1
		}
		if over == 32 {
			votes |= 2
		}
	}
	low := int32(math.MaxInt32)
	for _, v := range data {
		low = min(low, int32(v))
	}
	add(oldKernel{file: "sdk23_sm13", kernel: "_Z9histogramPjPhi", grid: kerneltest.Dim(2, 1), block: kerneltest.Dim(64, 1),
		args: []any{make([]uint32, 16), data, []uint32{0, 0, math.MaxInt32}}, want: []any{bins, nil, []uint32{top, votes, uint32(low)}}})

	quot, long := make([]float64, 16), make([]int64, 16)
	for i := range quot {
		p := float64(i)*1.5 + 1.5
		quot[i] = float64(float32(1 / 1.5))
		if p > p/1.5 {
			quot[i] = p / 1.5
		}
		m := int64(i) * -7
		long[i] = (m>>1+0+int64(p))*1000 + m/3 + m%3 // the high half of m*m is 0
	}
	add(oldKernel{file: "sdk23_sm13", kernel: "_Z7doublesPdPx", block: kerneltest.Dim(16, 1),
		args: []any{make([]float64, 16), make([]int64, 16)}, want: []any{quot, long}})

	fib := []int32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}
	add(oldKernel{file: "sdk32", kernel: "_Z6callerPiS_", block: kerneltest.Dim(10, 1),
		args:    []any{make([]int32, 10), ints(10, func(i int) int32 { return int32(9 - i) })},
		want:    []any{ints(10, func(i int) int32 { return 111 * fib[9-i] }), nil},
		printed: "3: 8 fib\n"})

	fields := make([]uint32, 32)
	for i := range fields {
		ballot, reversed := uint32(0x11111111), uint32(0)
		for bit := range 5 {
			reversed |= uint32(i>>bit&1) << (4 - bit)
		}
		fields[i] = 8<<16 | ballot>>i&15<<8 | reversed
	}
	fields[0] = 8 // 8 of the predicates hold, not all
	add(oldKernel{file: "sdk32", kernel: "_Z5fermiPfPjj", block: kerneltest.Dim(32, 1),
		args: []any{make([]float32, 32), make([]uint32, 32)},
		want: []any{floats(32, func(i int) float32 { return float32(i*i+1) / 2 }), fields}})

	scanned := floats(32, func(i int) float32 {
		sum := float32(0)
		for k := range i {
			sum += small(k)
		}
		return sum
	})
	add(oldKernel{file: "sdk20_m32", kernel: "scan_naive", block: kerneltest.Dim(32, 1), shared: 2 * 32 * 4,
		args: []any{make([]float32, 32), floats(32, small), int32(32)}, want: []any{scanned, nil, nil}})
	add(oldKernel{file: "sdk20_m32", kernel: "bump", block: kerneltest.Dim(1, 1), args: []any{make([]uint32, 1)}, want: []any{[]uint32{42}}})
	return kernels
}

// oldSamples are those of sdk22.ptx.
func oldSamples() []oldKernel {
	var kernels []oldKernel
	add := func(k oldKernel) {
		k.file = "sdk22"
		kernels = append(kernels, k)
	}
	numbers := ints(128, func(i int) int32 { return int32(i*i*2654435 - 99) })
	add(oldKernel{kernel: "_Z16increment_kernelPii", grid: kerneltest.Dim(4, 1), block: kerneltest.Dim(32, 1),
		args: []any{numbers, int32(26)}, want: []any{ints(128, func(i int) int32 { return numbers[i] + 26 }), nil}})

	add(oldKernel{kernel: "_Z11bitonicSortPi", block: kerneltest.Dim(128, 1), shared: 128 * 4,
		args: []any{numbers}, want: []any{slices.Sorted(slices.Values(numbers))}})

	const w, h = 40, 3
	image, taps := floats(w*h, small), []float32{1, -2, 3, -4, 5}
	add(oldKernel{kernel: "_Z15convolutionRowsPfS_i", grid: kerneltest.Dim(1, h), block: kerneltest.Dim(w, 1),
		args: []any{make([]float32, w*h), image, int32(w)},
		want: []any{floats(w*h, func(i int) float32 {
			sum := float32(0)
			for r := -2; r <= 2; r++ {
				if x := i%w + r; x >= 0 && x < w {
					sum += image[i+r] * taps[2-r]
				}
			}
			return sum
		}), nil, nil}})

	add(oldKernel{kernel: "_Z18scan_workefficientPfS_i", block: kerneltest.Dim(64, 1), shared: 128 * 4,
		args: []any{make([]float32, 128), floats(128, small), int32(128)},
		want: []any{floats(128, func(i int) float32 {
			sum := float32(0)
			for k := range i {
				sum += small(k)
			}
			return sum
		}), nil, nil}})

	words := make([]uint16, 64)
	for i := range words {
		x := int32(i)
		v := uint16((x*-5+1000)*x+1)*777 + 7
		words[i] = (v/3 ^ v%10<<12) - 1
	}
	add(oldKernel{kernel: "_Z10polynomial6coeffsPt", block: kerneltest.Dim(64, 1),
		args: []any{int32(-5), int32(1000), int32(777), make([]uint16, 64)}, want: []any{nil, nil, nil, words}})

	signal := floats(64, small)
	add(oldKernel{kernel: "_Z12fwtBatchPfi", block: kerneltest.Dim(32, 1), shared: 64 * 4,
		args: []any{signal, int32(6)},
		want: []any{floats(64, func(i int) float32 {
			sum := float32(0)
			for j, v := range signal {
				if bits.OnesCount(uint(i&j))%2 == 1 {
					v = -v
				}
				sum += v
			}
			return sum
		}), nil}})

	table := make([]uint32, 32)
	for i := range table {
		table[i] = 1<<(31-i) | uint32(i*i)
	}
	chosen := make([]uint32, 96)
	for i := range chosen {
		for bit, v := range table {
			if uint32(i+1000)>>bit&1 == 1 {
				chosen[i] ^= v
			}
		}
	}
	add(oldKernel{kernel: "_Z11quasirandomPjPKji", block: kerneltest.Dim(96, 1),
		args: []any{make([]uint32, 96), table, uint32(1000)}, want: []any{chosen, nil, nil}})
	return kernels
}

// TestOldKernelsSurviveFormatting runs kernels of old compilers from their sources, and from the output of Format.
func TestOldKernelsSurviveFormatting(t *testing.T) {
	for _, k := range oldKernels() {
		t.Run(k.kernel, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join("testdata/old", k.file+".ptx"))
			if err != nil {
				t.Fatal(err)
			}
			mod, err := asm.Parse(k.file+".ptx", src)
			if err != nil {
				t.Fatal(err)
			}
			k.run(t, mod)
			again, err := asm.Parse("again.ptx", []byte(asm.Format(mod)))
			if err != nil {
				t.Fatal(err)
			}
			k.run(t, again)
		})
	}
}

func (k oldKernel) run(t *testing.T, mod *isa.Module) {
	t.Helper()
	var printed bytes.Buffer
	m, err := kerneltest.New(mod, interp.Config{Stdout: &printed})
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: k.kernel, Grid: k.grid, Block: k.block, Shared: k.shared}
	if l.Grid == (isa.Dim{}) {
		l.Grid = kerneltest.Dim(1, 1)
	}
	regions := make([]*memory.Region, len(k.args))
	for i, arg := range k.args {
		data, err := binary.Append(nil, binary.LittleEndian, arg)
		if err != nil {
			t.Fatal(err)
		}
		if _, value := arg.(int32); value {
			l.Params = append(l.Params, data...)
			continue
		} else if _, value := arg.(uint32); value {
			l.Params = append(l.Params, data...)
			continue
		}
		if regions[i], err = m.Alloc("buffer", int64(len(data))); err != nil {
			t.Fatal(err)
		}
		copy(regions[i].Data, data)
		size := mod.AddressSize / 8
		for len(l.Params)%size != 0 {
			l.Params = append(l.Params, 0)
		}
		address := binary.LittleEndian.AppendUint64(nil, regions[i].Base)
		l.Params = append(l.Params, address[:size]...)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	for i, want := range k.want {
		if want == nil {
			continue
		}
		data, err := binary.Append(nil, binary.LittleEndian, want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data, regions[i].Data); diff != "" {
			t.Errorf("argument %d (-want +got):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff(k.printed, printed.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}
