package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
)

// timeOf returns the timing of a launch; nil without a clock.
func timeOf(l *launch.Launched) *Time {
	timing := l.Timing
	if timing == nil {
		return nil
	}
	t, options, on := profile.TimeOf(timing), &timing.Options, timing.GPU
	waves := gpu.WavesOf(l.Grid.Count(), timing.AtOnce())
	sum := timing.Total()
	all := &sum.Schedulers[0]
	o := &Time{Process: timing.Process, Stream: timing.Stream, Start: timing.Start, Cycles: timing.Cycles, Partial: timing.Partial, Microseconds: t.Microseconds, ClockMHz: on.ClockMHz,
		Policy: options.Policy.String(), Order: options.Order.String(), Cost: options.Cost.String(), DualIssue: options.DualIssue, WarmCode: options.WarmCode, Assumed: timing.Assumed,
		Resources: Resources{timing.Resources.Registers, string(timing.Resources.From), timing.Resources.Spilled, timing.Resources.Static, timing.Resources.Barriers, timing.Occupancy.Capacity},
		Waves:     Waves{float64(l.Grid.Count()) / float64(waves.PerWave), waves.Count, waves.Last, waves.Efficiency, waves.PerWave},
		Occupancy: Occupancy{BlocksPerSM: timing.Occupancy.CTAs, ActiveWarps: timing.Occupancy.Warps, MaxWarps: timing.Occupancy.MaxWarps,
			Theoretical: timing.Occupancy.Fraction(), Achieved: t.Occupancy(), Limiters: limiterNames(&timing.Occupancy), Limits: Limits(timing.Occupancy.Limits)},
		Schedulers: on.Schedulers, ActiveCycles: t.ActiveCycles, WarpCycles: uint64(all.WarpCycles), Eligible: all.Eligible, Issued: t.Issued, Paired: t.Paired, Stalls: States(t.States)}
	for i := range timing.SMs {
		m := &timing.SMs[i]
		did := m.Sum()
		o.SMs = append(o.SMs, SM{Blocks: m.CTAs, ActiveCycles: m.Active, FirstCycle: m.First, LastCycle: m.Last, WarpCycles: did.WarpCycles, Issued: did.Issued,
			MemoryPipe: m.MemoryPipe, L1Sectors: m.L1.Sectors, L1Hits: m.L1.Hits, Stalls: Stalls(m.States)})
	}
	for _, a := range timing.Assembled {
		o.SASS = append(o.SASS, SASS{a.Function, a.Machine, a.Matched, a.Added(), a.Unused, a.Absent})
	}
	o.Pipes = pipesOf(t)
	o.Levels = levelsOf(timing, &sum)
	o.Roofline = o.roofline(on, l.Profile)
	return o
}

// smCycles returns the cycles summed over all SMs.
func (t *Time) smCycles() float64 { return float64(t.Cycles) * float64(len(t.SMs)) }

// issueSlots returns the cycles in which a scheduler of an active SM could issue.
func (t *Time) issueSlots() uint64 { return t.ActiveCycles * uint64(t.Schedulers) }

// SlotsUsed returns the share of issue slots in which a scheduler issued.
func (t *Time) SlotsUsed() float64 { return share(float64(t.Issued-t.Paired), float64(t.issueSlots())) }

// IPC returns the machine instructions per active cycle of an SM.
func (t *Time) IPC() float64 { return share(float64(t.Issued), float64(t.ActiveCycles)) }

// share returns a/b, or 0 if b is 0.
func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// pipesOf returns the pipes that machine instructions used.
func pipesOf(t *profile.Time) []Pipe {
	pipes := []Pipe{}
	for u := isa.NoUnit + 1; u < isa.NumUnits; u++ {
		if p := &t.Pipes[u]; p.Issued > 0 {
			pipes = append(pipes, Pipe{u.String(), p.Issued, p.Busy, ratioOf(p.Busy, p.Active), ratioOf(p.Busy, p.Cycles)})
		}
	}
	return pipes
}

