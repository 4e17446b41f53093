package view

// Version is the version of the messages. Members may be added to it; a change of meaning makes another one.
const Version = 1

// Request is a message of the client. It has exactly one of its members from Open on.
type Request struct {
	Version    int           `json:"version"`
	ID         int64         `json:"id"` // repeated by the answer
	Open       *Open         `json:"open,omitempty"`
	Timeline   *TimelineOf   `json:"timeline,omitempty"`
	Seek       *Seek         `json:"seek,omitempty"`
	State      *StateRequest `json:"state,omitempty"`
	Figures    *FiguresOf    `json:"figures,omitempty"`
	GPU        *GPUOf        `json:"gpu,omitempty"`
	Schedulers *SchedulersOf `json:"schedulers,omitempty"`
	Occupancy  *OccupancyOf  `json:"occupancy,omitempty"`
	Lessons    *LessonsOf    `json:"lessons,omitempty"`
}

// Open asks for the program: the one that the session has, or another one. Launches are executed again in both cases.
type Open struct {
	// Name is that of the file of the text, for a session without files of its own; others have one name only.
	Name     string    `json:"name,omitempty"`
	Text     *string   `json:"text,omitempty"`     // of the source; missing for that of the session
	Settings *Settings `json:"settings,omitempty"` // missing for those of the session
	// Lesson is the name of a lesson: its kernel replaces a missing text, and its goals are checked. The text is loaded
	// as in a session without files.
	Lesson string `json:"lesson,omitempty"`
	Solved bool   `json:"solved,omitempty"` // a solution of the lesson, in place of its kernel
	// Expects are further expectations on memory, in the words of run headers.
	Expects []string `json:"-"`
}

// Settings are those of a launch, in the words of the command's flags. An empty one leaves what the run header says.
type Settings struct {
	Kernel     string   `json:"kernel,omitempty"`
	Grid       string   `json:"grid,omitempty"`       // "4" or "4x2"
	Block      string   `json:"block,omitempty"`      // "128"
	Shared     string   `json:"shared,omitempty"`     // bytes of dynamic shared memory
	Args       []string `json:"args,omitempty"`       // "x=iota:32:u32"
	GPU        string   `json:"gpu,omitempty"`        // of a preset
	Divergence string   `json:"divergence,omitempty"` // its, stack or minpc
	PathOrder  string   `json:"path_order,omitempty"` // taken, fallthrough or majority
	Timed      bool     `json:"timed,omitempty"`      // with a clock: steps are cycles
}

// TimelineOf asks for what a warp executed, in columns.
type TimelineOf struct {
	Launch  int   `json:"launch"`
	Warp    int64 `json:"warp"`            // number in the grid
	From    int   `json:"from,omitempty"`  // first instruction of the warp, from 0
	Count   int   `json:"count,omitempty"` // instructions; 0 for all that follow
	Columns int   `json:"columns"`         // at most so many, 1 to 4096
}

// Seek asks for a moment: an instruction of a warp.
type Seek struct {
	Launch int   `json:"launch"`
	Warp   int64 `json:"warp"`
	// Index is the number of an instruction of the warp, from 0. The number of its instructions stands for the moment
	// after the last of them.
	Index *int `json:"index,omitempty"`
	// Step is used without Index: the warp's first instruction at a step or later, or the moment after its last.
	Step int64 `json:"step,omitempty"`
	// Find searches from there, without the instruction itself: "barrier", "divergence", "reconvergence", "exit",
	// "access" (to memory) or "finding".
	Find string `json:"find,omitempty"`
	Back bool   `json:"back,omitempty"` // backwards
}

// StateRequest asks for what one view shows at a moment.
type StateRequest struct {
	View   string `json:"view"` // "source", "warp", "block", "memory" or, with a clock, "sm"
	Launch int    `json:"launch"`
	Step   int64  `json:"step"`
	Warp   int64  `json:"warp"` // in focus
	// Index is the instruction of the warp whose accesses are shown; without it, the first at the step or later. With a
	// clock a warp can execute several instructions in a cycle.
	Index *int `json:"index,omitempty"`
	// Registers are those that the view of a warp shows; without any, those of the next instruction.
	Registers []string `json:"registers,omitempty"`
}

