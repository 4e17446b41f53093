package html_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/html"
	"github.com/simtrun/simtrun/internal/sm"
)

// written returns the page of a report.
func written(t *testing.T, d *report.Document) string {
	t.Helper()
	var page bytes.Buffer
	if err := html.Write(&page, d); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// instruction returns an executed instruction at a line of k.s.
func instruction(line int, text string) report.Instruction {
	return report.Instruction{Name: report.Name{Function: "k"}, Place: report.Place{File: "k.s", Line: int32(line)}, Text: text, Counts: profile.Counts{Runs: 1, Lanes: 32}}
}

func timed(instructions ...report.Instruction) *report.Document {
	l := report.Launch{Kernel: "k", File: "k.s", Instructions: instructions, Time: &report.Time{Cycles: 9, WarpCycles: 9, SMs: []report.SM{{Blocks: 1}}}}
	return &report.Document{GPU: "h100", Launches: []report.Launch{l}}
}

var (
	tableOfSource = regexp.MustCompile(`(?s)<table class="source sortable">.*?</table>`)
	headings      = regexp.MustCompile(`<th [^>]*><button>([^<]*)</button>`)
	tableRow      = regexp.MustCompile(`(?s)<tr id=.*?</tr>`)
)

// headingsOf returns the columns of the table of source lines, and checks that each row has as many cells.
func headingsOf(t *testing.T, page string) (names []string) {
	t.Helper()
	table := tableOfSource.FindString(page)
	for _, m := range headings.FindAllStringSubmatch(table, -1) {
		names = append(names, m[1])
	}
	rows := tableRow.FindAllString(table, -1)
	for _, row := range rows {
		if n := strings.Count(row, "<td"); n != len(names) {
			t.Errorf("%d cells under %q: %s", n, names, row)
		}
	}
	if len(rows) == 0 {
		t.Error("the table has no row")
	}
	return names
}

// TestColumnsThatNoRowFillsAreLeftOut adds one figure at a time to a line: only the columns of that figure
// appear.
func TestColumnsThatNoRowFillsAreLeftOut(t *testing.T) {
	always := []string{"line", "source", "cycles", "runs", "lanes"}
	for _, c := range []struct {
		add  func(in *report.Instruction)
		want []string
	}{
		{func(*report.Instruction) {}, nil},
		{func(in *report.Instruction) { in.Live = 3 }, []string{"live"}},
		{func(in *report.Instruction) { in.Counts.Lanes, in.Counts.LostDiverged = 20, 12 }, []string{"lost"}},
		{func(in *report.Instruction) { in.From = []report.Frame{{Place: report.Place{File: "k.cu", Line: 7}}} }, []string{"from"}},
		{func(in *report.Instruction) {
			in.Counts.Time = &profile.Time{States: sm.States{sm.Wait: 4}}
		}, []string{"mostly"}},
		{func(in *report.Instruction) {
			in.Counts.Traffic = []profile.Traffic{{Requests: 2, Sectors: 8, L1Wavefronts: 4}}
		}, []string{"sectors", "wavefronts"}},
		{func(in *report.Instruction) {
			in.Counts.Traffic = []profile.Traffic{{Requests: 2, Wavefronts: 8, IdealWavefronts: 2}}
		}, []string{"conflict", "wavefronts"}},
	} {
		plain, full := instruction(1, "ret"), instruction(2, "ret")
		c.add(&full)
		got := headingsOf(t, written(t, timed(plain, full)))
		want := append(slices.Clone(always), c.want...)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("columns %q, want %q", got, want)
		}
	}
}

// TestCommentsAreMarked checks that the comment of a line is grey, and code and text in quotes are not.
func TestCommentsAreMarked(t *testing.T) {
	for source, comment := range map[string]string{
		"ret; // the end":                  "// the end",
		"add.u32 %r1, %r2, 1; /* x */":     "/* x */",
		"// alone":                         "// alone",
		"add.u32 %r1, %r2, 3;":             "",
		`p = "http://x";`:                  "",
		`p = "a\"//b"; // and "c"`:         `// and &#34;c&#34;`,
		"div.full.f32 %f1, %f2, %f3; ret;": "",
	} {
		d := timed(instruction(1, "ret"))
		d.Sources = []report.SourceFile{{Name: "k.s", Lines: []string{source}}}
		page := written(t, d)
		_, code, _ := strings.Cut(page, "<code>")
		code, _, _ = strings.Cut(code, "</code>")
		_, got, _ := strings.Cut(code, "<span>")
		if got = strings.TrimSuffix(got, "</span>"); got != comment {
			t.Errorf("%s: comment %q, want %q", source, got, comment)
		}
	}
}

