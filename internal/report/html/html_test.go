package html_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/html"
)

// large makes a report of launches with many lines, SMs and changes over time.
func large(launches, lines, sms, bins int) *report.Document {
	d := &report.Document{GPU: "h100", History: &report.History{BinCycles: 64}}
	for id := range sms {
		var warps, issued []uint64
		for i := range bins {
			warps, issued = append(warps, uint64((id+i)%8*500)), append(issued, uint64(i))
		}
		d.History.Warps, d.History.Issued = append(d.History.Warps, warps), append(d.History.Issued, issued)
	}
	for n := range launches {
		l := report.Launch{Kernel: fmt.Sprintf("kernel%d", n), File: "k.s", Functions: []string{"kernel"}, Time: &report.Time{Cycles: 1 << 20, WarpCycles: 1 << 40}}
		for id := range sms {
			l.Time.SMs = append(l.Time.SMs, report.SM{Blocks: 1000, FirstCycle: int64(1000 * id), LastCycle: int64(1<<20 - 7*id), ActiveCycles: 1 << 19})
		}
		for i := range lines {
			in := report.Instruction{Name: report.Name{Function: "kernel"}, PC: i, Place: report.Place{File: "k.s", Line: int32(i + 1)}, Text: strings.Repeat("x", 400), Counts: profile.Counts{Runs: uint64(i) << 20, Lanes: uint64(i) << 24}}
			in.Stalls[1+i%10] = uint64(i%(lines*3/4)) << 20
			time := &profile.Time{}
			time.States[1+i%10] = in.Stalls[1+i%10]
			in.Counts.Time = time
			l.Instructions = append(l.Instructions, in)
		}
		d.Launches = append(d.Launches, l)
	}
	return d
}

// TestPageStaysBelowTwoMegabytes checks that a page is below 2 MB however large the report is, and says what it omits.
func TestPageStaysBelowTwoMegabytes(t *testing.T) {
	for _, c := range []struct {
		launches, lines int
		want            []string
	}{
		{1, 500, nil},
		{1, 20000, []string{"19000 lines with least are left out"}},
		{40, 3000, []string{"The last 24 launches are left out here", "2938 lines with least are left out"}},
	} {
		var page bytes.Buffer
		if err := html.Write(&page, large(c.launches, c.lines, 160, 512)); err != nil {
			t.Fatal(err)
		}
		text := page.String()
		if len(text) > 2e6 {
			t.Errorf("%d launches with %d lines: %d bytes", c.launches, c.lines, len(text))
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%d launches with %d lines: the page does not say that %s", c.launches, c.lines, want)
			}
		}
		rows := strings.Count(text, `<tr id="l`)
		if want := min(c.lines, 1000/min(c.launches, 16)) * min(c.launches, 16); rows != want || c.want == nil && strings.Contains(text, "left out") {
			t.Errorf("%d launches with %d lines: %d rows, want %d", c.launches, c.lines, rows, want)
		}
	}
}