// Answer is a message of the session. It has an error, or the answer to the request.
type Answer struct {
	Version  int       `json:"version"`
	ID       int64     `json:"id"`
	Error    string    `json:"error,omitempty"`
	Opened   *Opened   `json:"opened,omitempty"`
	Timeline *Timeline `json:"timeline,omitempty"`
	Moment   *Moment   `json:"moment,omitempty"`
	Source   *Source   `json:"source,omitempty"`
	Warp     *Warp     `json:"warp,omitempty"`
	Block    *Block    `json:"block,omitempty"`
	Memory   *Memory   `json:"memory,omitempty"`
	SM       *SM       `json:"sm,omitempty"`

	Figures    *Figures    `json:"figures,omitempty"`
	GPU        *GPU        `json:"gpu,omitempty"`
	Schedulers *Schedulers `json:"schedulers,omitempty"`
	Occupancy  *Occupancy  `json:"occupancy,omitempty"`
	Lessons    *Lessons    `json:"lessons,omitempty"`
}

// Opened is a program whose launches were executed, or the mistakes because of which they could not.
type Opened struct {
	Files    []File    `json:"files"` // the first one can be edited
	Settings Settings  `json:"settings"`
	Launches []Launch  `json:"launches"`
	Timed    bool      `json:"timed"` // steps are cycles
	GPU      string    `json:"gpu,omitempty"`
	Model    string    `json:"model"` // of divergence: its, stack or minpc
	Findings []Finding `json:"findings"`
	Output   string    `json:"output,omitempty"` // that kernels printed
	Failure  string    `json:"failure,omitempty"`
	// Limited says what the answer leaves out: the launches were not executed to their end, or not checked.
	Limited string `json:"limited,omitempty"`
	Lesson  string `json:"lesson,omitempty"`
	Goals   []Goal `json:"goals,omitempty"` // of the lesson, which is solved if all are met
}

// File is a source.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Lang string `json:"lang"` // ptx or cuda
}

// Launch is a launch that has begun.
type Launch struct {
	Kernel string    `json:"kernel"`
	Grid   [3]uint32 `json:"grid"`
	Block  [3]uint32 `json:"block"`
	Warps  int64     `json:"warps"` // in the grid
	// PerBlock is the number of warps of a block.
	PerBlock     int64 `json:"warps_per_block"`
	Instructions int64 `json:"instructions"` // that warps executed
	Steps        int64 `json:"steps"`        // instructions, or cycles
}

// Finding is an error that was found in the launches, or in the source.
type Finding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // error, warning or info
	Message  string `json:"message"`
	File     string `json:"file,omitempty"`
	Line     int32  `json:"line,omitempty"`
	Column   int32  `json:"column,omitempty"`
	Instr    string `json:"instr,omitempty"`
	Fix      string `json:"fix,omitempty"`
	Other    string `json:"other,omitempty"` // the other side of a race, as FILE:LINE
	Lanes    uint32 `json:"lanes,omitempty"` // a mask
	// Launch is that of the finding, Warp the warp, and Step the first step at which the warp executes the line; -1 if
	// that is not known.
	Launch int   `json:"launch"`
	Warp   int64 `json:"warp"`
	Step   int64 `json:"step"`
	// Block and ID are the warp's block and its number there; ID is -1 if the finding is not of a warp.
	Block [3]uint32 `json:"block"`
	ID    int       `json:"id"`
}

// Timeline is the history of a warp: the instructions that it executed.
type Timeline struct {
	Launch  int      `json:"launch"`
	Warp    int64    `json:"warp"`
	Total   int      `json:"total"` // instructions of the warp
	From    int      `json:"from"`
	Columns []Column `json:"columns"`
	// Lanes are the active lanes of all instructions of the warp, Branches those at which it diverged: the ones with most
	// inactive lanes until its lanes were together again first, and how many others there are.
	Lanes        int64    `json:"lanes"`
	Branches     []Branch `json:"branches"`
	MoreBranches int      `json:"more_branches,omitempty"`
}

// Branch is a branch at which lanes of a warp diverged. Times without an end of the time before are not counted.
type Branch struct {
	At     Place  `json:"at"`
	Index  int    `json:"index"`           // of its first time, in the instructions of the warp
	Times  int    `json:"times"`           // that lanes diverged
	First  uint32 `json:"first"`           // lanes of the side that ran first, the first time
	Other  uint32 `json:"other"`           // lanes of the other sides
	Meets  *Place `json:"meets,omitempty"` // reconvergence PC
	Until  int    `json:"until"`           // index of the instruction at which they were together again, the first time
	Apart  int64  `json:"apart"`           // instructions between, of all times
	Active int64  `json:"active"`          // their active lanes
}

