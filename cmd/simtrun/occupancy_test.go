package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// occupancyObject is the part of the JSON object that tests read.
type occupancyObject struct {
	Kernel        string
	Threads       int
	Registers     int
	RegistersFrom string `json:"registers_from"`
	CTAs          int    `json:"blocks_per_sm"`
	Warps         int    `json:"active_warps"`
	Occupancy     float64
	Limiters      []string
	Limits        map[string]int
	Best          struct {
		Threads     int
		MinimumGrid int `json:"minimum_grid"`
	} `json:"best_block"`
	MinimumGrid int `json:"minimum_grid"`
	Next        *struct {
		CTAs           int `json:"blocks_per_sm"`
		Registers      int
		Shared         int
		FewerRegisters int `json:"fewer_registers"`
		FewerShared    int `json:"fewer_shared"`
	}
	Cap *struct {
		Registers int
		From      string
	} `json:"register_cap"`
	Waves *struct {
		PerWave    int `json:"blocks_per_wave"`
		Count      int
		Last       float64
		Efficiency float64
	}
}

// occupancyOf returns the object of a command line.
func occupancyOf(t *testing.T, source string, args ...string) (occupancyObject, output) {
	t.Helper()
	got := simtrun(t, source, append([]string{"occupancy", "--json"}, args...)...)
	var o occupancyObject
	if err := json.Unmarshal([]byte(got.stdout), &o); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, got.stdout, got.stderr)
	}
	return o, got
}

// TestOccupancyMatchesPublishedFigures checks figures worked out in texts on Hopper: blocks on an SM, occupancy in
// percent, and the limiting resource.
func TestOccupancyMatchesPublishedFigures(t *testing.T) {
	for args, want := range map[string]string{
		"--threads 256 --regs 16":                                         "8 100.0 [warps]",
		"--threads 256 --regs 32":                                         "8 100.0 [warps registers]",
		"--threads 256 --regs 48":                                         "5 62.5 [registers]",
		"--threads 256 --regs 64":                                         "4 50.0 [registers]",
		"--threads 256 --regs 96":                                         "2 25.0 [registers]",
		"--threads 256 --regs 128":                                        "2 25.0 [registers]",
		"--threads 256 --regs 255":                                        "1 12.5 [registers]",
		"--threads 128 --regs 72 --shared 102400":                         "2 12.5 [shared]",
		"--threads 256 --shared 65536":                                    "3 37.5 [shared]",
		"--threads 256 --regs 32 --shared 16384":                          "8 100.0 [warps registers]",
		"--threads 768":                                                   "2 75.0 [warps]",
		"--block 16x16 --regs 32":                                         "8 100.0 [warps registers]",
		"--threads 1024 --gpu rtx4090":                                    "1 66.7 [warps]",
		"--threads 96 --regs 40":                                          "16 75.0 [registers]",
		"--threads 96 --regs 40 --idealised":                              "17 79.7 [registers]",
		"--threads 256 --regs 32 --shared 16384 --carveout 50":            "7 87.5 [shared]",
		"--threads 256 --regs 32 --shared 16384 --carveout 50 --gpu v100": "4 50.0 [shared]",
	} {
		o, got := occupancyOf(t, "", strings.Fields(args)...)
		if diff := cmp.Diff(want, fmt.Sprintf("%d %.1f %v", o.CTAs, 100*o.Occupancy, o.Limiters)); diff != "" || got.code != 0 {
			t.Errorf("%s: exit %d (-want +got):\n%s", args, got.code, diff)
		}
	}
	o, _ := occupancyOf(t, "", "--threads", "256", "--regs", "32", "--shared", "16384")
	if diff := cmp.Diff(map[string]int{"blocks": 32, "warps": 8, "registers": 8, "shared": 13}, o.Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	o, _ = occupancyOf(t, "", "--threads", "256", "--regs", "32", "--shared", "16384", "--idealised")
	if diff := cmp.Diff(map[string]int{"blocks": 32, "warps": 8, "registers": 8, "shared": 14}, o.Limits); diff != "" {
		t.Errorf("limits, idealised (-want +got):\n%s", diff)
	}
}

// TestWavesCountBlocksOfAllSMs checks waves of four blocks on each of 132 SMs.
func TestWavesCountBlocksOfAllSMs(t *testing.T) {
	for grid, want := range map[string]string{
		"528":   "1 100.0 100.0",
		"132x4": "1 100.0 100.0",
		"529":   "2 0.2 50.1",
		"600":   "2 13.6 56.8",
		"1000":  "2 89.4 94.7",
		"1056":  "2 100.0 100.0",
	} {
		o, _ := occupancyOf(t, "", "--threads", "256", "--regs", "64", "--grid", grid)
		if o.Waves == nil || o.Waves.PerWave != 528 {
			t.Fatalf("%s: waves %+v", grid, o.Waves)
		}
		if diff := cmp.Diff(want, fmt.Sprintf("%d %.1f %.1f", o.Waves.Count, 100*o.Waves.Last, 100*o.Waves.Efficiency)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grid, diff)
		}
	}
}

