package view

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/occupancy"
)

// occupancy returns how full SMs are with the kernel of a launch, and how full they would be with other properties.
func (s *Session) occupancy(r *OccupancyOf) (*Occupancy, error) {
	if r.Launch < 0 || r.Launch >= len(s.record.launches) {
		return nil, s.record.has(r.Launch, 0)
	}
	p := s.d.Program()
	l := p.Launches[r.Launch]
	fns, err := p.Machine.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	q, err := occupancy.Of(p.Machine, fns[0], l)
	if err != nil {
		return nil, err
	}
	own, u := q.Usage, &q.Usage
	if r.Registers != nil {
		u.Registers = *r.Registers
	}
	if r.Threads != nil {
		u.Threads = *r.Threads
	}
	if r.Shared != nil {
		u.Static, u.Dynamic = 0, *r.Shared
	}
	if err := usable(u, q.GPU); err != nil {
		return nil, err
	}
	a := occupancy.New(q)
	shared := own.Static + own.Dynamic
	out := &Occupancy{GPU: a.GPU.Name, Registers: a.Usage.Registers, Threads: a.Usage.Threads, Shared: a.Usage.Static + a.Usage.Dynamic,
		Blocks: a.CTAs, Warps: a.Warps, MaxWarps: a.MaxWarps, Occupancy: a.Fraction(), Limiters: []string{}, Limits: []Limit{}, Refusal: a.Refusal, Curves: []Curve{},
		Own: OccupancyOf{Launch: r.Launch, Registers: &own.Registers, Threads: &own.Threads, Shared: &shared}}
	for _, l := range a.Limiters() {
		out.Limiters = append(out.Limiters, l.String())
	}
	for resource, blocks := range a.Limits {
		if blocks != gpu.Unlimited {
			out.Limits = append(out.Limits, Limit{gpu.Resource(resource).String(), blocks})
		}
	}
	if a.Waves.Count > 0 {
		out.Waves = float64(a.Grid) / float64(a.Waves.PerWave)
	}
	for c := range a.Curves() {
		out.Curves = append(out.Curves, Curve(c))
	}
	return out, nil
}

// usable returns why no CTA can have a usage of an SM; nil if one can.
func usable(u *gpu.Usage, on *gpu.Config) error {
	switch most := on.Limits.BlockThreads; {
	case u.Threads < 1 || int64(u.Threads) > most:
		return fmt.Errorf("%d threads: a block has 1 to %d", u.Threads, most)
	case u.Registers < 0 || u.Registers > on.Residency.RegistersPerThread:
		return fmt.Errorf("%d registers: a thread has 0 to %d", u.Registers, on.Residency.RegistersPerThread)
	case u.Static < 0 || u.Dynamic < 0 || u.Static+u.Dynamic > on.Residency.SharedOptIn:
		return fmt.Errorf("%d bytes of shared memory: a block has 0 to %d", u.Static+u.Dynamic, on.Residency.SharedOptIn)
	}
	return nil
}
