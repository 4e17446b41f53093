package occupancy

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
)

// WriteText writes the answer for people.
func (a *Answer) WriteText(w io.Writer) {
	var head []string
	if a.Kernel != "" {
		head = append(head, cxx.Short(a.Kernel))
	}
	head = append(append(head, a.GPU.Name), a.usage()...)
	fmt.Fprintf(w, "%s\n\n", strings.Join(head, "  "))
	for _, line := range [][2]string{
		{"occupancy", a.occupancyText()},
		{"limits", a.limitsText()},
		{"next step", a.nextText()},
		{"best block", a.bestText()},
		{"clusters", a.clusterText()},
		{"grid", a.gridText()},
		{"bounds", a.boundsText()},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-10s  %s\n", line[0], line[1])
		}
	}
	a.writeSteps(w)
}

// usage describes a block's use of an SM's resources.
func (a *Answer) usage() []string {
	u := &a.Usage
	words := []string{fmt.Sprintf("block %d (%s)", u.Threads, count(u.Warps(), "warp"))}
	if u.Registers > 0 {
		from := a.RegistersFrom
		if a.Spilled > 0 {
			from += fmt.Sprintf("; about %d more would be spilled", a.Spilled)
		}
		words = append(words, fmt.Sprintf("registers %d (%s)", u.Registers, from))
	}
	words = append(words, fmt.Sprintf("shared %d bytes", a.shared()))
	if u.Barriers > 0 {
		words = append(words, fmt.Sprintf("barriers %d", u.Barriers))
	}
	if u.Carveout != nil {
		words = append(words, fmt.Sprintf("carve-out %d %%", *u.Carveout))
	}
	if u.Idealised {
		words = append(words, "idealised")
	}
	return words
}

func (a *Answer) occupancyText() string {
	return fmt.Sprintf("%s: %s, %d of %d warps on each of %s", percent(a.Fraction()), count(a.CTAs, "block"), a.Warps, a.MaxWarps, count(a.GPU.SMs, "SM"))
}

func (a *Answer) limitsText() string {
	var all []string
	for r, limit := range a.Limits {
		if limit != gpu.Unlimited {
			all = append(all, fmt.Sprintf("%s %d", gpu.Resource(r), limit))
		}
	}
	return strings.Join(all, ", ") + ": by " + strings.Join(names(a.Limiters()), " and ")
}

func names(resources []gpu.Resource) []string {
	all := []string{}
	for _, r := range resources {
		all = append(all, r.String())
	}
	return all
}

// nextText says what must be reduced to make room for another block.
func (a *Answer) nextText() string {
	next := a.Next()
	if next == nil {
		if a.Warps == a.MaxWarps {
			return "none: all warp slots are taken"
		}
		return fmt.Sprintf("none with blocks of %s, whatever they take", count(a.Usage.Threads, "thread"))
	}
	var less []string
	if a.Limits[gpu.RegisterFile] < next.CTAs {
		less = append(less, fmt.Sprintf("at most %s of a thread, %d fewer", count(next.Registers, "register"), a.Usage.Registers-next.Registers))
	}
	if a.Limits[gpu.SharedMemory] < next.CTAs {
		less = append(less, fmt.Sprintf("at most %d bytes of shared memory, %d fewer", next.Shared, a.shared()-next.Shared))
	}
	return fmt.Sprintf("%s (%s) with %s", count(next.CTAs, "block"), percent(float64(next.Warps)/float64(a.MaxWarps)), strings.Join(less, ", and "))
}

func (a *Answer) bestText() string {
	b := &a.Best
	if b.Threads == 0 {
		return "none fits"
	}
	return fmt.Sprintf("%s: %s, %s; %d blocks fill the GPU", count(b.Threads, "thread"), count(b.CTAs, "block"), percent(b.Fraction()), a.minimumGrid(b.CTAs))
}

func (a *Answer) clusterText() string {
	switch most := a.GPU.Cluster.Size; {
	case a.Cluster == 0:
		return ""
	case a.Cluster > most && most == 1:
		return fmt.Sprintf("the %s has none", a.GPU.Name)
	case a.Cluster > most:
		return fmt.Sprintf("%s each, at most %d", count(a.Cluster, "block"), most)
	}
	return fmt.Sprintf("%d at once, of %s each, in %d GPCs", a.ActiveClusters, count(a.Cluster, "block"), a.GPU.GPCs)
}

func (a *Answer) gridText() string {
	atOnce := a.minimumGrid(a.CTAs)
	if atOnce == 0 {
		return ""
	}
	full := fmt.Sprintf("%d blocks fill the GPU", atOnce)
	if a.Grid == 0 {
		return full
	}
	wave := "1 wave"
	if n := a.Waves.Count; n > 1 {
		wave = fmt.Sprintf("%d waves", n)
	}
	return fmt.Sprintf("%d: %s, the last %s full, efficiency %s; %s", a.Grid, wave, percent(a.Waves.Last), percent(a.Waves.Efficiency), full)
}

func (a *Answer) boundsText() string {
	if a.RegisterCap == 0 {
		return ""
	}
	return fmt.Sprintf("%s: at most %s of a thread", a.CapFrom, count(a.RegisterCap, "register"))
}

// writeSteps writes the resources that a block may use, for each number of resident blocks.
func (a *Answer) writeSteps(w io.Writer) {
	if len(a.Steps) == 0 {
		return
	}
	fmt.Fprintf(w, "\n  blocks  warps  occupancy  registers  shared memory\n")
	for i := range a.Steps {
		s := &a.Steps[i]
		mark := ' '
		if s.CTAs == a.CTAs {
			mark = '*'
		}
		fmt.Fprintf(w, "%c %6d  %5d  %9s  %9d  %13d\n", mark, s.CTAs, s.Warps, percent(float64(s.Warps)/float64(a.MaxWarps)), s.Registers, s.Shared)
	}
}

func percent(fraction float64) string { return strconv.FormatFloat(100*fraction, 'f', 1, 64) + " %" }

// count returns a number of things in words.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
