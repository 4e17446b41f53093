package report

import (
	"math/big"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
)

// documentSchema names what a Document is as JSON: docs/report.schema.json.
const documentSchema = "simtrun.report/v1"

// Document is a report: all that is said of a run, as plain data. Every page renders it, so that
// they have the same numbers; a saved run is a Document as JSON. Shares of something are from 0 to
// 1, cycles those of the SMs' clock.
type Document struct {
	Schema     string `json:"schema"`            // simtrun.report/v1
	GPU        string `json:"gpu"`               // the preset, or none without a clock
	Divergence string `json:"divergence"`        // model of divergence
	Untimed    string `json:"untimed,omitempty"` // the flag for which there is no clock
	// Launches are those that began, in order.
	Launches []Launch     `json:"launches"`
	Sources  []SourceFile `json:"sources"` // of the functions that ran, as far as they are at hand
	Dumps    []DumpData   `json:"dumps"`
	Findings []Finding    `json:"findings"` // errors of the run first
	Expects  Expects      `json:"expects"`
	Summary  Summary      `json:"summary"`
	// History is there if it was recorded.
	History *History `json:"history,omitempty"`
}

// History is what SMs did over the time of a run with a clock, in parts of equal length from its
// start.
type History struct {
	BinCycles int64      `json:"bin_cycles"`  // of each part
	Warps     [][]uint64 `json:"warp_cycles"` // by SM and part: cycles of warps that resided
	Issued    [][]uint64 `json:"issued"`      // likewise: machine instructions
}

// Launch is one launch of a Document.
type Launch struct {
	Kernel       string         `json:"kernel"`
	File         string         `json:"file"` // of the kernel
	Grid         [3]uint32      `json:"grid"`
	Block        [3]uint32      `json:"block"`
	Cluster      *[3]uint32     `json:"cluster,omitempty"`    // blocks of a cluster; missing without clusters
	BlockFrom    string         `json:"block_from,omitempty"` // what gave the block, unless it was said: reqntid or default
	Shared       int64          `json:"shared"`               // bytes of dynamic shared memory of a block
	Blocks       int64          `json:"blocks"`
	Warps        *big.Int       `json:"warps"`
	Failed       bool           `json:"failed,omitempty"` // it ended with the error of the run
	Counts       profile.Counts `json:"counts"`           // sums over the instructions, and what the end of the code adds
	Metrics      []Metric       `json:"metrics"`          // in the order of simtrun metrics, without ratios of nothing to nothing
	Instructions []Instruction  `json:"instructions"`     // of the functions of which something ran, in the order of their PCs
	Functions    []string       `json:"functions"`        // the kernel and those that it can reach
	Time         *Time          `json:"time,omitempty"`   // missing without a clock
	Advice       []Advice       `json:"advice"`           // ranked: what may gain most first
	// Uncompiled depends on the host. It is missing with a clock, and if all functions that were executed often could
	// be compiled.
	Uncompiled []Uncompiled `json:"not_compiled,omitempty"`
}

// Uncompiled is a function that the Go loop executed because it could not be compiled to the host's machine code.
type Uncompiled struct {
	Function string `json:"function"`
	Rest     bool   `json:"only_diverged"` // only its code for diverged lanes could not be compiled
	Reason   string `json:"reason"`
}

// Metric is a metric of a launch.
type Metric struct {
	Name  string  `json:"name"`
	NCU   string  `json:"ncu,omitempty"` // the metric of Nsight Compute that is defined the same way
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Instruction is an instruction of PTX.
type Instruction struct {
	Function string `json:"function"`
	PC       int    `json:"pc"` // in the function
	Place
	Text string `json:"text"` // without its semicolon
	// From is where .loc says that the line came from, in the source that was compiled; the
	// innermost place first, if it was inlined.
	From       []Place        `json:"from,omitempty"`
	Uniformity string         `json:"uniformity,omitempty"` // of what lanes diverge by here: uniform, thread or data
	Live       int            `json:"live_registers"`       // 32-bit registers that are live here
	FLOPs      uint64         `json:"flops,omitempty"`      // floating-point operations of all lanes; a product with its sum is two
	Counts     profile.Counts `json:"counts"`
	Stalls     Stalls         `json:"stalls,omitzero"` // cycles of warps that were to issue it
	// WaitsFor is, of what waits long for a result, the latest instruction before it in the code that
	// writes such a register.
	WaitsFor *Place `json:"waits_for,omitempty"`
}

// Place is a place in a source.
type Place struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column,omitempty"`
}

func placeOf(p isa.Pos) Place { return Place{p.File, p.Line, p.Col} }

// SourceFile is the lines of a file.
type SourceFile struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// DumpData is a buffer that the run was to dump.
type DumpData struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // of an element
	Count int64  `json:"count"`
	Data  []byte `json:"data"` // little-endian
}

// Advice is something that costs, and what it could gain to change it.
type Advice struct {
	Rule string `json:"rule"`
	Place
	What   string `json:"what"`   // what costs, in a line
	Change string `json:"change"` // what to do
	// Figure is what it rests on: a number that a page has too.
	Figure float64 `json:"figure"`
	Unit   string  `json:"unit"`
	// Gain is the most that can be gained: cycles of the launch, or warp instructions, sectors …
	// without a clock. Gains are not to be added up: they may be the same cycles.
	Gain     float64 `json:"gain"`
	GainUnit string  `json:"gain_unit"`
	Share    float64 `json:"share"` // Gain of all that there is of its unit
}

