package chart

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/svg"
)

// memoryChart draws the path from lanes to device memory, with the traffic in both directions.
func memoryChart(l *report.Launch) Markup {
	if len(l.Time.Levels) == 0 {
		return ""
	}
	s := newChart(narrow, 376, "the way from lanes to device memory")
	l1, l2, dram := levelOfMemory(l, "l1"), levelOfMemory(l, "l2"), levelOfMemory(l, "dram")
	t := pipeTrafficOf(l)
	s.box(10, 2, 440, 48, "lanes", fmt.Sprintf("%d lane instructions", l.Counts.Lanes))
	s.heated(2, 92, narrow-4, 122, l1, "pipe of L1 and shared memory")
	s.box(10, 100, 210, 75, "L1", hits(l1), bytesText(l1.Bytes))
	bank := "no accesses"
	if t.ideal > 0 {
		bank = fmt.Sprintf("%.3g× the fewest", float64(t.wavefronts)/float64(t.ideal))
	}
	s.box(240, 100, 210, 75, "shared", fmt.Sprintf("%d wavefronts", t.wavefronts), bank)
	s.text(narrow/2, 200, "middle", "value", "L1/shared pipe: "+Percent(l1.OfPeak)+" of peak")
	s.heatedBox(10, 262, 180, 110, l2, "L2", hits(l2), bytesText(l2.Bytes), Percent(l2.OfPeak)+" of peak")
	s.heatedBox(310, 262, 140, 110, dram, "DRAM", bytesText(dram.Bytes), Percent(dram.OfPeak), "of peak")
	s.flowDown(115, 50, 100, fmt.Sprintf("%d requests", t.global))
	s.flowDown(345, 50, 100, fmt.Sprintf("%d requests", t.shared))
	s.flowDown(130, 214, 262, bytesText(levelOfMemory(l, "sm_to_l2").Bytes))
	s.flowUp(70, 214, 262, bytesText(levelOfMemory(l, "l2_to_sm").Bytes))
	s.flow(190, 310, 297, bytesText(levelOfMemory(l, "dram_write").Bytes))
	s.flowBack(190, 310, 337, bytesText(levelOfMemory(l, "dram_read").Bytes))
	return s.end()
}

// levelOfMemory returns a level by its name; it is empty if the launch has no such level.
func levelOfMemory(l *report.Launch, name string) *report.Level {
	for i := range l.Time.Levels {
		if v := &l.Time.Levels[i]; v.Name == name {
			return v
		}
	}
	return &report.Level{}
}

// pipeTraffic is the traffic through the pipe of L1 and shared memory: requests to both, the wavefronts of shared
// memory, and the fewest that would be needed.
type pipeTraffic struct{ global, shared, wavefronts, ideal uint64 }

func pipeTrafficOf(l *report.Launch) (sum pipeTraffic) {
	for i := range l.Counts.Traffic {
		t := &l.Counts.Traffic[i]
		if t.Wavefronts > 0 {
			sum.shared += t.Requests
			sum.wavefronts += t.Wavefronts
			sum.ideal += t.IdealWavefronts
		} else {
			sum.global += t.Requests
		}
	}
	return sum
}

func hits(v *report.Level) string {
	if v.HitRate == nil {
		return "no loads"
	}
	return "hit rate " + Percent(*v.HitRate)
}

// heated draws a rectangle that is darker the nearer a level is to its peak.
func (s *chart) heated(x, y, w, h float64, v *report.Level, name string) {
	s.rect(x, y, w, h, fmt.Sprintf("box heat%d", min(4, int(v.OfPeak*5))), fmt.Sprintf("%s: %s of peak", name, Percent(v.OfPeak)))
}

// heatedBox draws a heated rectangle with lines of text; box draws one for a unit without a peak.
func (s *chart) heatedBox(x, y, w, h float64, v *report.Level, name string, lines ...string) {
	s.heated(x, y, w, h, v, name)
	s.label(x+w/2, y, name, lines)
}

func (s *chart) box(x, y, w, h float64, name string, lines ...string) {
	s.rect(x, y, w, h, "box", "")
	s.label(x+w/2, y, name, lines)
}

// label writes a box's name and lines, centred at x, below its top.
func (s *chart) label(x, top float64, name string, lines []string) {
	s.text(x, top+20, "middle", "strong", name)
	for i, text := range lines {
		s.text(x, top+40+17*float64(i), "middle", "value", text)
	}
}

// flow draws an arrow from x1 to x2, flowBack one from x2 to x1.
func (s *chart) flow(x1, x2, y float64, text string) {
	s.line(x1, y, x2-6, y, "flow")
	fmt.Fprintf(s, `<path class="head" d="M%s %sl-8 -4v8z"/>`, svg.Number(x2), svg.Number(y))
	s.text((x1+x2)/2, y-6, "middle", "value", text)
}

func (s *chart) flowBack(x1, x2, y float64, text string) {
	s.line(x1+6, y, x2, y, "flow")
	fmt.Fprintf(s, `<path class="head" d="M%s %sl8 -4v8z"/>`, svg.Number(x1), svg.Number(y))
	s.text((x1+x2)/2, y+16, "middle", "value", text)
}

// flowDown draws an arrow from y1 to y2 with its text to the right, flowUp one from y2 to y1 with its text to the left.
func (s *chart) flowDown(x, y1, y2 float64, text string) {
	s.line(x, y1, x, y2-6, "flow")
	fmt.Fprintf(s, `<path class="head" d="M%s %sl-4 -8h8z"/>`, svg.Number(x), svg.Number(y2))
	s.text(x+8, y1+26, "start", "value", text)
}

func (s *chart) flowUp(x, y1, y2 float64, text string) {
	s.line(x, y1+6, x, y2, "flow")
	fmt.Fprintf(s, `<path class="head" d="M%s %sl-4 8h8z"/>`, svg.Number(x), svg.Number(y1))
	s.text(x-8, (y1+y2)/2+4, "end", "value", text)
}