// levelsOf returns the memory system, starting at the SMs. A GPU without caches has no levels.
func levelsOf(t *sm.Timing, sum *sm.SMTiming) []Level {
	on, m := t.GPU, &t.GPU.Memory
	if m.Flat > 0 {
		return []Level{}
	}
	cycles, sms := float64(t.Cycles), float64(len(t.SMs))
	l1 := Level{Name: "l1", Sectors: sum.L1.Sectors, Bytes: sum.L1.Sectors * cache.SectorBytes, Hits: sum.L1.Hits, Pending: sum.L1.Pending,
		Busy: float64(sum.MemoryPipe), OfPeak: share(float64(sum.MemoryPipe), cycles*sms)}
	l1.rate()
	traffic, all := &t.Memory, &profile.Time{Memory: t.Memory}
	hits, sectors := all.L2Sectors()
	requests, down, up := int64(0), int64(0), int64(0)
	for kind := range cache.NumKinds {
		requests += traffic.Requests[kind]
		if kind == cache.Load || kind == cache.Atomic {
			down += traffic.Sectors[kind] * cache.SectorBytes
		}
		if kind != cache.Load {
			up += traffic.Sectors[kind] * cache.SectorBytes
		}
	}
	port := func(name string, bytes int64, perCycle float64) Level {
		l := Level{Name: name, Bytes: uint64(bytes)}
		if perCycle > 0 {
			l.Busy = float64(bytes) / perCycle
			l.OfPeak = share(l.Busy, cycles*sms)
		}
		return l
	}
	l2 := Level{Name: "l2", Requests: uint64(requests), Sectors: sectors, Bytes: sectors * cache.SectorBytes, Hits: hits,
		Busy: traffic.SliceCycles, OfPeak: share(traffic.SliceCycles, cycles*float64(m.L2Slices))}
	l2.rate()
	dram := Level{Name: "dram", Bytes: uint64(traffic.Fetched + traffic.Written), Busy: traffic.ChannelCycles}
	dram.OfPeak = share(float64(dram.Bytes), m.DRAMPeak*1000*cycles/on.ClockMHz)
	return []Level{l1, port("sm_to_l2", up, m.SMRequest), port("l2_to_sm", down, m.SMResponse), l2,
		{Name: "dram_read", Bytes: uint64(traffic.Fetched), OfPeak: share(float64(traffic.Fetched), m.DRAMPeak*1000*cycles/on.ClockMHz)},
		{Name: "dram_write", Bytes: uint64(traffic.Written), OfPeak: share(float64(traffic.Written), m.DRAMPeak*1000*cycles/on.ClockMHz)}, dram}
}

func (l *Level) rate() {
	if l.Sectors > 0 {
		rate := float64(l.Hits) / float64(l.Sectors)
		l.HitRate = &rate
	}
}

// level returns the level of that name; nil if there is none.
func (t *Time) level(name string) *Level {
	for i := range t.Levels {
		if t.Levels[i].Name == name {
			return &t.Levels[i]
		}
	}
	return nil
}