// TestWavesCountClustersOfGPCs checks two clusters of 8 in each of 7 GPCs with 18 or 16 SMs that hold one block each,
// and one in the GPC of 8 SMs.
func TestWavesCountClustersOfGPCs(t *testing.T) {
	for grid, want := range map[string]string{
		"120": "120 1 100.0 100.0",
		"128": "120 2 6.7 53.3",
		"240": "120 2 100.0 100.0",
	} {
		o, _ := occupancyOf(t, "", "--threads", "256", "--shared", "150000", "--cluster", "8", "--grid", grid)
		if o.Waves == nil {
			t.Fatalf("%s: no waves", grid)
		}
		got := fmt.Sprintf("%d %d %.1f %.1f", o.Waves.PerWave, o.Waves.Count, 100*o.Waves.Last, 100*o.Waves.Efficiency)
		if diff := cmp.Diff(want, got); diff != "" || o.MinimumGrid != 120 {
			t.Errorf("%s, at least %d (-want +got):\n%s", grid, o.MinimumGrid, diff)
		}
	}
}

// TestImpossibleBlockIsReported checks that the object reports a block that cannot fit, and that standard error says
// why.
func TestImpossibleBlockIsReported(t *testing.T) {
	for args, want := range map[string]string{
		"--threads 256 --regs 256":              "simtrun: 256 registers per thread, at most 255\n",
		"--threads 1024 --regs 65":              "simtrun: 1024 threads of 65 registers take 73728 registers per block, at most 65536\n",
		"--threads 1025":                        "simtrun: 1025 threads per block, at most 1024\n",
		"--threads 256 --shared 232449":         "simtrun: 232449 bytes of shared memory per block, at most 232448\n",
		"FILE --kernel triple --regs 256":       "simtrun: triple: 256 registers per thread, at most 255\n",
		"--block 65536x65536x65536 --threads 1": "simtrun: --threads 1: given before",
		"--grid 4":                              "simtrun: the block size is unknown",
		"--threads 32 --csv":                    "simtrun: --csv and --json cannot be combined\n",
		"--threads 32 --plot x.pdf":             "simtrun: --plot: x.pdf: a picture is .svg or .png\n",
		"--threads 32 --ptxas none.txt":         "simtrun: --ptxas none.txt: there is no such file",
		"FILE --kernel other":                   `no kernel "other"`,
		"--threads 4294967295 --grid 4294967295x4294967295x4294967295": "simtrun: 4294967295 threads per block, at most 1024\n",
	} {
		o, got := occupancyOf(t, triple, strings.Fields(args)...)
		if got.code != 2 || o.CTAs != 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit %d, %d blocks, %s", args, got.code, o.CTAs, got.stderr)
		}
	}
}

