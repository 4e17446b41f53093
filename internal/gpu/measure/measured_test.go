package measure_test

import (
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/memory"
)

const data = "../testdata"

// machine is a measured GPU: a folder of data.
type machine string

const h100 machine = "h100-sxm"

// machines runs f for each machine.
func machines(t *testing.T, f func(t *testing.T, m machine)) {
	for _, m := range []machine{h100, "h200"} {
		t.Run(string(m), func(t *testing.T) { f(t, m) })
	}
}

// table is a measured file: a row of names and the rows below it.
type table struct {
	name    string
	columns []string
	rows    [][]string
}

// read reads a file; its heading names the measurement and the machine.
func (m machine) read(t *testing.T, name string) *table {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, string(m), name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, heading := range []string{"# gpu: ", "# driver: ", "# date: ", "# SM clock ", "# method: "} {
		if line := strings.Split(string(text), "\n")[i]; !strings.HasPrefix(line, heading) {
			t.Errorf("%s: line %d is %q, want %q", name, i+1, line, heading)
		}
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comment = '#'
	rows, err := r.ReadAll() // rows of unequal lengths are an error
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), err)
	}
	return &table{name, rows[0], rows[1:]}
}

func (tab *table) column(t *testing.T, name string) int {
	t.Helper()
	i := slices.Index(tab.columns, name)
	if i < 0 {
		t.Fatalf("%s has no column %s", tab.name, name)
	}
	return i
}

// find returns the only row that begins with these fields.
func (tab *table) find(t *testing.T, key ...string) []string {
	t.Helper()
	var found []string
	for _, row := range tab.rows {
		if slices.Equal(row[:min(len(key), len(row))], key) {
			if found != nil {
				t.Fatalf("%s: several rows begin with %q", tab.name, key)
			}
			found = row
		}
	}
	if found == nil {
		t.Fatalf("%s: no row begins with %q", tab.name, key)
	}
	return found
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func integers(t *testing.T, text string) []int {
	t.Helper()
	var all []int
	for _, w := range strings.Fields(text) {
		n, err := strconv.Atoi(w)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

func TestFilesAreReadableAndSmall(t *testing.T) {
	size := int64(0)
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		if name, ok := strings.CutSuffix(d.Name(), ".csv"); ok {
			machine(filepath.Base(filepath.Dir(path))).read(t, name)
		}
		return err
	})
	if err != nil || size > 1.5e6 {
		t.Errorf("%d bytes, %v", size, err)
	}
}

var (
	cited    = regexp.MustCompile("`(?:(h200)/)?([a-z0-9_]+)\\[([^`]*)\\]\\.(\\w+)`")
	measured = regexp.MustCompile(`\d+(\.\d+)?`)
)

// TestFiguresOfPageMatchFiles compares every figure of docs/hardware-measured.md with its file.
func TestFiguresOfPageMatchFiles(t *testing.T) {
	page, err := os.ReadFile("../../../docs/hardware-measured.md")
	if err != nil {
		t.Fatal(err)
	}
	figures := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		where := cited.FindAllStringSubmatch(line, -1)
		if len(cells) != 5 || len(where) == 0 {
			continue
		}
		numbers := measured.FindAllString(cells[2], -1)
		if len(numbers) != len(where) {
			t.Errorf("%d figures and %d places: %s", len(numbers), len(where), line)
			continue
		}
		for i, w := range where {
			tab := machine(cmp.Or(w[1], string(h100))).read(t, w[2])
			value := number(t, tab.find(t, strings.Split(w[3], " / ")...)[tab.column(t, w[4])])
			_, decimals, _ := strings.Cut(numbers[i], ".")
			if got := strconv.FormatFloat(value, 'f', len(decimals), 64); got != numbers[i] {
				t.Errorf("the page has %s, %s has %s", numbers[i], w[0], got)
			}
			figures++
		}
	}
	if figures < 170 {
		t.Errorf("only %d figures found", figures)
	}
}

// TestKernelTableMatchesFile compares the page's table of workloads with its file.
func TestKernelTableMatchesFile(t *testing.T) {
	short.Alternates(t, 2, 3)
	page, err := os.ReadFile("../../../docs/hardware-measured.md")
	if err != nil {
		t.Fatal(err)
	}
	tab := h100.read(t, "ncu")
	all, _ := cases(t)
	for _, line := range all[:len(workloads.All)] {
		row := tab.find(t, line)
		of := func(metric string) float64 { return number(t, row[tab.column(t, metric)]) }
		counters := load(t, line).run(t)
		want := fmt.Sprintf("| %.2f | %.0f | %.0f | %.0f | %.2f | %.1f |", of("gpu__time_duration.sum")/1000, of("sm__cycles_active.avg"),
			counters["warp_instructions"], of("smsp__inst_executed.sum"), of("smsp__issue_active.avg.per_cycle_active"), of("smsp__warps_active.avg.per_cycle_active"))
		if name := strings.Fields(line)[1]; !strings.Contains(string(page), want) {
			t.Errorf("%s: the page has no %s", name, want)
		}
	}
}

