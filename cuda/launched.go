package cuda

import "fmt"

// Launched is a launch reported by the driver library: a line of JSON in SIMTRUN_REPORT or SIMTRUN_SUMMARY.
type Launched struct {
	// State, Process and the CTAs are only in lines of SIMTRUN_SUMMARY.
	State   State `json:"state,omitempty"`
	Process int   `json:"process,omitempty"` // process ID
	// Launches is the number of launches that a line of SIMTRUN_SUMMARY adds up; 0 for one. Seconds, instructions,
	// branches, cycles and microseconds are then sums, and the grid and the block those of the first.
	Launches   int64     `json:"launches,omitempty"`
	Done       int64     `json:"blocks_done,omitempty"`
	Total      int64     `json:"blocks,omitempty"`
	Kernel     string    `json:"kernel"`                   // in the source
	Mangled    string    `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	Grid       [3]uint32 `json:"grid"`
	Block      [3]uint32 `json:"block"`
	Shared     int64     `json:"shared"`  // bytes of dynamic shared memory
	Seconds    float64   `json:"seconds"` // host time
	WarpInstrs uint64    `json:"warp_instructions"`
	LaneInstrs uint64    `json:"lane_instructions"`
	Divergent  uint64    `json:"divergent_branches"`
	// Cycles and Microseconds are GPU time, with a clock.
	Cycles       int64   `json:"cycles,omitempty"`
	Microseconds float64 `json:"microseconds,omitempty"`
	// as listed by simtrun metrics; those selected by SIMTRUN_METRICS
	Metrics  map[string]float64 `json:"metrics,omitempty"`
	Warnings []Finding          `json:"warnings,omitempty"`
	Races    []Finding          `json:"races,omitempty"`
	// Error is the error that ended the kernel, as the command shows it, and Rule the rule that was broken.
	Error string `json:"error,omitempty"`
	Rule  string `json:"rule,omitempty"`
	Hang  bool   `json:"hang,omitempty"` // the kernel could not end, or not within a limit
	// Others are further places of the error.
	Others []Place `json:"others,omitempty"`
	// Uncompiled has a line for each function that ran slowly because it could not be compiled, with the reason.
	Uncompiled []string `json:"not_compiled,omitempty"`
	// Undefined has a line for each way in which the kernel got undefined values.
	Undefined []string `json:"undefined,omitempty"`
	// Call, Leak and Found are those of a Note. A line has one of them, or is about a launch.
	Call  *Call     `json:"call,omitempty"`
	Leak  *Leak     `json:"leak,omitempty"`
	Found []Finding `json:"found,omitempty"`
}

// Symbol returns the kernel's name in PTX.
func (l *Launched) Symbol() string {
	if l.Mangled != "" {
		return l.Mangled
	}
	return l.Kernel
}

// State is the state of a launch when a line is written.
type State string

// A launch has a line when it begins, further lines if it runs for long, and one when it has ended. The lines before
// the last have the kernel, its shape and its progress.
const (
	Ended       State = ""
	Begun       State = "begun"
	Running     State = "running"
	Interrupted State = "interrupted" // ended by SIGINT
)

// Call is a call of the driver that failed: a line of SIMTRUN_SUMMARY.
type Call struct {
	Name  string `json:"name"`
	Error string `json:"error"`
	Why   string `json:"why,omitempty"`
	Rule  string `json:"rule,omitempty"`
	// Place is FILE:LINE of the call, or without debug information the file of the program; Code is the line of the
	// source, or the function and the offset of the call in it.
	Place string `json:"place,omitempty"`
	Code  string `json:"code,omitempty"`
	Count int64  `json:"count"` // so far
}

// Leak is memory that a program had not freed when it ended: a line of SIMTRUN_SUMMARY. It is the allocations of one
// call.
type Leak struct {
	Name  string `json:"name"`  // of the first
	Bytes uint64 `json:"bytes"` // of all
	Count int64  `json:"count"`
	Place string `json:"place,omitempty"` // as of Call
	Code  string `json:"code,omitempty"`
}

// Text names the memory that was not freed.
func (l *Leak) Text() string {
	if l.Count <= 1 {
		return fmt.Sprintf("%s of %s was never freed", l.Name, bytesText(l.Bytes))
	}
	return fmt.Sprintf("%d allocations of %s in all were never freed; the first is %s", l.Count, bytesText(l.Bytes), l.Name)
}

func bytesText(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Note is a line of SIMTRUN_SUMMARY that is not about a launch.
type Note struct {
	Process int   `json:"process"`
	Call    *Call `json:"call,omitempty"`
	Leak    *Leak `json:"leak,omitempty"`
	// Found are findings that are not about one launch.
	Found []Finding `json:"found,omitempty"`
}

// Finding is a fault of the program that did not end the launch.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Place    string `json:"place"`             // file:line:col
	Code     string `json:"code,omitempty"`    // the line of the source, or the instruction
	Earlier  string `json:"earlier,omitempty"` // of the other side of a race
	// EarlierCode and EarlierDoes are the line of that side, and read or write.
	EarlierCode string `json:"earlier_code,omitempty"`
	EarlierDoes string `json:"earlier_does,omitempty"`
	Message     string `json:"message,omitempty"`
	Space       string `json:"space,omitempty"`
	Buffer      string `json:"buffer,omitempty"`
	Offset      uint64 `json:"offset,omitempty"` // bytes, in the buffer
	Count       int64  `json:"count"`
	// Others are further places: where other threads are, and the calls through which the code was inlined.
	Others []Place `json:"others,omitempty"`
}

// Place is a place that a finding names in addition to its own.
type Place struct {
	Place string `json:"place"`          // file:line:col
	Code  string `json:"code,omitempty"` // the line of the source, or the instruction
	Role  string `json:"role"`           // such as "waits", "uses", or "put, called by k"
}

// Environment variables that the driver library reads; docs/host-reference.md describes each.
const (
	EnvGPU        = "SIMTRUN_GPU"
	EnvCheck      = "SIMTRUN_CHECK"
	EnvDivergence = "SIMTRUN_DIVERGENCE"
	EnvSplit      = "SIMTRUN_SPLIT"
	EnvSharedInit = "SIMTRUN_SHARED_INIT"
	EnvFunctional = "SIMTRUN_FUNCTIONAL"
	EnvReport     = "SIMTRUN_REPORT"
	EnvMetrics    = "SIMTRUN_METRICS"
	EnvSave       = "SIMTRUN_SAVE"
	EnvLog        = "SIMTRUN_LOG"
	// EnvSuppressions names files of suppressions, as in PATH: findings that they allow are not written.
	EnvSuppressions = "SIMTRUN_SUPPRESSIONS"
	EnvMemory       = "SIMTRUN_MEMORY"
	// EnvLaunchTimeout is the longest time that a launch may take, in the form of time.ParseDuration.
	EnvLaunchTimeout = "SIMTRUN_LAUNCH_TIMEOUT"
	EnvThreads       = "SIMTRUN_THREADS"
	EnvCommand       = "SIMTRUN_COMMAND" // the command with which libnvrtc compiles
	EnvMaxSteps      = "SIMTRUN_MAX_STEPS"
	// EnvProgress is the number of columns of the terminal that is standard error, where long launches show their
	// progress.
	EnvProgress = "SIMTRUN_PROGRESS"
	// EnvSummary is the file to which Launched lines without metrics are written, for simtrun host.
	EnvSummary = "SIMTRUN_SUMMARY"
)

// Library is the file name of the driver library.
const Library = "libcuda.so.1"
