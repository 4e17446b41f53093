package occupancy

import (
	"encoding/json"
	"io"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
)

// object is the answer in JSON; docs/json.md describes each key.
type object struct {
	Schema        string       `json:"schema"`
	GPU           string       `json:"gpu"`
	Kernel        string       `json:"kernel,omitempty"`         // as in the source
	Mangled       string       `json:"kernel_mangled,omitempty"` // its name in PTX, if that is another
	Threads       int          `json:"threads"`
	Registers     int          `json:"registers,omitempty"`
	RegistersFrom string       `json:"registers_from,omitempty"`
	Spilled       int          `json:"registers_spilled,omitempty"`
	Static        int64        `json:"shared_static"`
	Dynamic       int64        `json:"shared_dynamic"`
	Capacity      int64        `json:"shared_capacity"`
	Carveout      *int         `json:"carveout,omitempty"`
	Barriers      int          `json:"barriers"`
	Idealised     bool         `json:"idealised"`
	CTAs          int          `json:"blocks_per_sm"`
	Warps         int          `json:"active_warps"`
	MaxWarps      int          `json:"max_warps"`
	Occupancy     float64      `json:"occupancy"`
	Limiters      []string     `json:"limiters"`
	Limits        limits       `json:"limits"`
	Refusal       string       `json:"refusal,omitempty"`
	MinimumGrid   int64        `json:"minimum_grid"`
	Cluster       *clusters    `json:"clusters,omitempty"`
	Best          *bestBlock   `json:"best_block,omitempty"`
	Steps         []step       `json:"steps"`
	Next          *next        `json:"next,omitempty"`
	RegisterCap   *registerCap `json:"register_cap,omitempty"`
	Waves         *waves       `json:"waves,omitempty"`
}

type limits struct {
	Warps     int  `json:"warps"`
	Registers *int `json:"registers,omitempty"`
	Shared    *int `json:"shared,omitempty"`
	CTAs      int  `json:"blocks"`
	Barriers  *int `json:"barriers,omitempty"`
}

type clusters struct {
	CTAs   int `json:"blocks"`
	Active int `json:"active"`
}

type bestBlock struct {
	Threads     int     `json:"threads"`
	CTAs        int     `json:"blocks_per_sm"`
	Occupancy   float64 `json:"occupancy"`
	MinimumGrid int64   `json:"minimum_grid"`
}

type step struct {
	CTAs      int     `json:"blocks_per_sm"`
	Occupancy float64 `json:"occupancy"`
	Registers int     `json:"registers"`
	Shared    int64   `json:"shared"`
}

type next struct {
	step
	FewerRegisters int   `json:"fewer_registers"`
	FewerBytes     int64 `json:"fewer_shared"`
}

type registerCap struct {
	Registers int    `json:"registers"`
	From      string `json:"from"`
}

type waves struct {
	Grid       int64   `json:"grid"`
	PerWave    int64   `json:"blocks_per_wave"`
	Count      int64   `json:"count"`
	Last       float64 `json:"last"`
	Efficiency float64 `json:"efficiency"`
}

// WriteJSON writes the answer as an object on one line.
func (a *Answer) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(a.object())
}

func (a *Answer) object() *object {
	u := &a.Usage
	o := &object{Schema: "simtrun.occupancy/v1", GPU: a.GPU.Name, Kernel: cxx.Short(a.Kernel), Mangled: cxx.Mangled(a.Kernel), Threads: u.Threads,
		Registers: u.Registers, RegistersFrom: a.RegistersFrom, Spilled: a.Spilled, Static: u.Static, Dynamic: u.Dynamic, Capacity: a.Capacity,
		Carveout: u.Carveout, Barriers: u.Barriers, Idealised: u.Idealised,
		CTAs: a.CTAs, Warps: a.Warps, MaxWarps: a.MaxWarps, Occupancy: a.Fraction(), Limiters: names(a.Limiters()),
		Limits:  limits{Warps: a.Limits[gpu.WarpSlots], Registers: a.limit(gpu.RegisterFile), Shared: a.limit(gpu.SharedMemory), CTAs: a.Limits[gpu.CTASlots], Barriers: a.limit(gpu.NamedBarriers)},
		Refusal: a.Refusal, MinimumGrid: a.minimumGrid(a.CTAs), Steps: []step{}}
	for i := range a.Steps {
		o.Steps = append(o.Steps, a.step(&a.Steps[i]))
	}
	if b := &a.Best; b.Threads > 0 {
		o.Best = &bestBlock{b.Threads, b.CTAs, b.Fraction(), a.minimumGrid(b.CTAs)}
	}
	if s := a.Next(); s != nil {
		o.Next = &next{a.step(s), max(0, u.Registers-s.Registers), max(0, a.shared()-s.Shared)}
	}
	if a.RegisterCap > 0 {
		o.RegisterCap = &registerCap{a.RegisterCap, a.CapFrom}
	}
	if a.Question.Cluster > 0 {
		o.Cluster = &clusters{a.Question.Cluster, a.ActiveClusters}
	}
	if v := &a.Waves; v.Count > 0 {
		o.Waves = &waves{a.Grid, v.PerWave, v.Count, v.Last, v.Efficiency}
	}
	return o
}

// limit returns the limit of a resource, nil if it does not limit.
func (a *Answer) limit(r gpu.Resource) *int {
	if a.Limits[r] == gpu.Unlimited {
		return nil
	}
	return &a.Limits[r]
}

func (a *Answer) step(s *Step) step {
	return step{s.CTAs, float64(s.Warps) / float64(a.MaxWarps), s.Registers, s.Shared}
}
