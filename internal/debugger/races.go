package debugger

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// checked begins to check a launch for races, if the user asked for that.
func (d *Debugger) checked(l *interp.Launch) (err error) {
	d.races = nil
	for _, o := range l.Observers {
		if r, ok := o.(*check.Races); ok {
			d.races = r // the caller checks the launch already
		}
	}
	if d.races == nil && d.cfg.Races {
		d.races, err = check.Attach(d.program.Machine, l)
	}
	d.checkers = l.Observers
	return err
}

// observe sets the observers of a session without a clock, in addition to those that check the launch.
func (d *Debugger) observe(more ...interp.Observer) {
	d.functional.SetObservers(append(more, d.checkers...)...)
}

// newRace returns the latest race, if it was found since the points were armed or the last call, and a point stops at
// findings.
func (a *armed) newRace(d *Debugger) *check.Finding {
	if a.on[finding] == nil || d.races == nil {
		return nil
	}
	n, f := d.races.Latest()
	if n == a.races {
		return nil
	}
	a.races = n
	return f
}

// stoppedBy notes that a point has stopped at a race, whose other side is yet to be shown.
func (d *Debugger) stoppedBy(f *check.Finding) {
	if !d.searching {
		d.stoppedAt = f
	}
}

// raceText describes the later side of a race, which was just executed; step is the one before it.
func (d *Debugger) raceText(p *point, f *check.Finding, step int64) string {
	return fmt.Sprintf("%s  race of %s\n  %s", p.name(), raced(f), d.sideText(&f.Later, moment{d.number, step}))
}

// raced names what both sides of a race access.
func raced(f *check.Finding) string {
	if element := f.Element(); element != "" {
		return element
	}
	if f.Buffer == "" {
		return fmt.Sprintf("%s 0x%x, %s", isa.Space(f.Space), f.Address, plural(uint64(f.Bytes), "byte"))
	}
	return fmt.Sprintf("%s+%d, %s", f.Buffer, f.Offset, plural(uint64(f.Bytes), "byte"))
}

// showRaces shows how many races were found so far, and the latest. It reports whether there are any.
func (d *Debugger) showRaces() bool {
	if d.races == nil {
		return false
	}
	n, f := d.races.Latest()
	if n == 0 {
		return false
	}
	d.printf("%s so far, the latest of %s\n  %s\n  %s\n", plural(uint64(n), "race"), raced(f), d.accessText(&f.Later), d.accessText(&f.Earlier))
	return true
}

// sideText describes one side of a race that was executed at a moment.
func (d *Debugger) sideText(a *check.Access, at moment) string {
	return d.momentText(at) + "  " + d.accessText(a)
}

// accessText describes one side of a race.
func (d *Debugger) accessText(a *check.Access) string {
	code, verb := d.codeOfSide(a), "read"
	if a.Writes {
		verb = "write"
	}
	if a.Lanes.Count() == 1 {
		verb += "s"
	}
	return fmt.Sprintf("%s  %s: %s   %s %s", d.warpText(warpAt{a.CTA, a.Warp}), d.lineText(code), d.codeText(code), lanesText(a.Lanes), verb)
}

func (d *Debugger) codeOfSide(a *check.Access) codeAt {
	for fn, f := range d.fns {
		if f == a.Func {
			return codeAt{fn, a.PC}
		}
	}
	return codeAt{}
}

// showOtherSide prints the earlier side of a race at which a point has stopped, with its step. The launches stay where
// they are.
func (d *Debugger) showOtherSide(c *call) error {
	f := d.stoppedAt
	if d.stoppedAt = nil; f == nil || d.session == nil {
		return nil
	}
	side := &f.Earlier
	code, at := d.codeOfSide(side), warpAt{side.CTA, side.Warp}
	wp := &watchpoint{reads: true, writes: true, memory: true, space: "global", addr: f.Address, size: uint64(f.Bytes), elem: isa.U8, at: at}
	if f.Space == isa.Shared {
		wp.space = "shared"
	}
	if !wp.locate(d) {
		return nil
	}
	s := d.newSearch(c.ctx, 1, func(interp.Warp, *divergence.Split) bool { return false })
	looked := &armed{memory: []*point{{watch: wp}}}
	s.hook.begin = func() {
		if d.log.armed = looked; d.clock != nil {
			d.clock.armed, d.clock.touches = looked, nil
		}
	}
	s.hook.cycle = func(int64, int64) {
		for _, t := range d.clock.touches {
			if t.at == at && t.code == code {
				s.last = moment{d.number, t.step}
				s.find("", nil)
			}
		}
		d.clock.touches = nil
	}
	s.hook.after = func() {
		for i := range d.log.touched {
			if d.log.at == at && d.log.touched[i].code == code {
				s.find("", nil)
			}
		}
	}
	view, now := d.scene(), d.now()
	defer func() {
		d.setScene(view)
		d.disarmClock()
	}()
	found, _, err := s.run()
	if away := d.goTo(now); away != nil {
		return away
	}
	if err == nil {
		d.printf("  %s\n", d.sideText(side, found.moment))
	}
	return nil
}
