package report

import (
	"bytes"
	"strconv"

	"github.com/simtrun/simtrun/gpu"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/profile"
	"github.com/simtrun/simtrun/sm"
)

// timeJSON is what is said of a launch with a clock.
type timeJSON struct {
	Process      string        `json:"process,omitempty"`
	Stream       string        `json:"stream,omitempty"`
	Start        int64         `json:"start_cycle"`
	Cycles       int64         `json:"cycles"`
	Microseconds float64       `json:"time_us"`
	Policy       string        `json:"sched"`
	Order        string        `json:"cta_order"`
	Cost         string        `json:"cost"`
	DualIssue    bool          `json:"dual_issue"`
	Waves        wavesJSON     `json:"waves"`
	Occupancy    occupancyJSON `json:"occupancy"`
	Issued       uint64        `json:"issued"`
	Stalls       statesJSON    `json:"stalls"`
	SMs          []smJSON      `json:"sms"`
}

type wavesJSON struct {
	PerMultiprocessor float64 `json:"per_multiprocessor"`
	Count             int64   `json:"count"`
	Last              float64 `json:"last"`
	Efficiency        float64 `json:"efficiency"`
	Blocks            int64   `json:"blocks"` // of a full one
}

type occupancyJSON struct {
	BlocksPerSM int        `json:"blocks_per_sm"`
	ActiveWarps int        `json:"active_warps"`
	MaxWarps    int        `json:"max_warps"`
	Theoretical float64    `json:"theoretical"`
	Achieved    float64    `json:"achieved"`
	Limiters    []string   `json:"limiters"`
	Limits      limitsJSON `json:"limits"`
}

type smJSON struct {
	Blocks       int64  `json:"blocks"`
	ActiveCycles int64  `json:"active_cycles"`
	WarpCycles   int64  `json:"warp_cycles"`
	Issued       uint64 `json:"issued"`
}

// timeOf is what is said of the time of a launch; nil if it had no clock.
func timeOf(l *launch.Launched) *timeJSON {
	timing := l.Timing
	if timing == nil {
		return nil
	}
	t, options := profile.TimeOf(timing), &timing.Options
	waves := timing.GPU.Waves(l.Grid.Count(), timing.CTAsPerSM)
	o := &timeJSON{Process: timing.Process, Stream: timing.Stream, Start: timing.Start, Cycles: timing.Cycles, Microseconds: t.Microseconds,
		Policy: options.Policy.String(), Order: options.Order.String(), Cost: options.Cost.String(), DualIssue: options.DualIssue,
		Waves: wavesJSON{float64(l.Grid.Count()) / float64(waves.PerWave), waves.Count, waves.Last, waves.Efficiency, waves.PerWave},
		Occupancy: occupancyJSON{BlocksPerSM: timing.Occupancy.CTAs, ActiveWarps: timing.Occupancy.Warps, MaxWarps: timing.Occupancy.MaxWarps,
			Theoretical: timing.Occupancy.Fraction(), Achieved: t.Occupancy(), Limiters: limiterNames(&timing.Occupancy), Limits: limitsJSON(timing.Occupancy.Limits)},
		Issued: t.Issued, Stalls: statesJSON(t.States)}
	for i := range timing.SMs {
		m := &timing.SMs[i]
		did := m.Sum()
		o.SMs = append(o.SMs, smJSON{m.CTAs, m.Active, did.WarpCycles, did.Issued})
	}
	return o
}

// statesJSON is a JSON object of cycles by the name of the state.
type statesJSON sm.States

// MarshalJSON implements json.Marshaler.
func (s statesJSON) MarshalJSON() ([]byte, error) {
	o := &objectText{}
	for state, cycles := range s {
		o.add(sm.State(state).String(), strconv.FormatUint(cycles, 10))
	}
	return o.end(), nil
}

// limitsJSON is a JSON object of blocks by the name of the resource; null if it does
// not limit them.
type limitsJSON [gpu.NumResources]int

// MarshalJSON implements json.Marshaler.
func (l limitsJSON) MarshalJSON() ([]byte, error) {
	o := &objectText{}
	for resource, blocks := range l {
		text := "null"
		if blocks != gpu.Unlimited {
			text = strconv.Itoa(blocks)
		}
		o.add(gpu.Resource(resource).String(), text)
	}
	return o.end(), nil
}

// objectText is a JSON object under way, whose keys keep their order.
type objectText struct{ b bytes.Buffer }

// add adds a key and its value, which is JSON.
func (o *objectText) add(key, value string) {
	if o.b.Len() == 0 {
		o.b.WriteByte('{')
	} else {
		o.b.WriteByte(',')
	}
	o.b.WriteString(strconv.Quote(key))
	o.b.WriteByte(':')
	o.b.WriteString(value)
}

func (o *objectText) end() []byte {
	if o.b.Len() == 0 {
		return []byte("{}")
	}
	o.b.WriteByte('}')
	return o.b.Bytes()
}
