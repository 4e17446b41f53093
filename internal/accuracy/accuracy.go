// Package accuracy compares the clock with an H100: whole launches that Nsight Compute has profiled, and the same
// launches in simtrun. It has the kernels, their sizes and the measured figures, so that the command can repeat the
// comparison anywhere.
package accuracy

import (
	_ "embed"
	"encoding/csv"
	"hash/crc32"
	"strconv"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/sm"
)

// recorded has a row for each launch: its line of internal/gpu/measure/cases.txt, and what Nsight Compute counted.
//
//go:embed h100.csv
var recorded string

// compressed is an archive of the programs that launches name. They are compressed because they are in programs/
// already: TestKernelArchiveIsFresh compares them.
//
//go:embed kernels.txtar.gz
var compressed []byte

// kernels are the programs.
var kernels = packed.Open(compressed)

// GPU is the preset of the GPU on which the launches were profiled.
const GPU = "h100"

// Launch is a profiled launch.
type Launch struct {
	// Line is the launch's line in internal/gpu/measure/cases.txt: "workload NAME", or "program NAME" with the
	// directives that differ from those of its header.
	Line string
	Kind string // group of similar kernels; Kinds has the definitions
	Measured
}

// Measured has the counters of Nsight Compute for a launch on the GPU. All caches were flushed before the launch.
type Measured struct {
	Cycles float64 // in which an SM had warps, mean of all SMs
	Issued float64 // machine instructions
	// Stalls are the cycles that a warp spent in each state, for each instruction that it issued.
	Stalls [sm.NumStates]float64
}

// kinds are the kinds of launches with their definitions. A launch is of the first kind that applies.
var kinds = [][2]string{
	{"tiny", "fewer than 64 CTAs and 50,000 cycles"},
	{"atomics", "of the instructions 1 % or more"},
	{"shared memory", "loads and stores are 10 % of the instructions or more"},
	{"bandwidth", "L2 moves 1000 bytes a cycle or more"},
	{"ALU", "a scheduler issues in 40 % of the cycles or more"},
	{"latency", "all others"},
}

// Columns of recorded before those of the states.
var columns = []string{"launch", "kind", "cycles", "issued"}

// Launches returns the profiled launches.
var Launches = sync.OnceValue(func() []Launch {
	rows, err := csv.NewReader(strings.NewReader(recorded)).ReadAll()
	if err != nil {
		panic(err)
	}
	var all []Launch
	for _, row := range rows[1:] {
		l := Launch{Line: row[0], Kind: row[1], Measured: Measured{Cycles: number(row[2]), Issued: number(row[3])}}
		for i, text := range row[len(columns):] {
			l.Stalls[i] = number(text)
		}
		all = append(all, l)
	}
	return all
})

func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// kernel returns the name of the launch's workload or program.
func (l *Launch) kernel() string { return strings.Fields(l.Line)[1] }

// Name returns a short name that is unique among the launches: the kernel's, "w:" before that of a workload, and the
// grid if the launch has another one than the program's header.
func (l *Launch) Name() string {
	words := strings.Fields(l.Line)
	name := words[1]
	if words[0] == "workload" {
		name = "w:" + name
	}
	if len(words) > 2 {
		name += " " + strings.TrimPrefix(words[2], "grid=")
	}
	return name
}

// heldOut reports whether no parameter of the model may be tuned on the launch: whether the CRC-32 (IEEE) of its
// kernel's name is odd. All launches of a kernel are on the same side.
func (l *Launch) heldOut() bool { return crc32.ChecksumIEEE([]byte(l.kernel()))&1 == 1 }
