package report

import (
	"cmp"
	"math/big"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
)

// documentSchema identifies the JSON format of a Document: docs/report.schema.json.
const documentSchema = "simtrun.report/v1"

// Document is a report: all figures of a run, as plain data. Every page renders it, so that all pages agree; a saved
// run is a Document in JSON. Shares are from 0 to 1, and cycles are those of the SMs' clock.
type Document struct {
	Schema     string `json:"schema"`            // simtrun.report/v1
	GPU        string `json:"gpu"`               // the preset, or none without a clock
	Divergence string `json:"divergence"`        // divergence model
	Untimed    string `json:"untimed,omitempty"` // the flag because of which there is no clock
	// Launches are the launches that began, in order.
	Launches []Launch     `json:"launches"`
	Sources  []SourceFile `json:"sources"` // of the executed functions, if available
	Dumps    []DumpData   `json:"dumps"`
	Findings []Finding    `json:"findings"` // errors of the run first
	Expects  Expects      `json:"expects"`
	Summary  Summary      `json:"summary"`
	// History is present if it was recorded.
	History *History `json:"history,omitempty"`
}

// History is the activity of SMs over the time of a run with a clock, in bins of equal length.
type History struct {
	BinCycles int64      `json:"bin_cycles"`  // length of a bin
	Warps     [][]uint64 `json:"warp_cycles"` // by SM and bin: cycles of resident warps
	Issued    [][]uint64 `json:"issued"`      // by SM and bin: issued machine instructions
}

// Launch is one launch of a Document.
type Launch struct {
	Kernel  string     `json:"kernel"`                   // as in the source
	Mangled string     `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	File    string     `json:"file"`                     // source file of the kernel
	Grid    [3]uint32  `json:"grid"`
	Block   [3]uint32  `json:"block"`
	Cluster *[3]uint32 `json:"cluster,omitempty"` // blocks per cluster; missing without clusters
	// source of the block size, unless the user gave it: reqntid or default
	BlockFrom    string         `json:"block_from,omitempty"`
	Shared       int64          `json:"shared"` // bytes of dynamic shared memory per block
	Blocks       int64          `json:"blocks"`
	Warps        *big.Int       `json:"warps"`
	Failed       bool           `json:"failed,omitempty"`        // it ended with the error of the run
	Counts       profile.Counts `json:"counts"`                  // sums over the instructions, plus the end of the code
	Metrics      []Metric       `json:"metrics"`                 // in the order of simtrun metrics, without ratios of zero to zero
	ShowPTX      bool           `json:"show_ptx,omitempty"`      // show the PTX below the lines from which it was compiled
	Instructions []Instruction  `json:"instructions"`            // of all functions that executed any, in the order of their PCs
	Arrays       []Array        `json:"shared_arrays,omitempty"` // variables in shared memory with requests
	Buffers      []Buffer       `json:"buffers,omitempty"`       // buffers and variables in global memory with requests
	Functions    []string       `json:"functions"`               // the kernel and the functions that it can reach, as in the source
	// FunctionsMangled are their names in PTX, in the same order, if at least one is another.
	FunctionsMangled []string `json:"functions_mangled,omitempty"`
	Time             *Time    `json:"time,omitempty"` // missing without a clock
	Advice           []Advice `json:"advice"`         // by rank: the largest possible gain first
	// Uncompiled depends on the host. It is missing with a clock, and if all functions that were executed often could
	// be compiled.
	Uncompiled []Uncompiled `json:"not_compiled,omitempty"`
	// Left depends on the host. It is missing with a clock, and if code was seldom left.
	Left []Left `json:"code_left,omitempty"`
	// Undefined has a line for each way in which the launch got undefined values, unless a check judges these.
	Undefined []string `json:"undefined,omitempty"`
}

// Name is the name of a function.
type Name struct {
	Function string `json:"function"`                   // as in the source
	Mangled  string `json:"function_mangled,omitempty"` // in PTX, if that is another
}

func nameOf(symbol string) Name { return Name{cxx.Short(symbol), cxx.Mangled(symbol)} }

// Symbol returns the name in PTX, which is unique. C++ functions may share their name in the source.
func (n *Name) Symbol() string { return cmp.Or(n.Mangled, n.Function) }

// Symbol returns the kernel's name in PTX.
func (l *Launch) Symbol() string { return cmp.Or(l.Mangled, l.Kernel) }

// Uncompiled is a function that the Go loop executed because it could not be compiled to the host's machine code.
type Uncompiled struct {
	Name
	Partial  bool   `json:"only_diverged"` // only its code for diverged lanes could not be compiled
	Reason   string `json:"reason"`
	Observed bool   `json:"observed"` // it could have been compiled, but observers had to see each instruction
}

// Left is an instruction at which code of the host was left so often that it took much of the launch's time.
type Left struct {
	Name
	Place // in the source that was compiled, or in the PTX if there is none
	// PTXLine is the line in the PTX of an instruction that was compiled from another source.
	PTXLine     int32  `json:"ptx_line,omitempty"`
	Instruction string `json:"instruction"`
	Times       uint64 `json:"times"`
	Reason      string `json:"reason"`
}

// Metric is a metric of a launch.
type Metric struct {
	Name  string  `json:"name"`
	NCU   string  `json:"ncu,omitempty"` // the metric of Nsight Compute with the same definition
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// Instruction is an executed PTX instruction.
type Instruction struct {
	Name
	PC    int    `json:"pc"` // in the function
	Place        // in the source that was compiled, or in the PTX if there is none
	Text  string `json:"text"` // without its semicolon
	// PTXLine is the line in the PTX of an instruction that was compiled from another source, and From its position
	// there; for inlined code it has all positions, the innermost first.
	PTXLine int32   `json:"ptx_line,omitempty"`
	From    []Frame `json:"from,omitempty"`
	Code    string  `json:"code,omitempty"` // the line of that source
	// classes of the machine instructions that the clock charges, in their order; none if it is part of a neighbour
	Machine []string `json:"machine,omitempty"`
	// How lanes can diverge at a branch: uniform, thread or data
	Uniformity string `json:"uniformity,omitempty"`
	Live       int    `json:"live_registers"` // live 32-bit registers
	// floating-point operations of all lanes; a fused multiply-add counts as two
	FLOPs  uint64         `json:"flops,omitempty"`
	Counts profile.Counts `json:"counts"`
	Stalls Stalls         `json:"stalls,omitzero"` // cycles of warps for which this was the next instruction
	// WaitsFor is the instruction whose result warps wait for, if they wait long: the latest one before it that writes
	// one of its registers.
	WaitsFor *Place `json:"waits_for,omitempty"`

	Parts []*Instruction `json:"-"` // of an instruction that stands for all of a line: see byLine
}

// Place is a position in a source.
type Place struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column,omitempty"`
}

