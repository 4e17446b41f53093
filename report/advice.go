package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/profile"
)

// advice is something that costs, and the most that could be saved.
type advice struct {
	text  string
	share float64 // of all that there is of its kind, 0 to 1
}

// leastShare is what a saving must come to at the least to be worth a line.
const leastShare = 0.01

func writeAdvice(w *sheet, l profiled) {
	all := l.advice()
	all = slices.DeleteFunc(all, func(a advice) bool { return a.share < leastShare })
	slices.SortStableFunc(all, func(a, b advice) int { return cmp.Compare(b.share, a.share) })
	if len(all) == 0 {
		return
	}
	bounds := "upper bounds"
	if l.Profile.Total.Time == nil {
		bounds += ", counts not time"
	}
	fmt.Fprintf(w, "\nAdvice (%s)\n", bounds)
	for i, a := range all[:min(len(all), mostRows)] {
		w.sentence(fmt.Sprintf("  %d  ", i+1), fmt.Sprintf("%s (%.1f %%)", a.text, 100*a.share))
	}
	writeMore(w, len(all))
}

// advice is all that can be said of a launch, in the order of the code.
func (l profiled) advice() []advice {
	var all []advice
	t := &l.Profile.Total
	add := func(text string, part, whole uint64) {
		if part > 0 {
			all = append(all, advice{text, float64(part) / float64(whole)})
		}
	}
	for _, in := range executed(l.Profile) {
		c, at := in.counts(), where(in.pos())
		if n := c.LostDiverged / lanes.Width; n > 0 {
			add(fmt.Sprintf("%s: lanes of a warp diverge; all of them on one side save up to %d warp instructions", at, n), n, t.Runs)
		}
		if n := c.LostExited / lanes.Width; n > 0 {
			add(fmt.Sprintf("%s: lanes end before others of their warp; full warps save up to %d warp instructions", at, n), n, t.Runs)
		}
		for i := range c.Traffic {
			part, whole, text := saving(t, &c.Traffic[i])
			add(at+": "+text, part, whole)
		}
	}
	if t.Time != nil {
		all = append(all, l.adviceOnTime()...)
	}
	if n := t.LostBlock / lanes.Width; n > 0 {
		add(fmt.Sprintf("blocks of %d threads leave lanes empty; multiples of %d save up to %d warp instructions", l.Block.Count(), lanes.Width, n), n, t.Runs)
	}
	return all
}

// where is a position in a message.
func where(pos isa.Pos) string { return fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line) }

// saving is the most that the requests of an instruction could do without, all
// that the launch asks for of that, and how to say so.
func saving(total *profile.Counts, t *profile.Traffic) (part, whole uint64, text string) {
	switch t.Space {
	case isa.Global, isa.Local:
		part = t.Sectors - t.IdealSectors
		for _, u := range total.Traffic {
			if u.Space == t.Space {
				whole += u.Sectors
			}
		}
		text = fmt.Sprintf("%s sectors a request where %s would do: up to %d of the sectors in %s memory",
			over(t.Sectors, t.Requests), over(t.IdealSectors, t.Requests), part, t.Space)
	case isa.Shared:
		part = t.Wavefronts - t.IdealWavefronts
		for _, u := range total.Traffic {
			whole += u.Wavefronts
		}
		text = fmt.Sprintf("%s bank conflicts: up to %d of the wavefronts in shared memory", conflicts(t), part)
	case isa.Const:
		part, whole = t.Words-t.Requests, total.Of(isa.Load, isa.Const).Words
		text = fmt.Sprintf("%s different constants at once: up to %d of the words served in turn", over(t.Words, t.Requests), part)
	}
	if t.Kind == isa.Atomic && t.Contention > t.Requests {
		part, whole = t.Contention-t.Requests, total.Of(isa.Atomic, t.Space).Contention
		text = fmt.Sprintf("%s lanes update one place: combined in the warp first, up to %d fewer in turn", over(t.Contention, t.Requests), part)
	}
	return part, whole, text
}