// roofline returns the peaks with a nonzero achieved rate: of arithmetic, if it was counted, and of memory.
func (t *Time) roofline(on *gpu.Config, p *profile.Profile) []Roof {
	roofs := []Roof{}
	seconds := t.Microseconds / 1e6
	add := func(name, unit string, did, peak float64) {
		if did > 0 && peak > 0 && seconds > 0 {
			achieved := did / seconds / 1e9
			roofs = append(roofs, Roof{name, unit, achieved, peak, achieved / peak})
		}
	}
	var wavefronts uint64
	if p != nil {
		f, peak := flopsOf(p), on.Peak()
		add("fp32", "GFLOPS", float64(f[isa.F32]+f[isa.F32x2]), peak.FP32)
		add("fp64", "GFLOPS", float64(f[isa.F64]), peak.FP64)
		add("fp16", "GFLOPS", float64(f[isa.F16]+f[isa.F16x2]+f[isa.BF16]+f[isa.BF16x2]), peak.FP16)
		add("tensor", "GFLOPS", float64(matrixFLOPs(p)), peak.Tensor)
		for i := range p.Total.Traffic {
			wavefronts += p.Total.Traffic[i].Wavefronts
		}
		add("shared", "GB/s", float64(wavefronts)*128, peak.Shared)
	}
	gigahertz := on.ClockMHz / 1000
	for _, l := range t.Levels {
		switch l.Name {
		case "l1":
			add("l1", "GB/s", float64(l.Bytes), 128*float64(on.SMs)*gigahertz)
		case "l2":
			add("l2", "GB/s", float64(l.Bytes), on.Memory.L2Read*gigahertz)
		case "dram":
			add("dram", "GB/s", float64(l.Bytes), on.Memory.DRAMPeak)
		}
	}
	return roofs
}

// flopsOf returns the floating-point operations of all lanes by the type of the instruction.
func flopsOf(p *profile.Profile) (f [isa.NumTypes]uint64) {
	for _, in := range executed(p) {
		f[in.fn.Code[in.pc].Types[0]] += flopsIn(&in)
	}
	return f
}

// matrixFLOPs returns the floating-point operations of matrix products, without those of .f64, which have another
// peak.
func matrixFLOPs(p *profile.Profile) (sum uint64) {
	for _, in := range executed(p) {
		if code := &in.fn.Code[in.pc]; code.Is(isa.Matrix) && code.Mods[isa.DType] != isa.SumF64 {
			sum += flopsIn(&in)
		}
	}
	return sum
}

// flopsIn returns the floating-point operations of an instruction in its active lanes.
func flopsIn(in *instruction) uint64 {
	return uint64(in.fn.Code[in.pc].FLOPs()) * in.counts().Lanes
}

// States is a JSON object of the cycles in all states, by name.
type States sm.States

// MarshalJSON implements json.Marshaler.
func (s States) MarshalJSON() ([]byte, error) {
	o := &objectText{}
	for state, cycles := range s {
		o.add(sm.State(state).String(), strconv.FormatUint(cycles, 10))
	}
	return o.end(), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *States) UnmarshalJSON(text []byte) error {
	var byName map[string]uint64
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	*s = States{}
	for state := range s {
		name := sm.State(state).String()
		s[state] = byName[name]
		delete(byName, name)
	}
	for name := range byName {
		return fmt.Errorf("no state %q of a warp", name)
	}
	return nil
}

// Stalls is a JSON object of the nonzero States.
type Stalls sm.States

// MarshalJSON implements json.Marshaler.
func (s Stalls) MarshalJSON() ([]byte, error) {
	o := &objectText{}
	for state, cycles := range s {
		if cycles > 0 {
			o.add(sm.State(state).String(), strconv.FormatUint(cycles, 10))
		}
	}
	return o.end(), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Stalls) UnmarshalJSON(text []byte) error { return (*States)(s).UnmarshalJSON(text) }

// Limits is a JSON object of blocks by resource; null if the resource does not limit them.
type Limits [gpu.NumResources]int

// MarshalJSON implements json.Marshaler.
func (l Limits) MarshalJSON() ([]byte, error) {
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

// UnmarshalJSON implements json.Unmarshaler.
func (l *Limits) UnmarshalJSON(text []byte) error {
	var byName map[string]*int
	if err := json.Unmarshal(text, &byName); err != nil {
		return err
	}
	for resource := range l {
		l[resource] = gpu.Unlimited
		if blocks := byName[gpu.Resource(resource).String()]; blocks != nil {
			l[resource] = *blocks
		}
	}
	return nil
}

// objectText is a JSON object being written; it keeps the order of the keys.
type objectText struct{ b bytes.Buffer }

// add adds a key and its JSON value.
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
