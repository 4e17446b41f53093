package measure_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/interp"
)

// TestOccupancyOfKernelsMatchesGPU: with the assembler's registers, and the shared memory and barriers in their text,
// as many CTAs of the kernels of cases.txt reside as the driver reports.
func TestOccupancyOfKernelsMatchesGPU(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		tab := m.read(t, "kernels")
		for _, row := range tab.rows {
			k := load(t, row[0])
			r, err := k.machine.Resources(k.launch.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			if got := strconv.FormatInt(r.Static, 10); got != row[5] {
				t.Errorf("%s: %s bytes of static shared memory, want %s", row[0], got, row[5])
			}
			o := m.preset(t).Occupancy(gpu.Usage{Threads: int(number(t, row[3])), Registers: int(number(t, row[4])), Static: r.Static, Barriers: r.Barriers})
			if got := strconv.Itoa(o.CTAs); got != row[7] {
				t.Errorf("%s: %s CTAs, want %s", row[0], got, row[7])
			}
		}
	})
}

// TestOccupancyMatchesNsightCompute compares limits with Nsight Compute's for the same launches. It shows the allocated
// registers per thread; the limit by shared memory depends on the capacity that the driver chose.
func TestOccupancyMatchesNsightCompute(t *testing.T) {
	c := h100.preset(t)
	tab := h100.read(t, "ncu")
	for _, row := range tab.rows {
		column := func(name string) float64 { return number(t, row[slices.Index(tab.columns, name)]) }
		k := load(t, row[0])
		u, _, err := k.machine.Usage(k.launch)
		if err != nil {
			t.Fatal(err)
		}
		u.Registers = int(column("launch__registers_per_thread"))
		u.Carveout = new(int(100 * int64(column("launch__shared_mem_config_size")) / c.Residency.Shared))
		o := c.Occupancy(u)
		for resource, name := range map[gpu.Resource]string{gpu.CTASlots: "blocks", gpu.RegisterFile: "registers", gpu.WarpSlots: "warps", gpu.SharedMemory: "shared_mem"} {
			if want := int(column("launch__occupancy_limit_" + name)); o.Limits[resource] != want {
				t.Errorf("%s: %d CTAs by %s, want %d", row[0], o.Limits[resource], resource, want)
			}
		}
		waves := float64(k.launch.Grid.Count()) / float64(c.SMs*o.CTAs)
		if want := column("launch__waves_per_multiprocessor"); math.Abs(waves-want) > 0.005 {
			t.Errorf("%s: %.3f waves, want %v", row[0], waves, want)
		}
	}
}

// TestRegisterEstimatesMatchPtxas compares the estimated registers per thread with those of ptxas, for the kernels of
// cases.txt. It logs each difference. As many estimates are too high as too low.
func TestRegisterEstimatesMatchPtxas(t *testing.T) {
	var errors []int // estimate minus the assembler's number
	seen := make(map[string]bool)
	full := 0 // number of kernels with equal resident CTAs
	for _, row := range h100.read(t, "kernels").rows {
		name := strings.Join(strings.Fields(row[0])[:2], " ")
		if seen[name] {
			continue
		}
		seen[name] = true
		k := load(t, row[0])
		r, err := k.machine.Resources(k.launch.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		errors = append(errors, r.Registers-int(number(t, row[4])))
		o := h100.preset(t).Occupancy(gpu.Usage{Threads: int(number(t, row[3])), Registers: r.Registers, Static: r.Static, Barriers: r.Barriers})
		if strconv.Itoa(o.CTAs) == row[7] {
			full++
		}
		t.Logf("%-28s estimated %2d, ptxas %2s: %+d; %d CTAs, %s", name, r.Registers, row[4], r.Registers-int(number(t, row[4])), o.CTAs, row[7])
	}
	slices.Sort(errors)
	n := len(errors)
	within := func(most int) (k int) {
		for _, e := range errors {
			if -most <= e && e <= most {
				k++
			}
		}
		return k
	}
	got := fmt.Sprintf("%d kernels: median %+d, quartiles %+d and %+d, from %+d to %+d; %d within 2, %d within 4; as many CTAs of %d",
		n, errors[n/2], errors[n/4], errors[3*n/4], errors[0], errors[n-1], within(2), within(4), full)
	t.Log(got)
	if want := "51 kernels: median +0, quartiles -2 and +2, from -27 to +7; 30 within 2, 38 within 4; as many CTAs of 50"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPressureUsesFreeRegisters compares with kernels that keep many values alive at once: the assembler uses all
// registers that do not reduce the resident warps, and the estimate is in the same step.
func TestPressureUsesFreeRegisters(t *testing.T) {
	c := h100.preset(t)
	warps := func(registers int) int {
		o := c.Occupancy(gpu.Usage{Threads: 32, Registers: min(registers, 255)})
		return o.Limits[gpu.RegisterFile]
	}
	for _, row := range h100.read(t, "occupancy_registers").rows {
		n, ok := strings.CutPrefix(row[0], "values ")
		if !ok {
			continue
		}
		mod, err := asm.Parse("k.s", []byte(alive(int(number(t, n)))))
		if err != nil {
			t.Fatal(err)
		}
		machine, err := interp.New(mod, interp.Config{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := machine.Resources("k")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := min(64, warps(r.Registers)), min(64, warps(int(number(t, row[1])))); got != want {
			t.Errorf("%s: %d registers, of which %d warps reside; ptxas %s, %d", row[0], r.Registers, got, row[1], want)
		}
	}
}

// alive returns the kernel of occupancy.py that keeps n values alive.
func alive(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry k(.param .u64 p)\n{\n.reg .b64 at; .reg .b32 r<%d>;\nld.param.u64 at, [p];\n", n)
	for i := range n {
		fmt.Fprintf(&b, "ld.volatile.global.u32 r%d, [at+%d];\n", i, 4*i)
	}
	for i := range n {
		fmt.Fprintf(&b, "st.volatile.global.u32 [at+%d], r%d;\n", 4*i, n-1-i)
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}
