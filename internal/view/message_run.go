package view

import (
	"encoding/json"

	"github.com/simtrun/simtrun/internal/report"
)

// FiguresOf asks for the figures of a launch.
type FiguresOf struct {
	Launch int `json:"launch"`
}

// Figures are the figures of a launch, those of simtrun run --json: of a run of its own, with counters.
type Figures struct {
	Metrics []Figure `json:"metrics"` // without ratios of zero to zero
	// Page is the part of the page of simtrun profile --html that is about the launch, as markup: the main figures,
	// advice, pictures, and tables of arrays, buffers, source lines and metrics.
	Page string          `json:"page"`
	Time json.RawMessage `json:"time,omitempty"` // with a clock: members of a launch in docs/json.md
}

// Figure is a metric; simtrun metrics defines it.
type Figure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

// GPUOf asks what the SMs did in a launch with a clock.
type GPUOf struct {
	Launch int `json:"launch"`
	Bins   int `json:"bins"` // of time, at most so many, 1 to 1024
}

// GPU is the activity of the SMs in a launch. Cycles are counted from its start.
type GPU struct {
	Cycles int64        `json:"cycles"`
	SMs    []SMStays    `json:"sms"`            // that had blocks
	More   int          `json:"more,omitempty"` // stays that are left out, of more than 4096
	Idle   int          `json:"idle"`           // SMs that had none
	Waves  report.Waves `json:"waves"`
	Bin    int64        `json:"bin"`           // cycles
	States []StateBins  `json:"states"`        // those with most cycles first
	Cut    bool         `json:"cut,omitempty"` // states of later cycles are left out
}

// SMStays are the blocks of an SM. Rows are how many resided at once.
type SMStays struct {
	SM    int    `json:"sm"`
	Rows  int    `json:"rows"`
	Stays []Stay `json:"stays"`
}

// Stay is the residence of a block, from Start to before End. Stays of one row do not overlap.
type Stay struct {
	Block int64 `json:"block"`
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	Row   int   `json:"row"`
}

// StateBins are the cycles of warps in a state.
type StateBins struct {
	State  string  `json:"state"`
	Doc    string  `json:"doc"`
	Cycles int64   `json:"cycles"`
	Bins   []int64 `json:"bins"` // cycles of warps
}

// SchedulersOf asks what the schedulers of a warp's SM did in some cycles.
type SchedulersOf struct {
	Launch int   `json:"launch"`
	Warp   int64 `json:"warp"`
	From   int64 `json:"from"`
	Count  int64 `json:"count"` // 1 to 1024
}

// Schedulers is the activity of an SM's schedulers in Count cycles from From on.
type Schedulers struct {
	SM         int         `json:"sm"` // -1 if the block of the warp did not start
	From       int64       `json:"from"`
	Count      int64       `json:"count"`
	States     []StateName `json:"states"`
	Schedulers []Strip     `json:"schedulers"`
	Cut        bool        `json:"cut,omitempty"` // later cycles are left out
}

// StateName is a letter that stands for a state of warps.
type StateName struct {
	Letter string `json:"letter"`
	Name   string `json:"name"` // Nsight Compute's
	Doc    string `json:"doc"`
}

// Strip is the activity of a scheduler, by cycle: the warp that issued, or -1; how many warps could; and a letter, S if
// one issued, else the state of most warps, or a blank if there were none.
type Strip struct {
	Issued   []int64 `json:"issued"`
	Eligible []int   `json:"eligible"`
	Why      string  `json:"why"`
	Slots    []Slot  `json:"slots"` // that had warps
}

// Slot has the states of the warps in a slot, a letter for each cycle, and from which cycle on which warp is there. If
// a warp waited for its pipe and for others, in an order that is not recorded, the pipe is first.
type Slot struct {
	Slot   int        `json:"slot"`
	States string     `json:"states"`
	Warps  []SlotWarp `json:"warps"`
}

// SlotWarp is a warp of a slot.
type SlotWarp struct {
	Warp int64 `json:"warp"`
	At   int64 `json:"at"` // cycle, from the first one of the strip
}

// OccupancyOf asks how full SMs are with the kernel of a launch, if some of its properties were others.
type OccupancyOf struct {
	Launch    int    `json:"launch"`
	Registers *int   `json:"registers,omitempty"` // of a thread
	Threads   *int   `json:"threads,omitempty"`   // of a block
	Shared    *int64 `json:"shared,omitempty"`    // bytes of a block, static and dynamic
}

// Occupancy says how full SMs are: the figures of simtrun occupancy --json.
type Occupancy struct {
	GPU       string   `json:"gpu"`
	Registers int      `json:"registers"`
	Threads   int      `json:"threads"`
	Shared    int64    `json:"shared"` // bytes
	Blocks    int      `json:"blocks_per_sm"`
	Warps     int      `json:"active_warps"`
	MaxWarps  int      `json:"max_warps"`
	Occupancy float64  `json:"occupancy"`
	Limiters  []string `json:"limiters"`
	Limits    []Limit  `json:"limits"`
	Refusal   string   `json:"refusal,omitempty"`
	Waves     float64  `json:"waves,omitempty"` // of the launch's grid
	Curves    []Curve  `json:"curves"`
	// Own are the properties that the launch has.
	Own OccupancyOf `json:"own"`
}

// Limit is how many blocks a resource allows on an SM.
type Limit struct {
	Resource string `json:"resource"`
	Blocks   int    `json:"blocks"`
}

// Curve is the number of resident warps as a function of one property, at First, First + Step …
type Curve struct {
	Name  string `json:"name"` // registers, threads or shared
	First int64  `json:"first"`
	Step  int64  `json:"step"`
	At    int64  `json:"at"`
	Warps []int  `json:"warps"`
}

// LessonsOf asks for the list of lessons.
type LessonsOf struct{}

// Lessons are the lessons, in their order.
type Lessons struct {
	Lessons []Lesson `json:"lessons"`
}

// Lesson is a kernel to change, and a question that a view answers.
type Lesson struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Text  []string `json:"text"`  // paragraphs; code is between backquotes
	Views []string `json:"views"` // that are open
	Warp  int64    `json:"warp,omitempty"`
	Find  string   `json:"find,omitempty"` // where it begins, as Seek.Find
	Timed bool     `json:"timed,omitempty"`
	Goals []string `json:"goals"` // in words of Goal.Text
}

// Goal is a condition on the figures of a lesson's launch.
type Goal struct {
	Text string `json:"text"`
	Got  string `json:"got"`
	Met  bool   `json:"met"`
}