// Frame is a position in a source, and the function that it is in.
type Frame struct {
	Place
	Function string `json:"function,omitempty"` // in C++
}

func placeOf(p isa.Pos) Place { return Place{p.File, p.Line, p.Col} }

// SourceFile holds the lines of a file.
type SourceFile struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// DumpData is a dumped buffer.
type DumpData struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // of an element
	Count int64  `json:"count"`
	Data  []byte `json:"data"` // little-endian
}

// Advice is a cost of the launch, and the gain of a change.
type Advice struct {
	Rule string `json:"rule"`
	Place
	What   string `json:"what"`   // what costs, in one line
	Change string `json:"change"` // what to do
	// Figure is the number after the advice, which a page also shows.
	Figure float64 `json:"figure"`
	Unit   string  `json:"unit"`
	// Gain is the largest possible gain: in cycles of the launch or, without a clock, in warp instructions, sectors …
	// Gains may overlap and cannot be added up.
	Gain     float64 `json:"gain"`
	GainUnit string  `json:"gain_unit"`
	Share    float64 `json:"share"` // Gain over the total in its unit, 0 to 1
}

// Time is the timing of a launch.
type Time struct {
	Process string `json:"process,omitempty"`
	Stream  string `json:"stream,omitempty"`
	Start   int64  `json:"start_cycle"`
	Cycles  int64  `json:"cycles"`
	// the launch did not complete: an error, a limit or a signal ended the run
	Partial      bool    `json:"partial,omitempty"`
	Microseconds float64 `json:"time_us"`
	ClockMHz     float64 `json:"clock_mhz"`
	Policy       string  `json:"sched"`
	Order        string  `json:"cta_order"`
	Cost         string  `json:"cost"`
	DualIssue    bool    `json:"dual_issue"`
	WarmCode     bool    `json:"warm_icache"`
	// instructions of the program whose times are assumed, as the GPU's preset says
	Assumed []string `json:"assumed,omitempty"`
	// what the machine code of a listing replaced (--sass)
	SASS         []SASS    `json:"sass,omitempty"`
	Resources    Resources `json:"resources"`
	Waves        Waves     `json:"waves"`
	Occupancy    Occupancy `json:"occupancy"`
	Schedulers   int       `json:"schedulers"`    // per SM
	ActiveCycles uint64    `json:"active_cycles"` // cycles with a resident warp, summed over all SMs
	WarpCycles   uint64    `json:"warp_cycles"`   // summed over all resident warps
	Eligible     uint64    `json:"eligible"`      // the warp cycles in which the warp could issue
	Issued       uint64    `json:"issued"`        // machine instructions
	Paired       uint64    `json:"paired"`        // those issued in the same cycle as another one of the same warp
	Stalls       States    `json:"stalls"`
	Pipes        []Pipe    `json:"pipes"`
	Levels       []Level   `json:"levels"`
	Roofline     []Roof    `json:"roofline"`
	SMs          []SM      `json:"sms"`
}

