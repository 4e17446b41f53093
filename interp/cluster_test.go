package interp_test

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// clusterWant has the memory after the kernels of testdata/cluster/cluster.cu, in clusters of size CTAs. A grid has
// four clusters, over which the input is distributed in pieces of block words.
var clusterWant = map[string]func(in []uint32, size, block int) []uint32{
	"histogram": func(in []uint32, size, block int) []uint32 {
		counts := make([]uint32, 4*size*64)
		for i, v := range in {
			cluster := i / block % (4 * size) / size
			counts[cluster*size*64+int(v)]++
		}
		return counts
	},
	"reduce": func(in []uint32, size, block int) []uint32 {
		totals := make([]uint32, 4)
		for i, v := range in {
			totals[i/block%(4*size)/size] += v * v
		}
		var out []uint32
		for cta := range 4 * size {
			out = append(out, totals[cta/size]+uint32(cta%size))
		}
		return out
	},
}

// TestCompiledClusterKernelsPass runs kernels that clang has compiled, with a clock and without one.
func TestCompiledClusterKernelsPass(t *testing.T) {
	short.Alternates(t, 2, 3)
	modules, err := filepath.Glob("testdata/cluster/*.ptx.gz")
	if err != nil || len(modules) != 2 {
		t.Fatal(modules, err)
	}
	for _, name := range modules {
		src, err := packed.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := asm.Parse(filepath.Base(name), src)
		if err != nil {
			t.Fatal(err)
		}
		for kernel, wanted := range clusterWant {
			for _, c := range []struct{ size, block, threads int }{{1, 64, 1}, {2, 128, 3}, {5, 32, 2}, {16, 64, 1}} {
				in, state := make([]uint32, 3001), uint32(c.size)
				for i := range in {
					state = state*1664525 + 1013904223
					in[i] = (state >> 8) % uint32(64*c.size)
				}
				want := wanted(in, c.size, c.block)
				for _, timed := range []bool{false, true} {
					m, err := kerneltest.New(mod, interp.Config{Threads: c.threads})
					if err != nil {
						t.Fatal(err)
					}
					from, err := m.Alloc("in", int64(4*len(in)))
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range in {
						binary.LittleEndian.PutUint32(from.Data[4*i:], v)
					}
					to, err := m.Alloc("out", int64(4*len(want)))
					if err != nil {
						t.Fatal(err)
					}
					params := binary.LittleEndian.AppendUint64(nil, from.Base)
					params = binary.LittleEndian.AppendUint64(params, to.Base)
					params = binary.LittleEndian.AppendUint32(params, uint32(len(in)))
					l := interp.Launch{Kernel: kernel, Grid: kerneltest.Dim(uint32(4*c.size), 1), Block: kerneltest.Dim(uint32(c.block), 1), Cluster: kerneltest.Dim(uint32(c.size), 1), Params: params}
					if timed {
						var s *sm.Session
						if s, err = sm.Begin(m, l, sm.Options{}); err == nil {
							err = s.Continue(context.Background())
						}
					} else {
						_, err = functional.Run(context.Background(), m, l)
					}
					if err != nil {
						t.Fatalf("%s %s: %v", name, kernel, err)
					}
					got := make([]uint32, len(want))
					for i := range got {
						got[i] = binary.LittleEndian.Uint32(to.Data[4*i:])
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s %s, clusters of %d, timed %v (-want +got):\n%s", name, kernel, c.size, timed, diff)
					}
				}
			}
		}
	}
}