// TestInlinedCodeIsAtItsCall checks that lines of a kernel's main file are shown by number alone, and inlined code at
// the position of the call.
func TestInlinedCodeIsAtItsCall(t *testing.T) {
	lines := []report.Instruction{instruction(1, "ret"), instruction(2, "ret"), instruction(3, "ret")}
	lines[0].From = []report.Frame{{Place: report.Place{File: "/a/k.cu", Line: 7}}}
	lines[1].From = []report.Frame{{Place: report.Place{File: "/b/vec.h", Line: 70}}, {Place: report.Place{File: "/a/k.cu", Line: 8}}}
	lines[2].From = []report.Frame{{Place: report.Place{File: "/b/vec.h", Line: 71}}}
	var got []string
	for _, m := range regexp.MustCompile(`<td class="from" title="([^"]*)">([^<]*)`).FindAllStringSubmatch(written(t, timed(lines...)), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	if want := []string{"/a/k.cu 7", "/a/k.cu 8", "/b/vec.h vec.h:71"}; !slices.Equal(got, want) {
		t.Errorf("places %q, want %q", got, want)
	}
}

// TestNamesOfKernelsAreThoseOfTheSource checks that the page shows the C++ name of a kernel, and the title of its
// heading the mangled one.
func TestNamesOfKernelsAreThoseOfTheSource(t *testing.T) {
	d := timed(instruction(1, "ret"))
	d.Launches[0].Kernel, d.Launches[0].Mangled = "lib::scale<float>", "_ZN3lib5scaleIfEEvPT_i"
	page := written(t, d)
	for _, want := range []string{"<title>lib::scale&lt;float&gt; on h100", "<h1>lib::scale&lt;float&gt; on h100</h1>", `<h2 title="_ZN3lib5scaleIfEEvPT_i">lib::scale&lt;float&gt; <small>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestRooflineIsNamedOnlyWhereThereIsOne checks that a launch without floating-point operations has Peaks instead of
// a Roofline.
func TestRooflineIsNamedOnlyWhereThereIsOne(t *testing.T) {
	for _, c := range []struct {
		roofs []report.Roof
		want  string
	}{
		{nil, "Peaks"},
		{[]report.Roof{{Name: "l2", Achieved: 4, Peak: 8, Unit: "GB/s", OfPeak: 0.5}}, "Peaks"},
		{[]report.Roof{{Name: "fp32", Achieved: 4, Peak: 8, Unit: "GFLOPS", OfPeak: 0.5}, {Name: "l2", Achieved: 4, Peak: 8, Unit: "GB/s", OfPeak: 0.5}}, "Roofline"},
	} {
		d := timed(instruction(1, "ret"))
		d.Launches[0].Time.Roofline = c.roofs
		page := written(t, d)
		for _, name := range []string{"Peaks", "Roofline"} {
			if got := strings.Contains(page, "<h3>"+name+"</h3>"); got != (name == c.want) {
				t.Errorf("%d roofs: a heading %s is there: %v", len(c.roofs), name, got)
			}
		}
		if chart := strings.Contains(page, `aria-label="roofline"`); chart != (c.want == "Roofline") {
			t.Errorf("%d roofs: a chart is there: %v", len(c.roofs), chart)
		}
	}
}

// TestStatesAreExplained checks that the page defines each state that it shows.
func TestStatesAreExplained(t *testing.T) {
	d := timed(instruction(1, "ret"))
	for state := range sm.NumStates {
		d.Launches[0].Time.Stalls[state] = uint64(state) + 1
	}
	page := written(t, d)
	for state := range sm.NumStates {
		if want := fmt.Sprintf("<title>%s: %d cycles of warps. %s</title>", state, state+1, strings.ReplaceAll(state.Doc(), "'", "&#39;")); !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestTilesFillTheirRows checks that the tiles fill rows of four, and rows of two on a narrow screen.
func TestTilesFillTheirRows(t *testing.T) {
	d := timed(instruction(1, "ret"))
	if n := strings.Count(written(t, d), "<dt>"); n%4 != 0 {
		t.Errorf("%d tiles with a clock", n)
	}
	d.Launches[0].Time, d.GPU = nil, "none"
	if n := strings.Count(written(t, d), "<dt>"); n%2 != 0 {
		t.Errorf("%d tiles without a clock", n)
	}
}

// TestArraysAndBuffersHaveTables: the page has bank conflicts by array and sectors by buffer; of many buffers it has
// those with most sectors above their ideal.
func TestArraysAndBuffersHaveTables(t *testing.T) {
	d := timed(instruction(1, "ret"))
	l := &d.Launches[0]
	l.Arrays = []report.Array{{Name: "tile", Requests: 3, Wavefronts: 40, IdealWavefronts: 10, WorstConflict: 8}}
	for i := range 60 {
		l.Buffers = append(l.Buffers, report.Buffer{Name: fmt.Sprintf("b%d", i), Requests: 2, Sectors: 9, IdealSectors: 9})
	}
	l.Buffers[59].Sectors = 30
	page := written(t, d)
	for _, want := range []string{
		`<summary>Shared arrays: bank conflicts of each</summary>`, `<td>tile</td><td class="num">3</td><td class="num">40</td><td class="num">10</td><td class="num">8</td>`,
		`<summary>Buffers: sectors of 32 bytes of each; 10 more are left out</summary>`,
		`<tbody><tr><td>b59</td><td class="num">2</td><td class="num">30</td><td class="num">9</td><td class="num">15.0</td></tr><tr><td>b0</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<td>b49</td>") || !strings.Contains(page, "<td>b48</td>") {
		t.Error("not the first 50")
	}
}