// Column is a run of instructions of a warp.
type Column struct {
	Index int    `json:"index"` // of the first, in those of the warp
	Count int    `json:"count"`
	Step  int64  `json:"step"`           // of the first
	Low   int    `json:"low"`            // fewest active lanes
	High  int    `json:"high"`           // most active lanes
	Mask  uint32 `json:"mask,omitempty"` // active lanes, of a column of one instruction
	Line  int32  `json:"line,omitempty"` // of the first
	// Marks says what happened: D divergence, R reconvergence, B barrier, X exit, F finding.
	Marks string `json:"marks,omitempty"`
	// Waited has, with a clock, the cycles in which the warp waited until it issued these instructions, by state.
	Waited map[string]int64 `json:"waited,omitempty"`
}

// Moment is a moment: before an instruction of a warp, or after its last one.
type Moment struct {
	Launch int   `json:"launch"`
	Step   int64 `json:"step"`
	Warp   int64 `json:"warp"`
	Index  int   `json:"index"` // of the instruction; Total after the last one
	Total  int   `json:"total"` // instructions of the warp
	Found  bool  `json:"found"` // whether a search has found something
	// Marks of the instruction, as those of a column.
	Marks string `json:"marks,omitempty"`
}

// Place is a place in the code.
type Place struct {
	PC   int    `json:"pc"` // in its function
	File string `json:"file,omitempty"`
	Line int32  `json:"line,omitempty"`
	Text string `json:"text"`
}

// Source has the counts and marks shown next to the source's lines.
type Source struct {
	Lines []Line `json:"lines"` // with anything to show, in the order of files and lines
	// Absent says that the warp has ended, or its block has not started.
	Absent bool `json:"absent,omitempty"`
}

// Line is what a line shows: Passes and Lanes count what the launch executed in all, Done what the warp in focus
// executed before the moment.
type Line struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Passes int64  `json:"passes,omitempty"`       // warp instructions
	Lanes  int64  `json:"lanes,omitempty"`        // lane instructions
	Done   int64  `json:"done,omitempty"`         // warp instructions
	At     uint32 `json:"at,omitempty"`           // live lanes of the warp that are here
	Next   bool   `json:"next,omitempty"`         // the warp executes this line next
	Meet   uint32 `json:"reconverging,omitempty"` // lanes that reconverge here
}

// Warp is the state of a warp.
type Warp struct {
	Warp   int64     `json:"warp"`
	ID     int       `json:"id"` // in its block
	Block  [3]uint32 `json:"block"`
	Absent bool      `json:"absent,omitempty"` // it has ended, or its block has not started: there is nothing more
	// Masks: threads with which the warp started; live ones; those that execute next; those of them for which the guard
	// holds; those that wait at barriers or for others.
	Threads uint32 `json:"threads"`
	Live    uint32 `json:"live"`
	Active  uint32 `json:"active"`
	Guarded uint32 `json:"guarded"`
	Waiting uint32 `json:"waiting"`

	Next      *Place     `json:"next,omitempty"` // instruction; none if the warp cannot run
	Model     string     `json:"model"`
	Splits    []Split    `json:"splits"`
	Meetings  []Meeting  `json:"meetings"`
	Lanes     []Lanes    `json:"lanes"`
	Registers []Register `json:"registers"`
	Names     []string   `json:"names"` // registers of the function that can be shown
}

// Split is lanes of a warp at one place.
type Split struct {
	Mask  uint32 `json:"mask"`
	At    Place  `json:"at"`
	State string `json:"state"`           // running, masked, waiting or reconverging
	Calls int    `json:"calls"`           // of functions that the lanes are in
	Stop  *Place `json:"stop,omitempty"`  // where they wait for others
	Side  *Side  `json:"side,omitempty"`  // of the branch that separated them from others; none if they are together
	Frame string `json:"frame,omitempty"` // name of the function that they are in
}

// Side is a side of a divergent branch.
type Side struct {
	Branch Place  `json:"branch"`
	Side   string `json:"side"` // taken, fall-through or target
	Mask   uint32 `json:"mask"` // lanes that went this way
	Other  uint32 `json:"other"`
	Meets  *Place `json:"meets,omitempty"` // reconvergence PC
}

// Meeting is an entry of the reconvergence stack, or a convergence barrier.
type Meeting struct {
	At      Place  `json:"at"`
	Lanes   uint32 `json:"lanes"`   // that reconverge there
	Arrived uint32 `json:"arrived"` // those that wait there
	Parent  int    `json:"parent"`  // index of the outer one; -1 for none
}

// Lanes are lanes in one state.
type Lanes struct {
	Mask  uint32 `json:"mask"`
	State string `json:"state"`
}

// Register is a register in all lanes.
type Register struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values"` // 32, as the type has them
}

// Block is the state of a block.
type Block struct {
	Block   int64       `json:"block"` // number in the grid
	At      [3]uint32   `json:"at"`
	Absent  bool        `json:"absent,omitempty"` // it has ended, or has not started
	Warps   []BlockWarp `json:"warps"`
	Notes   []string    `json:"notes"`    // on mbarriers
	Resides []int64     `json:"resident"` // numbers of blocks that reside, at most 64
	More    int         `json:"more"`     // others that reside
}

