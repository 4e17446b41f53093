package launch

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/linear"
	"github.com/simtrun/simtrun/internal/short"
)

// large has functions that return headers of about n directives of a kind, with modules of n kernels or variables. An
// algorithm that is not linear shows in their running time.
var large = map[string]func(n int) (header string, mod *isa.Module){
	"arguments of one kernel": func(n int) (string, *isa.Module) {
		return times(n, "arg a# = zeros:1:u8"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", n)}}
	},
	"arguments by index": func(n int) (string, *isa.Module) {
		return times(n, "arg # = zeros:1:u8"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", n)}}
	},
	"buffers of one name in launches": func(n int) (string, *isa.Module) {
		return times(n, "launch k args=zeros:1:u8"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", 1)}}
	},
	"launches of kernels": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n" + times(n, "launch k# args=b"), kernels(n)
	},
	"launches of one of many kernels": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n" + times(n, "launch k0 args=b"), kernels(n)
	},
	"symbols": func(n int) (string, *isa.Module) {
		return times(n, "symbol v# = 1") + "//sim:launch k", variables(n)
	},
	"checks of buffers": func(n int) (string, *isa.Module) {
		return times(n, "buffer b# = zeros:1:u8") + times(n, "expect b# == 0") + times(n, "dump b#"), variables(0)
	},
	"checks of parameters": func(n int) (string, *isa.Module) {
		m := min(n, 4000) // parameters of 32,764 bytes
		return times(m, "arg a# = zeros:1:u8") + times(m, "expect # == 0") + times(m, "expect a# == 0"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", m)}}
	},
	"checks of a parameter of launches": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n" + times(n, "launch k args=b") + times(n, "expect 0[0] == 0"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", 1)}}
	},
	"patches": func(n int) (string, *isa.Module) {
		var at []string
		for i := range n {
			at = append(at, fmt.Sprintf("%d=b", 8*i))
		}
		v := scalar("v", isa.U8)
		v.Space, v.Array, v.Count = isa.Global, true, int64(8*n)
		return "//sim:buffer b = zeros:1:u8\n//sim:symbol v = hex:" + strings.Repeat("00", 8*n) + "[" + strings.Join(at, ";") + "]\n", &isa.Module{Funcs: []*isa.Func{kernelOf("k", 0)}, Vars: []*isa.Var{v}}
	},
	"arguments of a launch line": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n//sim:launch k args=b" + strings.Repeat(",b", n-1) + "\n", &isa.Module{Funcs: []*isa.Func{kernelOf("k", n)}}
	},
	"samplers of a module": func(n int) (string, *isa.Module) {
		mod := variables(n)
		for _, v := range mod.Vars {
			v.Type = isa.SamplerRef
		}
		return times(n, "sampler v# = filter=linear") + times(n, "launch k"), mod
	},
	"checks of one buffer": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n" + times(n, "expect b == 0") + times(n, "dump b"), variables(0)
	},
	"addresses": func(n int) (string, *isa.Module) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "//sim:address k%d = %#x\n", i, 0x5000000+16*i)
		}
		return "//sim:buffer b = zeros:1:u8\n//sim:launch k0 args=b\n" + b.String(), kernels(n)
	},
	"addresses of buffers": func(n int) (string, *isa.Module) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "//sim:address b%d = %#x\n", i, 0x200000000+16*i)
		}
		return times(n, "buffer b# = zeros:1:u8") + b.String(), variables(0)
	},
	"textures": func(n int) (string, *isa.Module) {
		return "//sim:buffer texels = zeros:16:u8\n" + times(n, "texture a# = texels 1d 4 format=unorm8x4") + times(n, "arg a# = a#"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", n)}}
	},
	"tensor maps": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:64:u32\n" + times(n, "tensormap m# = b 8x8 box=4x2") + times(n, "arg a# = b"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", n)}}
	},
	"metrics": func(n int) (string, *isa.Module) {
		return times(n, "expect metric warp_instructions == 1"), variables(0)
	},
	"launches in streams": func(n int) (string, *isa.Module) {
		return "//sim:buffer b = zeros:1:u8\n" + times(n, "launch k args=b stream=#"), &isa.Module{Funcs: []*isa.Func{kernelOf("k", 1)}}
	},
	"expected values": func(n int) (string, *isa.Module) {
		return fmt.Sprintf("//sim:buffer b = zeros:%d:u8\n//sim:expect b == %s\n", n, strings.Repeat("0 ", n)), variables(0)
	},
	"lines without a directive": func(n int) (string, *isa.Module) {
		return times(n, "launch k\n// sim:grid 4\n/* a # comment\n of two lines */"), variables(0)
	},
}