// TestOccupancyReadsHeaderAndKernel checks that grid, block, shared memory and registers come from the header, the
// kernel and the flags.
func TestOccupancyReadsHeaderAndKernel(t *testing.T) {
	const source = `//sim:grid 1056
//sim:block 256
.entry bounded(.param .u64 out) .maxntid 256 .minnctapersm 2
{
	.shared .b8 tile[16384];
	bar.sync 0;
	ret;
}
.entry other() .reqntid 64 { ret; }
`
	o, _ := occupancyOf(t, source, "FILE")
	if o.Kernel != "bounded" || o.Threads != 256 || o.RegistersFrom != "liveness" || o.CTAs != 8 || o.Limits["shared"] != 13 || o.Limits["barriers"] != 64 || o.Waves.Count != 1 {
		t.Errorf("%+v", o)
	}
	if o.Cap == nil || o.Cap.Registers != 128 || o.Cap.From != ".minnctapersm" {
		t.Errorf("launch bounds: %+v", o.Cap)
	}
	// .maxntid allows no larger blocks
	if o.Best.Threads != 256 || o.Best.MinimumGrid != 1056 || o.MinimumGrid != 1056 {
		t.Errorf("best block %+v, minimum grid %d", o.Best, o.MinimumGrid)
	}
	o, _ = occupancyOf(t, source, "FILE", "--regs", "48", "--shared", "49152")
	if o.RegistersFrom != "given" || o.CTAs != 3 || fmt.Sprint(o.Limiters) != "[shared]" {
		t.Errorf("%+v", o)
	}
	if n := o.Next; n == nil || n.CTAs != 4 || n.FewerRegisters != 0 || n.Shared != 57344 || n.FewerShared != 65536-57344 {
		t.Errorf("next step: %+v", n)
	}
	o, _ = occupancyOf(t, source, "FILE", "--kernel", "other", "--block", "64")
	if o.Kernel != "other" || o.Threads != 64 || o.CTAs != 32 || fmt.Sprint(o.Limiters) != "[warps blocks]" {
		t.Errorf("%+v", o)
	}
	got := simtrun(t, "//sim:launch bounded grid=1 block=64\n//sim:launch other grid=2 block=64\n//sim:launch other grid=2 block=64\n"+strings.Join(strings.SplitAfter(source, "\n")[2:], ""), "occupancy", "FILE", "--json")
	if n := strings.Count(got.stdout, "\n"); n != 2 || got.code != 0 {
		t.Errorf("of three launches, two alike: %d lines\n%+v", n, got)
	}
}

// TestOccupancyReadsPTXASOutput checks that registers can come from the output of ptxas -v.
func TestOccupancyReadsPTXASOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ptxas.txt")
	text := "ptxas info    : Compiling entry function 'triple' for 'sm_90'\nptxas info    : Used 48 registers, used 1 barriers, 20480 bytes smem, 400 bytes cmem[0]\n" +
		"ptxas info    : Compiling entry function 'other' for 'sm_90'\nptxas info    : Used 64 registers\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"FILE --block 256":                      "triple 48 ptxas 5 [registers]",
		"--threads 256 --kernel other":          "other 64 ptxas 4 [registers]",
		"--threads 128 --kernel triple":         "triple 48 ptxas 10 [registers shared]",
		"--threads 256 --kernel none":           `no kernel "none"; there are triple, other`,
		"--threads 256":                         "it has 2 kernels; --kernel says which: triple, other",
		"--threads 256 --kernel other --regs 3": "--regs and --ptxas both give the number of registers",
	} {
		o, got := occupancyOf(t, triple, append(strings.Fields(args), "--ptxas", file)...)
		if result := fmt.Sprint(o.Kernel, " ", o.Registers, " ", o.RegistersFrom, " ", o.CTAs, " ", o.Limiters); result != want && !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %s, %s, want %s", args, result, got.stderr, want)
		}
	}
}

// TestOccupancyCSVHasAllCurves checks that the CSV has all curves, and that the picture is written.
func TestOccupancyCSVHasAllCurves(t *testing.T) {
	got := simtrun(t, "", "occupancy", "--threads", "256", "--regs", "48", "--shared", "1024", "--csv")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	points := make(map[string]int)
	found := ""
	for _, row := range rows[1:] {
		points[row[0]]++
		if row[0] == "threads" && row[3] == "640" {
			found = strings.Join(row, ",")
		}
	}
	if diff := cmp.Diff(map[string]int{"": 1, "registers": 255, "threads": 32, "shared": 909}, points); diff != "" {
		t.Errorf("points of the curves (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("threads,h100,,640,48,1024,2,40,0.625,registers", found); diff != "" {
		t.Errorf("a point (-want +got):\n%s", diff)
	}
	for _, name := range []string{"x.svg", "x.png"} {
		path := filepath.Join(t.TempDir(), name)
		if got := simtrun(t, "", "occupancy", "--threads", "256", "--regs", "48", "--plot", path); got.code != 0 {
			t.Errorf("%+v", got)
		}
		picture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "x.png" {
			if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
				t.Error(err)
			}
			continue
		}
		for _, want := range []string{">registers of a thread<", ">threads of a block<", ">shared memory of a block, KiB<", ">62.5 %<"} {
			if !bytes.Contains(picture, []byte(want)) {
				t.Errorf("no %s in %s", want, picture)
			}
		}
	}
	if got := simtrun(t, "", "occupancy", "--threads", "256", "--plot", t.TempDir()+"/none/x.svg"); got.code != exitUsage || got.stdout != "" {
		t.Errorf("a picture in no folder: %+v", got)
	}
}
