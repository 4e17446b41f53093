package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the result for --json. Times are CPU time of one thread, or wall time if there are several.
type report struct {
	Host      host          `json:"host"`
	Peer      *deviceInfo   `json:"pocl"` // null: only simtrun was measured
	Threads   int           `json:"threads"`
	Rounds    int           `json:"rounds"`
	Workloads []measurement `json:"workloads"`
	Means     []mean        `json:"geometric_means"`
}

// host describes the machine.
type host struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	Go    string `json:"go"`
}

// measurement is a workload, executed by PoCL and by simtrun.
type measurement struct {
	Set     string  `json:"set"`
	Name    string  `json:"workload"`
	PoCL    *times  `json:"pocl"`
	Simtrun []level `json:"simtrun"`
}

// times are the times of a tool's runs.
type times struct {
	Median float64   `json:"median_ms"`
	Min    float64   `json:"min_ms"`
	Runs   []float64 `json:"runs_ms"`
}

// level is simtrun with a level of compiled lanes.
type level struct {
	Lanes string `json:"lanes"` // "": simtrun's choice
	times
	RatioOfMedians float64 `json:"ratio_of_medians,omitempty"` // to PoCL; less than 1 is faster
	RatioOfMinima  float64 `json:"ratio_of_minima,omitempty"`
	WarpInstrs     uint64  `json:"warp_instructions"`
	LaneInstrs     uint64  `json:"lane_instructions"`
	// For the fastest run, in millions per second, and cycles by the estimated clock.
	WarpRate   float64 `json:"mwarp_inst_per_s"`
	LaneRate   float64 `json:"mlane_inst_per_s"`
	Cycles     float64 `json:"cycles_per_warp_inst"`
	ClockInGHz float64 `json:"clock_ghz"`
}

// mean is the geometric mean of ratios over the workloads of a set.
type mean struct {
	Set            string  `json:"set"`
	Lanes          string  `json:"lanes"`
	RatioOfMedians float64 `json:"ratio_of_medians,omitempty"`
	RatioOfMinima  float64 `json:"ratio_of_minima,omitempty"`
	WarpRate       float64 `json:"mwarp_inst_per_s"`
	Cycles         float64 `json:"cycles_per_warp_inst"`
}

// add adds the samples of a workload, by tool.
func (r *report) add(set, name string, tools []tool, samples [][]sample) {
	m := measurement{Set: set, Name: name}
	for i, t := range tools {
		which, lanes := t.name()
		ts := r.times(samples[i])
		if which == "PoCL" {
			m.PoCL = &ts
			continue
		}
		m.Simtrun = append(m.Simtrun, newLevel(lanes, ts, samples[i], m.PoCL))
	}
	r.Workloads = append(r.Workloads, m)
	r.Means = means(r.Workloads)
}

func newLevel(lanes string, ts times, samples []sample, peer *times) level {
	l := level{Lanes: lanes, times: ts, WarpInstrs: samples[0].WarpInstrs, LaneInstrs: samples[0].LaneInstrs}
	fastest := samples[slices.Index(ts.Runs, ts.Min)]
	l.ClockInGHz = fastest.GHz
	l.WarpRate = float64(l.WarpInstrs) / ts.Min / 1e3
	l.LaneRate = float64(l.LaneInstrs) / ts.Min / 1e3
	l.Cycles = float64(fastest.CPU.Nanoseconds()) * fastest.GHz / float64(l.WarpInstrs)
	if peer != nil {
		l.RatioOfMedians, l.RatioOfMinima = ts.Median/peer.Median, ts.Min/peer.Min
	}
	return l
}

// times returns CPU times for one thread, and wall times for several, which are used to finish sooner.
func (r *report) times(samples []sample) times {
	var t times
	for _, s := range samples {
		d := s.CPU
		if r.Threads > 1 {
			d = s.Wall
		}
		t.Runs = append(t.Runs, float64(d)/float64(time.Millisecond))
	}
	sorted := slices.Sorted(slices.Values(t.Runs))
	n := len(sorted)
	t.Median, t.Min = (sorted[n/2]+sorted[(n-1)/2])/2, sorted[0]
	return t
}