// BlockWarp is a warp of a block.
type BlockWarp struct {
	Warp   int64  `json:"warp"` // number in the grid
	ID     int    `json:"id"`
	State  string `json:"state"` // running, diverged, waiting or ended
	Live   uint32 `json:"live"`
	Active uint32 `json:"active"`
	Next   *Place `json:"next,omitempty"`
	Waits  []Wait `json:"waits"`
}

// Wait is lanes that wait.
type Wait struct {
	Lanes   uint32    `json:"lanes"`
	At      Place     `json:"at"`
	Barrier int       `json:"barrier"`          // of the block; -1 if they wait for something else
	For     string    `json:"for,omitempty"`    // what, if not a barrier
	Missing []Missing `json:"missing"`          // warps of the block that have not arrived
	Others  uint32    `json:"others,omitempty"` // lanes of the warp for which they wait
}

// Missing is lanes of a warp that have not arrived at a barrier.
type Missing struct {
	Warp  int64  `json:"warp"`
	ID    int    `json:"id"`
	Lanes uint32 `json:"lanes"`
}

// Memory is the access of a warp's next instruction.
type Memory struct {
	Step     int64    `json:"step"`             // at which it is executed
	Next     *Place   `json:"next,omitempty"`   // none if the warp executes nothing more
	Accesses []Access `json:"accesses"`         // none if it accesses no memory
	More     int      `json:"more,omitempty"`   // further accesses, which are left out
	Absent   bool     `json:"absent,omitempty"` // the warp has ended
}

// Access is an access to one region of memory.
type Access struct {
	Space  string    `json:"space"`
	Kind   string    `json:"kind"`   // load, store or atomic
	Region string    `json:"region"` // name of the buffer or variable; "" if it has none
	Size   int       `json:"size"`   // bytes of a lane
	Lanes  uint32    `json:"lanes"`
	Places []string  `json:"places"`            // address of each lane, hexadecimal; "" for others
	Banks  *Banks    `json:"banks,omitempty"`   // of shared memory
	Lines  *MemLines `json:"sectors,omitempty"` // of global and local memory
}

// Banks is how an access uses the 32 banks of shared memory.
type Banks struct {
	Wavefronts int    `json:"wavefronts"`
	Ideal      int    `json:"ideal"`
	Degree     int    `json:"degree"` // 1 without a conflict
	Words      []Word `json:"words"`  // in the order of banks and addresses
}

// Word is a 32-bit word of a bank.
type Word struct {
	Bank    int    `json:"bank"`
	Address string `json:"address"` // hexadecimal
	Lanes   uint32 `json:"lanes"`   // that access it
}

// MemLines is how an access uses lines of 128 bytes and sectors of 32.
type MemLines struct {
	Sectors int       `json:"sectors"`
	Lines   int       `json:"lines"`
	Ideal   int       `json:"ideal"` // sectors, if the lanes were contiguous
	List    []MemLine `json:"list"`  // ascending, at most 32
}

// MemLine is a line.
type MemLine struct {
	Address string `json:"address"` // hexadecimal
	Sectors [4]int `json:"sectors"` // lanes that access each sector
	Lanes   uint32 `json:"lanes"`
}

// SM is the state of the SM on which the warp in focus is resident, before a cycle.
type SM struct {
	Absent     bool        `json:"absent,omitempty"` // the warp has ended, or its block has not started
	SM         int         `json:"sm"`
	Blocks     int         `json:"blocks"` // that are resident
	Schedulers []Scheduler `json:"schedulers"`
}

// Scheduler is a warp scheduler of an SM.
type Scheduler struct {
	Issued uint64   `json:"issued"` // machine instructions before the cycle
	Slots  int      `json:"slots"`  // for warps
	Queued int      `json:"queued"` // memory instructions that wait for the SM's memory pipe
	Busy   string   `json:"busy,omitempty"`
	Warps  []SMWarp `json:"warps"`
}

// SMWarp is a warp in a slot of a scheduler.
type SMWarp struct {
	Warp     int64  `json:"warp"` // number in the grid
	Block    int64  `json:"block"`
	ID       int    `json:"id"`
	Slot     int    `json:"slot"`
	Eligible bool   `json:"eligible"` // it can issue in the cycle
	State    string `json:"state"`    // in the cycle, in the words of Nsight Compute
	Text     string `json:"text"`     // the state, until when, and why
	Next     *Place `json:"next,omitempty"`
}