// TestTwoBanksAreReadOncePerCycle: two banks, by a register's number modulo 2, read once a
// cycle; a pipe takes an instruction every cycle or every second one.
func TestTwoBanksAreReadOncePerCycle(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		tab := m.read(t, "register_banks")
		for _, row := range tab.rows {
			var reads [2]int
			for i, r := range integers(t, row[2]) {
				if row[tab.column(t, "reuse")] == "a" && i == 0 {
					continue
				}
				reads[r%2]++
			}
			interval := 2
			if row[0] == "FFMA" || row[0] == "FADD" {
				interval = 1
			}
			want := float64(max(reads[0], reads[1], interval))
			if got := number(t, row[tab.column(t, "w16")]); got < want-0.02 || got > want+0.04 {
				t.Errorf("%s: %.3f cycles, want %.0f", row[:5], got, want)
			}
		}
	})
}

// access returns a request of all lanes to these addresses.
func access(offsets []int) *lanes.Access {
	a := &lanes.Access{}
	for i, o := range offsets {
		a.Off[i] = uint64(o)
	}
	return a
}

// TestWavefrontsTakeOneCycleEach: a store takes one cycle of the SM for each of its wavefronts. So does a load, except
// that pairs of phases are joined if lanes have equal addresses in pairs. Latency is 21 plus 2 for each wavefront, and
// 1 or 3 more for two or four phases.
func TestWavefrontsTakeOneCycleEach(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		tab := m.read(t, "shared")
		for _, row := range tab.rows {
			width, offsets := int(number(t, row[0])), integers(t, row[tab.column(t, "byte_offsets_of_lanes")])
			stores := memory.Banks(access(offsets), lanes.AllLanes, width).Wavefronts
			use := memory.LoadBanks(access(offsets), lanes.AllLanes, width)
			loads, phases := use.Wavefronts, use.Ideal
			near(t, tab, row, "store", float64(stores), 0.01)
			near(t, tab, row, "load", float64(loads), 0.01)
			latency := number(t, row[tab.column(t, "latency")])
			if want := float64(21 + 2*loads + []int{0, 0, 1, 0, 3}[phases]); latency != want {
				t.Errorf("%s: latency %v, want %v", row[:2], latency, want)
			}
		}
	})
}

// near compares a row's figure in the column with the expected one.
func near(t *testing.T, tab *table, row []string, column string, want, within float64) {
	t.Helper()
	if got := number(t, row[tab.column(t, column)]); got < want*(1-within) || got > want*(1+within) {
		t.Errorf("%s %s: %v, want %v", row[:2], column, got, want)
	}
}

// tagCycles returns how many tag lookups these lines of 128 bytes take, if one line of each of four sets is looked up
// at a time.
func tagCycles(lines map[int]bool) int {
	var sets [4]int
	for line := range lines {
		parity := func(m int) int { return bits.OnesCount(uint(line&m)) & 1 }
		sets[parity(0x2b5)|parity(0x5da)<<1]++
	}
	return slices.Max(sets[:])
}

// The buffers for the measurements of L1 began 32 lines after a large power of two.
const firstLine = 32

// TestAdditionsOfOneTakeMeasuredCycles compares cycles of shared memory for additions of 1 with those measured.
func TestAdditionsOfOneTakeMeasuredCycles(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		tab := m.read(t, "shared_atomics")
		many, rows := tab.column(t, "many"), 0
		for _, row := range tab.rows {
			if row[0] != "atom.inc1" {
				continue
			}
			rows++
			step := map[string]uint64{"one address": 0, "one bank": 128}[row[1]]
			n := int(number(t, row[2]))
			var a lanes.Access
			for lane := range lanes.Width {
				a.Off[lane] = uint64(4 * lane)
				if lane < n {
					a.Off[lane] = step * uint64(lane)
				}
			}
			if got, want := memory.CountWavefronts(&a, lanes.AllLanes), number(t, row[many]); math.Abs(float64(got)-want) > 0.51 {
				t.Errorf("%s, %d lanes: %d cycles, measured %v", row[1], n, got, want)
			}
		}
		if rows < 10 {
			t.Errorf("%d rows", rows)
		}
	})
}

