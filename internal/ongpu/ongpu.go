// Package ongpu defines the requests of simtrun verify to the command simtrun-gpu, and its answers: the launches of a
// run, as the CUDA driver executes them on a GPU. Both are JSON, on standard input and output.
package ongpu

// Job is a run: memory, and launches one after the other.
type Job struct {
	PTX      string   `json:"ptx"` // the module
	Buffers  []Buffer `json:"buffers"`
	Launches []Launch `json:"launches"`
	Device   int      `json:"device"`  // ordinal
	Repeats  int      `json:"repeats"` // how often all of it is executed, each time from the same memory; at least 1
}

// Buffer is memory that is read back after the launches.
type Buffer struct {
	Name    string  `json:"name"`
	Symbol  bool    `json:"symbol"` // a variable of the module
	Keep    bool    `json:"keep"`   // a variable keeps what the module gives it: Data is only its size
	Data    []byte  `json:"data"`   // before the launches
	Patches []Patch `json:"patches,omitempty"`
}

// Launch is a launch of a kernel.
type Launch struct {
	Kernel      string    `json:"kernel"`
	Grid        [3]uint32 `json:"grid"`
	Block       [3]uint32 `json:"block"`
	Cluster     [3]uint32 `json:"cluster"` // zero without clusters
	Shared      uint32    `json:"shared"`  // bytes of dynamic shared memory
	Cooperative bool      `json:"cooperative"`
	Params      []byte    `json:"params"`
	Patches     []Patch   `json:"patches,omitempty"`
}

// Patch is a place for the address of a buffer.
type Patch struct {
	At     int    `json:"at"`    // bytes from the start
	Width  int    `json:"width"` // bytes of the address
	Buffer int    `json:"buffer"`
	Offset uint64 `json:"offset"` // added to the buffer's address
}

// Answer has the results of a Job on a GPU.
type Answer struct {
	// Missing says why there is no GPU; everything else is then empty.
	Missing string `json:"missing,omitempty"`
	// Failed says what the driver refused or what the GPU could not execute; Buffers and Times are then empty.
	Failed string `json:"failed,omitempty"`

	GPU     string `json:"gpu"`
	Driver  string `json:"driver"` // version of CUDA that the driver has, such as 12.8
	SMs     int    `json:"sms"`
	Compute string `json:"compute"` // compute capability, such as 9.0
	// MHz is the rate of the SMs' clock, measured after the launches.
	MHz float64 `json:"mhz"`
	// Empty is the time of an empty launch, in microseconds: the least of several.
	Empty   float64     `json:"empty"`
	Times   [][]float64 `json:"times"`   // by launch and repeat: microseconds between events before and after it
	Buffers [][]byte    `json:"buffers"` // after the first execution
}