// Time is what the clock says of a launch.
type Time struct {
	Process      string    `json:"process,omitempty"`
	Stream       string    `json:"stream,omitempty"`
	Start        int64     `json:"start_cycle"`
	Cycles       int64     `json:"cycles"`
	Partial      bool      `json:"partial,omitempty"` // until the run ended, by an error, a limit or a signal: the launch had not
	Microseconds float64   `json:"time_us"`
	ClockMHz     float64   `json:"clock_mhz"`
	Policy       string    `json:"sched"`
	Order        string    `json:"cta_order"`
	Cost         string    `json:"cost"`
	DualIssue    bool      `json:"dual_issue"`
	Resources    Resources `json:"resources"`
	Waves        Waves     `json:"waves"`
	Occupancy    Occupancy `json:"occupancy"`
	Schedulers   int       `json:"schedulers"`    // of an SM
	ActiveCycles uint64    `json:"active_cycles"` // in which a warp resided, over all SMs
	WarpCycles   uint64    `json:"warp_cycles"`   // of all warps that resided
	Eligible     uint64    `json:"eligible"`      // of these, cycles in which the warp could issue
	Issued       uint64    `json:"issued"`        // machine instructions
	Paired       uint64    `json:"paired"`        // of these, those issued in the cycle of another of the same warp
	Stalls       States    `json:"stalls"`
	Pipes        []Pipe    `json:"pipes"`
	Levels       []Level   `json:"levels"`
	Roofline     []Roof    `json:"roofline"`
	SMs          []SM      `json:"sms"`
}

// Resources is what a block takes of an SM.
type Resources struct {
	Registers     int    `json:"registers"`      // of a thread
	RegistersFrom string `json:"registers_from"` // given, liveness, or the directive that limits them
	// RegistersSpilled is the number of registers of a thread, estimated from liveness, that exceed the limit of a
	// directive; 0 if all fit. An assembler keeps them in local memory, which simtrun does not count.
	RegistersSpilled int   `json:"registers_spilled,omitempty"`
	SharedStatic     int64 `json:"shared_static"` // bytes
	Barriers         int   `json:"barriers"`      // named ones
	SharedSM         int64 `json:"shared_sm"`     // bytes of shared memory that an SM is configured to have
}

// Waves is how the blocks of a grid follow each other if all take equally long.
type Waves struct {
	PerMultiprocessor float64 `json:"per_multiprocessor"`
	Count             int64   `json:"count"`
	Last              float64 `json:"last"`       // how full the last one is
	Efficiency        float64 `json:"efficiency"` // blocks, of those for which all waves have room
	Blocks            int64   `json:"blocks"`     // of a full one
}

// Occupancy is how many warps reside on an SM.
type Occupancy struct {
	BlocksPerSM int      `json:"blocks_per_sm"`
	ActiveWarps int      `json:"active_warps"` // of these blocks
	MaxWarps    int      `json:"max_warps"`
	Theoretical float64  `json:"theoretical"`
	Achieved    float64  `json:"achieved"`
	Limiters    []string `json:"limiters"` // the resources that allow no more
	Limits      Limits   `json:"limits"`   // blocks that each resource allows by itself
}

// Pipe is how busy a pipe of the SMs is.
type Pipe struct {
	Name         string  `json:"name"` // Nsight Compute's
	Instructions uint64  `json:"instructions"`
	Busy         uint64  `json:"busy_cycles"` // that these instructions take it, over all of its kind
	OfActive     float64 `json:"of_active"`   // Busy, of the active cycles of the SMs
	OfPeak       float64 `json:"of_peak"`     // Busy, of all cycles of all SMs
}

// Level is a part of the memory system, from the SMs to device memory.
type Level struct {
	Name     string `json:"name"`
	Requests uint64 `json:"requests,omitempty"`
	Sectors  uint64 `json:"sectors,omitempty"`
	Bytes    uint64 `json:"bytes"`
	// Hits are sectors that were there; of L2 also those that were in the other partition.
	Hits uint64 `json:"hits,omitempty"`
	// Pending are sectors that were on the way already.
	Pending uint64   `json:"pending,omitempty"`
	HitRate *float64 `json:"hit_rate,omitempty"` // Hits of Sectors
	Busy    float64  `json:"busy_cycles"`        // over all units of the level
	OfPeak  float64  `json:"of_peak"`            // what it did, of what it could have in the cycles of the launch
}

// Roof is what was achieved of a peak.
type Roof struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Achieved float64 `json:"achieved"`
	Peak     float64 `json:"peak"`
	OfPeak   float64 `json:"of_peak"`
}

// SM is what one SM did.
type SM struct {
	Blocks       int64  `json:"blocks"`
	ActiveCycles int64  `json:"active_cycles"`
	FirstCycle   int64  `json:"first_cycle"` // of its first block, from the start of the launch
	LastCycle    int64  `json:"last_cycle"`  // in which its last block had ended
	WarpCycles   int64  `json:"warp_cycles"`
	Issued       uint64 `json:"issued"`
	MemoryPipe   int64  `json:"memory_pipe_cycles"`
	L1Sectors    uint64 `json:"l1_sectors"`
	L1Hits       uint64 `json:"l1_hits"`
	Stalls       Stalls `json:"stalls"`
}
