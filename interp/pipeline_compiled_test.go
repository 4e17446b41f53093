package interp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// pipelineCase is a launch of a kernel of testdata/pipeline, and its expected buffers.
type pipelineCase struct {
	kernel               string
	grid, block, cluster isa.Dim
	buffers              [][]byte
	scalars              []uint32
	want                 map[int][]byte // by number of a buffer
}

func wordBytes(all ...uint32) []byte {
	var b []byte
	for _, v := range all {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// brain returns a whole number as a bfloat16 number, rounded to nearest even.
func brain(n int) uint16 {
	bits := math.Float32bits(float32(n))
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// gemmCase is a product with edges that are not multiples of a tile.
func gemmCase(r *rand.Rand) pipelineCase {
	const m, n, k = 100, 72, 88
	matrix := func(rows int) (numbers []int, bytes []byte) {
		for range rows * k {
			v := r.IntN(9) - 4
			numbers, bytes = append(numbers, v), binary.LittleEndian.AppendUint16(bytes, brain(v))
		}
		return numbers, bytes
	}
	a, aBytes := matrix(m)
	b, bBytes := matrix(n)
	var want []byte
	for i := range m {
		for j := range n {
			sum := 0
			for x := range k {
				sum += a[i*k+x] * b[j*k+x]
			}
			want = binary.LittleEndian.AppendUint16(want, brain(sum))
		}
	}
	return pipelineCase{kernel: "gemm", grid: isa.Dim{X: 2, Y: 2, Z: 1}, block: kerneltest.Dim(128, 1),
		buffers: [][]byte{aBytes, bBytes, make([]byte, 2*m*n)}, scalars: []uint32{m, n, k}, want: map[int][]byte{2: want}}
}

// ringCase has more tiles than a ring of any block has places.
func ringCase(r *rand.Rand) pipelineCase {
	const tiles = 19
	var in, doubled, sums []uint32
	for range tiles {
		sum := uint32(0)
		for range 1024 {
			v := r.Uint32()
			in, doubled, sum = append(in, v), append(doubled, 2*v), sum+v
		}
		sums = append(sums, sum)
	}
	return pipelineCase{kernel: "ring", grid: kerneltest.Dim(2, 1), block: kerneltest.Dim(160, 1),
		buffers: [][]byte{wordBytes(in...), make([]byte, 4*len(in)), make([]byte, 4*tiles)}, scalars: []uint32{tiles},
		want: map[int][]byte{1: wordBytes(doubled...), 2: wordBytes(sums...)}}
}

// passCase is two clusters of size blocks.
func passCase(r *rand.Rand, size int) pipelineCase {
	blocks := make([][64]uint32, 2*size)
	var in []uint32
	for i := range blocks {
		for t := range blocks[i] {
			blocks[i][t] = r.Uint32()
		}
		in = append(in, blocks[i][:]...)
	}
	for round := range uint32(5) {
		sent := append([][64]uint32(nil), blocks...)
		for i := range blocks {
			first := i / size * size
			for t, v := range sent[first+(i-first+size-1)%size] {
				blocks[i][t] = 3*v + round + 1
			}
		}
	}
	var out []uint32
	for i := range blocks {
		out = append(out, blocks[i][:]...)
	}
	return pipelineCase{kernel: "pass", grid: kerneltest.Dim(uint32(2*size), 1), block: kerneltest.Dim(64, 1), cluster: kerneltest.Dim(uint32(size), 1),
		buffers: [][]byte{wordBytes(in...), make([]byte, 4*len(in))}, want: map[int][]byte{1: wordBytes(out...)}}
}

// run launches the case, and returns the buffers afterwards.
func (c *pipelineCase) run(mod *isa.Module, cfg interp.Config, launch func(*interp.Machine, interp.Launch) error) ([][]byte, error) {
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		return nil, err
	}
	var params []byte
	var all [][]byte
	for i, b := range c.buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return nil, err
		}
		copy(r.Data, b)
		params, all = binary.LittleEndian.AppendUint64(params, r.Base), append(all, r.Data)
	}
	params = append(params, wordBytes(c.scalars...)...)
	return all, launch(m, interp.Launch{Kernel: c.kernel, Grid: c.grid, Block: c.block, Cluster: c.cluster, Params: params})
}

// TestCompiledPipelinesPassEverywhere: pipelines compiled by clang, under every model, with forced divergence, on
// several threads and with a clock.
func TestCompiledPipelinesPassEverywhere(t *testing.T) {
	short.Skip(t)
	r := rand.New(rand.NewPCG(11, 13))
	cases := []pipelineCase{gemmCase(r), ringCase(r), passCase(r, 1), passCase(r, 2), passCase(r, 8)}
	for _, level := range []string{"O0", "O2"} {
		source, err := packed.ReadFile(fmt.Sprintf("testdata/pipeline/pipeline.%s.ptx.gz", level))
		if err != nil {
			t.Fatal(err)
		}
		mod, err := asm.Parse("pipeline.ptx", source)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cases {
			c := &cases[i]
			check := func(how string, cfg interp.Config, launch func(*interp.Machine, interp.Launch) error) {
				got, err := c.run(mod, cfg, launch)
				if err != nil {
					t.Fatalf("%s %s %v %s: %v", c.kernel, level, c.cluster, how, err)
				}
				for buffer, want := range c.want {
					if diff := kerneltest.Diff(want, got[buffer]); diff != "" {
						t.Fatalf("%s %s %v %s: buffer %d (-want +got):\n%s", c.kernel, level, c.cluster, how, buffer, diff)
					}
				}
			}
			check("its", interp.Config{Threads: 2}, runFunctional)
			check("stack", interp.Config{Divergence: divergence.ReconvergenceStack}, runFunctional)
			check("minpc", interp.Config{Divergence: divergence.LowestPC}, runFunctional)
			check("split", interp.Config{Split: 7}, runFunctional)
			check("with a clock", interp.Config{}, runTimed)
		}
	}
}