// means returns the means of each set and level, in the order of their first occurrence.
func means(all []measurement) []mean {
	var ms []mean
	counts := make(map[[2]string]float64)
	for _, w := range all {
		for _, l := range w.Simtrun {
			at := slices.IndexFunc(ms, func(m mean) bool { return m.Set == w.Set && m.Lanes == l.Lanes })
			if at < 0 {
				at = len(ms)
				ms = append(ms, mean{Set: w.Set, Lanes: l.Lanes})
			}
			m := &ms[at]
			counts[[2]string{w.Set, l.Lanes}]++
			m.RatioOfMedians += math.Log(l.RatioOfMedians)
			m.RatioOfMinima += math.Log(l.RatioOfMinima)
			m.WarpRate += math.Log(l.WarpRate)
			m.Cycles += math.Log(l.Cycles)
		}
	}
	for i := range ms {
		m := &ms[i]
		n := counts[[2]string{m.Set, m.Lanes}]
		for _, sum := range []*float64{&m.RatioOfMedians, &m.RatioOfMinima, &m.WarpRate, &m.Cycles} {
			*sum = math.Exp(*sum / n)
		}
	}
	return ms
}

// write prints the table in Markdown.
func (r *report) write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s. ", r.Host.CPU, r.Host.Cores, r.Host.Go)
	if r.Peer != nil {
		fmt.Fprintf(&b, "%s on %s. ", r.Peer.Version, r.Peer.Device)
	}
	what := "CPU time of one thread"
	if r.Threads > 1 {
		what = fmt.Sprintf("Wall time of %d threads", r.Threads)
	}
	fmt.Fprintf(&b, "%s in ms, %d rounds. Ratios are simtrun to PoCL: less than 1 is faster.\n\n", what, r.Rounds)
	writeTable(&b, r.rows())
	_, err := io.WriteString(out, b.String())
	return err
}

func (r *report) rows() [][]string {
	rows := [][]string{{"Workload", "Lanes", "PoCL median", "Min", "simtrun median", "Min", "Ratio of medians", "Of minima", "Warp-inst", "Mwarp-inst/s", "Mlane-inst/s", "Cycles/warp-inst"}}
	for i, w := range r.Workloads {
		for _, l := range w.Simtrun {
			row := []string{w.Name, lanesName(l.Lanes), "", "", digits(l.Median), digits(l.Min), ratio(l.RatioOfMedians), ratio(l.RatioOfMinima),
				fmt.Sprint(l.WarpInstrs), digits(l.WarpRate), digits(l.LaneRate), digits(l.Cycles)}
			if w.PoCL != nil {
				row[2], row[3] = digits(w.PoCL.Median), digits(w.PoCL.Min)
			}
			rows = append(rows, row)
		}
		if i+1 < len(r.Workloads) && r.Workloads[i+1].Set == w.Set {
			continue
		}
		for _, m := range r.Means {
			if m.Set == w.Set {
				rows = append(rows, []string{"geometric mean of " + m.Set, lanesName(m.Lanes), "", "", "", "", ratio(m.RatioOfMedians), ratio(m.RatioOfMinima), "", digits(m.WarpRate), "", digits(m.Cycles)})
			}
		}
	}
	return rows
}

func lanesName(level string) string {
	if level == "" {
		return "default"
	}
	return level
}

// digits prints three significant digits, or more before the point.
func digits(v float64) string {
	places := max(0, 2-int(math.Floor(math.Log10(v*1.0005)))) // 99.96 becomes 100
	return fmt.Sprintf("%.*f", places, v)
}

// ratio is empty without a value to compare with.
func ratio(v float64) string {
	if v == 0 {
		return ""
	}
	return digits(v)
}

// writeTable aligns the columns: the first two have text.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			if i < 2 {
				fmt.Fprintf(b, "| %-*s ", widths[i], cell)
			} else {
				fmt.Fprintf(b, "| %*s ", widths[i], cell)
			}
		}
		b.WriteString("|\n")
		if n > 0 {
			continue
		}
		for i, width := range widths {
			if i < 2 {
				fmt.Fprintf(b, "|%s", strings.Repeat("-", width+2))
			} else {
				fmt.Fprintf(b, "|%s:", strings.Repeat("-", width+1))
			}
		}
		b.WriteString("|\n")
	}
}

func thisHost() host {
	h := host{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems do not have it
	if name := cpuField(text, "model name"); name != "" {
		h.CPU = fmt.Sprintf("%s (family %s, model %s)", name, cpuField(text, "cpu family"), cpuField(text, "model"))
	}
	return h
}

// cpuField returns a field of the first processor of /proc/cpuinfo.
func cpuField(text []byte, name string) string {
	m := regexp.MustCompile(`(?m)^` + name + `\s*:\s*(.*)$`).FindSubmatch(text)
	if m == nil {
		return ""
	}
	return string(m[1])
}