// TestL1HitsTakeDataOrTagCycles: a load that hits L1 takes the cycles of its data, which are wavefronts of banks, or
// those of its tags, whichever are more.
func TestL1HitsTakeDataOrTagCycles(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		tab := m.read(t, "l1_patterns")
		for _, row := range tab.rows {
			width := int(number(t, strings.TrimPrefix(row[0], "ld")))
			at := int(number(t, row[tab.column(t, "at")])) + firstLine*128
			var offsets []int
			if stride, ok := strings.CutPrefix(row[1], "stride "); ok {
				for lane := range lanes.Width {
					offsets = append(offsets, at+lane*int(number(t, stride))*width)
				}
			} else {
				for _, o := range integers(t, strings.TrimPrefix(row[1], "random: ")) {
					offsets = append(offsets, at+o)
				}
			}
			lines := make(map[int]bool)
			for _, o := range offsets {
				lines[o/128] = true
			}
			want := max(memory.Banks(access(offsets), lanes.AllLanes, width).Wavefronts, tagCycles(lines))
			if got := number(t, row[tab.column(t, "cycles")]); got < float64(want)-0.01 || got > float64(want)+0.06 {
				t.Errorf("%s: %v cycles, want %d", row[:3], got, want)
			}
		}
	})
}

func TestL1TagCyclesMatchMeasurement(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		for i, row := range m.read(t, "l1_tags").rows {
			if i < 2 { // line i and each other one
				for k, digit := range row[1] {
					if want := tagCycles(map[int]bool{firstLine + i: true, firstLine + k: true}); int(digit-'0') != want {
						t.Errorf("lines %d and %d: %c cycles, want %d", i, k, digit, want)
					}
				}
				continue
			}
			lines := make(map[int]bool)
			for _, k := range integers(t, strings.TrimPrefix(row[0], "lines ")) {
				lines[firstLine+k] = true
			}
			if got, want := number(t, row[1]), float64(tagCycles(lines)); got < want-0.01 || got > want+0.04 {
				t.Errorf("%s: %v cycles, want %v", row[0], got, want)
			}
		}
	})
}

// preset returns the preset of a machine.
func (m machine) preset(t *testing.T) *gpu.Config {
	t.Helper()
	c, err := gpu.Preset(map[machine]string{h100: "h100", "h200": "h200"}[m])
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOccupancyMatchesDriver compares gpu.Config.Occupancy with the driver's results on a GPU.
func TestOccupancyMatchesDriver(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		c := m.preset(t)
		compare := func(what string, u gpu.Usage, want string) {
			t.Helper()
			if o := c.Occupancy(u); strconv.Itoa(o.CTAs) != want {
				t.Errorf("%s: %d CTAs, want %s", what, o.CTAs, want)
			}
		}
		tab := m.read(t, "occupancy")
		for _, row := range tab.rows {
			for i, column := range tab.columns[2:] {
				u := gpu.Usage{Threads: int(number(t, column[1:])), Registers: int(number(t, row[0])), Dynamic: int64(number(t, row[1])), OptIn: c.Residency.SharedOptIn}
				compare(fmt.Sprintf("%s threads, %s registers, %s bytes", column[1:], row[0], row[1]), u, row[i+2])
			}
		}
		tab = m.read(t, "occupancy_carveout")
		for _, row := range tab.rows {
			for i, column := range tab.columns[1:] {
				u := gpu.Usage{Threads: 256, Registers: 32, Dynamic: int64(number(t, column[1:])), OptIn: c.Residency.SharedOptIn}
				if percent := int(number(t, row[0])); percent >= 0 {
					u.Carveout = &percent
				}
				compare(fmt.Sprintf("carve-out %s, %s bytes", row[0], column[1:]), u, row[i+1])
			}
		}
		tab = m.read(t, "occupancy_static")
		for _, row := range tab.rows {
			for i, column := range tab.columns[3:] {
				u := gpu.Usage{Threads: int(number(t, column[1:])), Registers: int(number(t, row[2])), Static: int64(number(t, row[1]))}
				compare(fmt.Sprintf("%s threads, %s static bytes", column[1:], row[1]), u, row[i+3])
			}
		}
	})
}

// TestBestBlockMatchesDriver compares block sizes and minimum grids with cuOccupancyMaxPotentialBlockSize, for kernels
// that have not opted in.
func TestBestBlockMatchesDriver(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		c := m.preset(t)
		for _, row := range m.read(t, "occupancy_best_block").rows {
			u := gpu.Usage{Registers: int(number(t, row[0])), Dynamic: int64(number(t, row[1]))}
			threads, o := c.BestBlock(u, 1024)
			if got, want := fmt.Sprint(o.CTAs*c.SMs, threads), row[2]+" "+row[3]; got != want {
				t.Errorf("%s registers, %s bytes: grid and block %s, want %s", row[0], row[1], got, want)
			}
		}
	})
}