// SASS is how the machine instructions of a function of a listing were used.
type SASS struct {
	Function string `json:"function"`
	Machine  int    `json:"machine_instructions"`
	Matched  int    `json:"matched"` // with what simtrun expects of the PTX
	Added    int    `json:"added"`   // issued in addition
	Unused   int    `json:"unused"`  // in blocks for which the PTX has none
	Absent   int    `json:"absent"`  // instructions that simtrun expects and the listing lacks
}

// Resources are the resources of an SM that a block uses.
type Resources struct {
	Registers     int    `json:"registers"`      // per thread
	RegistersFrom string `json:"registers_from"` // given, liveness, or the directive that limits them
	// RegistersSpilled is the number of registers per thread, estimated from liveness, that exceed the limit of a
	// directive; 0 if all fit. An assembler keeps them in local memory, which simtrun does not count.
	RegistersSpilled int   `json:"registers_spilled,omitempty"`
	SharedStatic     int64 `json:"shared_static"` // bytes
	Barriers         int   `json:"barriers"`      // named barriers
	SharedSM         int64 `json:"shared_sm"`     // bytes of shared memory that an SM is configured to have
}

// Waves is the distribution of a grid's blocks over waves, if all blocks take equally long.
type Waves struct {
	PerMultiprocessor float64 `json:"per_multiprocessor"`
	Count             int64   `json:"count"`
	Last              float64 `json:"last"`       // how full the last wave is
	Efficiency        float64 `json:"efficiency"` // blocks over the capacity of all waves
	Blocks            int64   `json:"blocks"`     // per full wave
}

// Occupancy is how many warps are resident on an SM.
type Occupancy struct {
	BlocksPerSM int      `json:"blocks_per_sm"`
	ActiveWarps int      `json:"active_warps"` // in these blocks
	MaxWarps    int      `json:"max_warps"`
	Theoretical float64  `json:"theoretical"`
	Achieved    float64  `json:"achieved"`
	Limiters    []string `json:"limiters"` // the resources that limit the blocks
	Limits      Limits   `json:"limits"`   // blocks that each resource allows on its own
}

// Pipe is the utilisation of a pipe of the SMs.
type Pipe struct {
	Name         string  `json:"name"` // Nsight Compute's
	Instructions uint64  `json:"instructions"`
	Busy         uint64  `json:"busy_cycles"` // cycles for these instructions, summed over all pipes of this kind
	OfActive     float64 `json:"of_active"`   // Busy over the active cycles of the SMs
	OfPeak       float64 `json:"of_peak"`     // Busy over all cycles of all SMs
}

// Level is a part of the memory system, from the SMs to device memory.
type Level struct {
	Name     string `json:"name"`
	Requests uint64 `json:"requests,omitempty"`
	Sectors  uint64 `json:"sectors,omitempty"`
	Bytes    uint64 `json:"bytes"`
	// Hits are sectors that were found; for L2 including those in the other partition.
	Hits uint64 `json:"hits,omitempty"`
	// Pending are sectors that were already being loaded.
	Pending uint64   `json:"pending,omitempty"`
	HitRate *float64 `json:"hit_rate,omitempty"` // Hits over Sectors
	Busy    float64  `json:"busy_cycles"`        // summed over all units of the level
	OfPeak  float64  `json:"of_peak"`            // utilisation in the cycles of the launch
}

// Roof is an achieved rate and its peak.
type Roof struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Achieved float64 `json:"achieved"`
	Peak     float64 `json:"peak"`
	OfPeak   float64 `json:"of_peak"`
}

// SM is the activity of one SM.
type SM struct {
	Blocks       int64  `json:"blocks"`
	ActiveCycles int64  `json:"active_cycles"`
	FirstCycle   int64  `json:"first_cycle"` // of its first block, from the start of the launch
	LastCycle    int64  `json:"last_cycle"`  // at which its last block had ended
	WarpCycles   int64  `json:"warp_cycles"`
	Issued       uint64 `json:"issued"`
	MemoryPipe   int64  `json:"memory_pipe_cycles"`
	L1Sectors    uint64 `json:"l1_sectors"`
	L1Hits       uint64 `json:"l1_hits"`
	Stalls       Stalls `json:"stalls"`
}
