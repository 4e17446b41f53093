package occupancy

import (
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/plot"
)

// curve is the occupancy as a function of one quantity, with the rest as in the question.
type curve struct {
	name  string
	x     string // name of the quantity
	first int64  // smallest value
	most  int64
	step  int64
	unit  float64 // of the picture's axis
	ticks []float64
	at    int64 // value in the question
	set   func(u *gpu.Usage, x int64)
}

func (a *Answer) curves() []curve {
	r := &a.GPU.Residency
	return []curve{
		{"registers", "registers of a thread", 1, int64(r.RegistersPerThread), 1, 1, []float64{0, 32, 64, 96, 128, 160, 192, 224, 255},
			int64(a.Usage.Registers), func(u *gpu.Usage, x int64) { u.Registers = int(x) }},
		{"threads", "threads of a block", 32, a.GPU.Limits.BlockThreads, 32, 1, []float64{0, 128, 256, 384, 512, 640, 768, 896, 1024},
			int64(a.Usage.Threads), func(u *gpu.Usage, x int64) { u.Threads = int(x) }},
		{"shared", "shared memory of a block, KiB", 0, r.SharedOptIn, 256, 1 << 10, []float64{0, 32, 64, 96, 128, 160, 192, 224},
			a.shared(), func(u *gpu.Usage, x int64) { u.Static, u.Dynamic = 0, x }},
	}
}

// Curve is the number of resident warps of an SM as a function of registers, threads or shared (bytes), with the rest
// as in the question: at First, First + Step and so on. At is the value in the question.
type Curve struct {
	Name            string
	First, Step, At int64
	Warps           []int
}

// Curves yields the curves.
func (a *Answer) Curves() iter.Seq[Curve] {
	return func(yield func(Curve) bool) {
		for _, c := range a.curves() {
			out := Curve{Name: c.name, First: c.first, Step: c.step, At: c.at}
			a.points(&c, func(_ int64, _ *gpu.Usage, o *gpu.Occupancy) { out.Warps = append(out.Warps, o.Warps) })
			if !yield(out) {
				return
			}
		}
	}
}

// points visits the occupancies along a curve.
func (a *Answer) points(c *curve, visit func(x int64, u *gpu.Usage, o *gpu.Occupancy)) {
	for x := c.first; x <= c.most; x += c.step {
		u := a.Usage
		c.set(&u, x)
		o := a.GPU.Occupancy(u)
		visit(x, &u, &o)
	}
}

// WriteCSV writes occupancies and their curves: a line for each point, with everything that it depends on.
func WriteCSV(w io.Writer, answers []*Answer) error {
	out := csv.NewWriter(w)
	// out keeps errors
	out.Write([]string{"curve", "gpu", "kernel", "threads", "registers", "shared", "blocks_per_sm", "active_warps", "occupancy", "limiters"})
	for _, a := range answers {
		out.Write(a.row("", &a.Usage, &a.Occupancy))
		for _, c := range a.curves() {
			a.points(&c, func(_ int64, u *gpu.Usage, o *gpu.Occupancy) { out.Write(a.row(c.name, u, o)) })
		}
	}
	out.Flush()
	return out.Error()
}

func (a *Answer) row(curve string, u *gpu.Usage, o *gpu.Occupancy) []string {
	return []string{curve, a.GPU.Name, a.Kernel, strconv.Itoa(u.Threads), strconv.Itoa(u.Registers), strconv.FormatInt(u.Static+u.Dynamic, 10),
		strconv.Itoa(o.CTAs), strconv.Itoa(o.Warps), strconv.FormatFloat(o.Fraction(), 'g', -1, 64), strings.Join(names(o.Limiters()), " ")}
}

// Figure returns a picture of the curves, with the question marked on each of them.
func (a *Answer) Figure() *plot.Figure {
	f := &plot.Figure{Title: a.title(), Subtitle: strings.Join(a.usage(), ", ")}
	for _, c := range a.curves() {
		p := plot.Panel{X: c.x, Y: "occupancy, %", Ticks: c.ticks, MaxX: float64(c.most) / c.unit, MaxY: 100}
		a.points(&c, func(x int64, _ *gpu.Usage, o *gpu.Occupancy) {
			if len(p.Steps) == 0 { // smaller values round up to the first
				p.Steps = append(p.Steps, plot.Point{X: float64(max(0, x-c.step)) / c.unit, Y: 100 * o.Fraction()})
			}
			p.Steps = append(p.Steps, plot.Point{X: float64(x) / c.unit, Y: 100 * o.Fraction()})
		})
		if c.at >= c.first {
			p.Mark = &plot.Point{X: float64(c.at) / c.unit, Y: 100 * a.Fraction()}
			p.MarkLabel = percent(a.Fraction())
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

func (a *Answer) title() string {
	if a.Kernel == "" {
		return a.GPU.Title
	}
	return cxx.Short(a.Kernel) + " on " + a.GPU.Title
}