// TestAvailableSharedMatchesDriver compares with cuOccupancyAvailableDynamicSMemPerBlock, which does not subtract the 1
// KB that the system takes per CTA: with its result, one CTA fewer resides.
func TestAvailableSharedMatchesDriver(t *testing.T) {
	machines(t, func(t *testing.T, m machine) {
		c := m.preset(t)
		for _, row := range m.read(t, "occupancy_available").rows {
			ctas, driver := int(number(t, row[0])), int64(number(t, row[2]))
			u := gpu.Usage{Threads: int(number(t, row[1])), OptIn: c.Residency.SharedOptIn}
			got := c.AvailableDynamic(u, ctas)
			if got != driver && got+c.Residency.SharedReserved != driver {
				t.Errorf("%d CTAs: %d bytes, and the system's %d; want %d", ctas, got, c.Residency.SharedReserved, driver)
			}
			for _, dynamic := range []int64{got, driver} {
				u.Dynamic = dynamic
				if o := c.Occupancy(u); (o.Limits[gpu.SharedMemory] >= ctas) != (dynamic == got) {
					t.Errorf("%d bytes: %d CTAs reside, of %d", dynamic, o.CTAs, ctas)
				}
			}
		}
	})
}

var long = flag.Bool("long", false, "compare the counters of the longer cases too")

// TestCountersMatchNsightCompute compares simtrun's counters with Nsight Compute's for the same launches. Cases in
// which the machine code accesses memory differently from the PTX are listed. Nsight Compute counts somewhat more
// wavefronts than an access needs if other accesses interfere.
func TestCountersMatchNsightCompute(t *testing.T) {
	tab := h100.read(t, "ncu")
	const spills, ordered, vector = "keeps or skips what PTX does not", "order of CTAs", "loads of 16 bytes"
	pairs := []struct {
		counter string
		metrics []string
		more    float64           // how much larger the metric may be
		except  map[string]string // first words of cases, and why
	}{
		{"global_load_requests", []string{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}, 0, nil},
		{"global_load_sectors", []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}, 0, nil},
		{"global_store_requests", []string{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}, 0, map[string]string{"program goto_ret": spills, "program recursion": spills}},
		{"global_store_sectors", []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}, 0, map[string]string{"program goto_ret": spills, "program recursion": spills, "program ballot_compaction": ordered}},
		{"global_atomic_requests", []string{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"}, 0, nil},
		{"global_atomic_sectors", []string{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"}, 0, map[string]string{"program ballot_compaction": ordered}},
		{"shared_load_requests", []string{"smsp__sass_inst_executed_op_shared_ld.sum"}, 0, map[string]string{"workload matmul_tiled": vector}},
		{"shared_load_wavefronts", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}, 0.08, map[string]string{"workload matmul_tiled": vector}},
		{"shared_store_requests", []string{"smsp__sass_inst_executed_op_shared_st.sum"}, 0, nil},
		{"shared_store_wavefronts", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}, 0.08, nil},
		{"shared_atomic_requests", []string{"smsp__inst_executed_op_shared_atom.sum"}, 0, nil},
		{"shared_atomic_wavefronts", []string{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"}, 0, nil},
		{"shared_excess_wavefronts", []string{"derived__memory_l1_wavefronts_shared_excessive"}, 0, nil},
		{"global_excess_sectors", []string{"derived__memory_l2_theoretical_sectors_global_excessive"}, 0, map[string]string{"program goto_ret": spills, "program recursion": spills, "program ballot_compaction": ordered}},
	}
	compared := make(map[string]int)
	all, longer := cases(t)
	for i, line := range all {
		if short.Skips(i) || i >= longer && !*long {
			continue
		}
		counters, row := load(t, line).run(t), tab.find(t, line)
		for _, p := range pairs {
			ours, theirs := counters[p.counter], 0.0
			for _, metric := range p.metrics {
				theirs += number(t, row[tab.column(t, metric)])
			}
			words := strings.Fields(line)
			if why, known := p.except[words[0]+" "+words[1]]; known {
				if ours == theirs && ours != 0 {
					t.Errorf("%s, %s: equal in spite of %s", line, p.counter, why)
				}
				continue
			}
			if theirs < ours || theirs > ours*(1+p.more) {
				t.Errorf("%s: %s %.0f, %s %.0f", line, p.counter, ours, p.metrics, theirs)
			}
			if ours != 0 {
				compared[p.counter]++
			}
		}
	}
	if !testing.Short() && len(compared) != len(pairs) {
		t.Errorf("compared only %v", slices.Sorted(maps.Keys(compared)))
	}
}