// times returns n copies of a directive, with # replaced by the number of the copy.
func times(n int, directive string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("//sim:" + strings.ReplaceAll(directive, "#", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// kernelOf returns a kernel of n parameters.
func kernelOf(name string, n int) *isa.Func {
	fn := &isa.Func{Name: name, Entry: true, Defined: true}
	for i := range n {
		fn.Params = append(fn.Params, scalar(fmt.Sprint("a", i), isa.U64))
	}
	return fn
}

// kernels returns a module of n kernels of one parameter.
func kernels(n int) *isa.Module {
	mod := &isa.Module{}
	for i := range n {
		mod.Funcs = append(mod.Funcs, kernelOf(fmt.Sprint("k", i), 1))
	}
	return mod
}

// variables returns a module of a kernel and n variables.
func variables(n int) *isa.Module {
	mod := &isa.Module{Funcs: []*isa.Func{kernelOf("k", 0)}}
	for i := range n {
		v := scalar(fmt.Sprint("v", i), isa.U32)
		v.Space = isa.Global
		mod.Vars = append(mod.Vars, v)
	}
	return mod
}

// planning returns the CPU time for reading a header and planning its launches. A plan that is refused because it has
// too many parameters counts too, since its layout is complete by then.
func planning(t *testing.T, header string, mod *isa.Module) time.Duration {
	t.Helper()
	mod.Name, mod.AddressSize = "k.s", 64
	began := hostCPU()
	l, err := ParseHeader("k.s", ".", []byte(header))
	if err == nil {
		_, err = NewPlan(mod, l)
	}
	if err != nil && !strings.Contains(err.Error(), "bytes of parameters, at most") {
		t.Fatal(err)
	}
	return hostCPU() - began
}

// TestPlanningIsLinear checks that a header 16 times as large takes about 16 times as long.
func TestPlanningIsLinear(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(large)) {
		if short.Skips(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			linear.Check(t, 250, func(n int) time.Duration {
				header, mod := large[name](n)
				return planning(t, header, mod)
			})
		})
	}
}

// largeRuns has functions that return runnable sources with about n directives of a kind.
var largeRuns = map[string]func(n int) string{
	"buffers": func(n int) string {
		return times(n, "buffer b# = iota:4:u32") + times(n, "dump b#") + times(n, "expect b#[0:2] == 0 1") + oneKernel
	},
	"buffers at addresses that fall": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "//sim:address b%d = %#x\n", i, 0x200000000-16*i)
		}
		return times(n, "buffer b# = zeros:4:u32") + b.String() + oneKernel
	},
	"launches": func(n int) string { return times(n, "launch k") + oneKernel },
	"launches of kernels": func(n int) string {
		return times(n, "launch k#") + strings.ReplaceAll(times(n, ".entry k#() { ret; }"), "//sim:", "")
	},
	"metrics": func(n int) string {
		return times(n, "expect metric warp_instructions@L# == 1") + ".entry k() {\n" + strings.ReplaceAll(times(n, "L#: add.u32 %r1, %r1, 1;"), "//sim:", "") + "ret; }\n"
	},
	"metrics of launches": func(n int) string {
		return times(n, "launch k") + times(n, "expect metric warp_instructions == %") + oneKernel
	},
}

const oneKernel = ".entry k() { ret; }\n"

// TestRunningIsLinear checks that the directives of a header are executed in linear time.
func TestRunningIsLinear(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(largeRuns)) {
		if short.Skips(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			linear.Check(t, 250, func(n int) time.Duration {
				source := strings.ReplaceAll(largeRuns[name](n), "%\n", fmt.Sprint(n, "\n"))
				began := hostCPU()
				if res, err := runSource(t, source); err != nil || len(res.Failed) > 0 {
					t.Fatal(err, res.Failed[:min(1, len(res.Failed))])
				}
				return hostCPU() - began
			})
		})
	}
}
