package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

// drawn runs a command line, and reads the report and the page that it writes.
func drawn(t *testing.T, args ...string) (*report.Document, string, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	d, _ := saved(t, append([]string{"--html", path}, args...)...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return d, string(text), path
}

// TestPagesOfRunsAreSelfContained checks that pages of all kinds of runs are small, load nothing from elsewhere, and
// have the figures of the report.
func TestPagesOfRunsAreSelfContained(t *testing.T) {
	row := regexp.MustCompile(`<td class="num" data-v="(\d+)" title="\d+ cycles of warps">`)
	for name, args := range reportedRuns {
		if name == "no kernel" {
			continue
		}
		d, text, _ := drawn(t, args...)
		if len(text) > 2e6 {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		if m := regexp.MustCompile(`(src|href)="[^#d][^"]*"|url\(|@import|ZgotmplZ`).FindString(text); m != "" {
			t.Errorf("%s: %s", name, m)
		}
		cycles, want := uint64(0), uint64(0)
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.ParseUint(m[1], 10, 64)
			cycles += n
		}
		for i := range d.Launches {
			l := &d.Launches[i]
			for _, line := range d.Lines(l) {
				if l.Time != nil && line.Counts.Time != nil {
					want += line.Counts.Time.States.Total()
				}
			}
			if l.Time != nil && !strings.Contains(text, fmt.Sprintf("%d cycles at %g MHz", l.Time.Cycles, l.Time.ClockMHz)) {
				t.Errorf("%s: launch %d does not say its %d cycles", name, i, l.Time.Cycles)
			}
		}
		if cycles != want {
			t.Errorf("%s: lines have %d cycles, want %d", name, cycles, want)
		}
		if timed := d.GPU != "none" && d.Summary.Exit == 0; timed != strings.Contains(text, "Over time") {
			t.Errorf("%s: a part over time is there or not: %v", name, !timed)
		}
	}
}

// TestHistoryAddsUp checks that the page's history sums, SM by SM, to the counters of the launches.
func TestHistoryAddsUp(t *testing.T) {
	d, _, _ := drawn(t, "../../programs/scan.s")
	for id := range d.History.Warps {
		warps, issued := int64(0), uint64(0)
		for i := range d.Launches {
			m := &d.Launches[i].Time.SMs[id]
			warps, issued = warps+m.WarpCycles, issued+m.Issued
		}
		for _, n := range d.History.Warps[id] {
			warps -= int64(n)
		}
		for _, n := range d.History.Issued[id] {
			issued -= n
		}
		if warps != 0 || issued != 0 {
			t.Errorf("SM %d: %d cycles of warps and %d instructions are missing", id, warps, issued)
		}
	}
}

// TestMemoryChartShowsPipeOnce checks that L1 and shared memory, which share a pipe, have its utilisation once, and
// lanes have none.
func TestMemoryChartShowsPipeOnce(t *testing.T) {
	short.Alternates(t, 1, 3)
	d, text, _ := drawn(t, "../../docs/profile/conflicts.s")
	pipe := d.Launches[0].Time.Levels[0]
	share := fmt.Sprintf("%.1f %%", 100*pipe.OfPeak)
	_, chart, _ := strings.Cut(text, `aria-label="the way from lanes to device memory"`)
	chart, _, _ = strings.Cut(chart, "</svg>")
	if pipe.OfPeak < 0.1 || strings.Count(chart, ">L1/shared pipe: "+share+" of peak<") != 1 || strings.Count(chart, "<title>pipe of L1 and shared memory: "+share+" of peak</title>") != 1 ||
		strings.Contains(chart, "lanes:") || strings.Count(chart, "<title>") != 3 {
		t.Errorf("%s of the pipe: %s", share, chart)
	}
}

// TestPageSaysThatNothingRan checks that the page of an empty kernel says that it did nothing.
func TestPageSaysThatNothingRan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(file, []byte(".entry k() { ret; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, text, _ := drawn(t, file)
	for _, want := range []string{"The launch has no operations or traffic with a peak.", ">233 cycles at 1980 MHz<", ">1 block, 4224 a wave<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageEscapesSourceText checks that text of the source is escaped.
func TestPageEscapesSourceText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.s")
	source := ".entry k()\n{\n\tmov.u32 %r1, 1; // <script>alert(1)</script> & \"\n\tret;\n}\n"
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	_, text, _ := drawn(t, file)
	if strings.Contains(text, "<script>alert") || !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt; &amp;") {
		t.Error("the source is not escaped")
	}
}

// tabTime is how long a tab may be used.
var tabTime = 90 * time.Second

// newTab opens a tab of Chromium, and skips the test if Chromium is not installed.
func newTab(t *testing.T) context.Context {
	t.Helper()
	browser := needs.Tool(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1300, 900))
	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	tab, cancel = context.WithTimeout(tab, tabTime)
	t.Cleanup(cancel)
	return tab
}

// TestPageFitsItsWindow opens pages at the widths of a desktop, a tablet and telephones. No element is wider than the
// page, no chart except those over time is cut, the source table shows all its columns on a desktop and a tablet and
// has rows of equal height, and no row of tiles has a gap.
func TestPageFitsItsWindow(t *testing.T) {
	short.Skip(t)
	tab := newTab(t)
	for _, program := range []string{"matmul_tiled", "mandelbrot"} {
		_, _, path := drawn(t, "../../programs/"+program+".s")
		if err := chromedp.Do(tab, chromedp.Navigate("file://"+path)); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{1280, 1000, 500, 390} {
			if _, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1}); err != nil {
				t.Fatal(err)
			}
			const wider = `[...document.querySelectorAll("header, .cards, table.advice, .frame, figure, pre")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.className || e.tagName)`
			if over := evaluate[[]string](t, tab, wider); len(over) > 0 || evaluate[int64](t, tab, `document.documentElement.scrollWidth`) > width {
				t.Errorf("%s: %q are wider than a page of %d pixels", program, over, width)
			}
			if cut := evaluate[[]string](t, tab, `[...document.querySelectorAll("figure:not(.across)")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent.slice(0, 20))`); len(cut) > 0 {
				t.Errorf("%s: at %d pixels the figures %q are cut", program, width, cut)
			}
			if heights := evaluate[[]float64](t, tab, `[...new Set([...document.querySelectorAll("table.source tbody tr")].map(r => Math.round(r.getBoundingClientRect().height)))]`); len(heights) != 1 {
				t.Errorf("%s: at %d pixels rows are %v pixels high", program, width, heights)
			}
			if cut := evaluate[int64](t, tab, `(e => e.scrollWidth - e.clientWidth)(document.querySelector("table.source").parentElement)`); cut > 0 && width >= 1000 {
				t.Errorf("%s: at %d pixels the source table is cut by %d", program, width, cut)
			}
			if gap := evaluate[float64](t, tab, `(e => e.getBoundingClientRect().right - e.lastElementChild.getBoundingClientRect().right)(document.querySelector(".cards"))`); gap > 1 {
				t.Errorf("%s: at %d pixels the last row of tiles ends %g pixels early", program, width, gap)
			}
		}
	}
}

// TestPageFollowsClicksInChromium clicks and types on a page, and checks its contents. It is skipped if Chromium is not
// installed.
func TestPageFollowsClicksInChromium(t *testing.T) {
	short.Alternates(t, 0, 3)
	tab := newTab(t)
	d, _, path := drawn(t, "../../programs/matmul_tiled.s")
	var mu sync.Mutex
	var complaints, requests []string
	err := chromedp.Listen(tab, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, fmt.Sprint(ev.Type))
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, ev.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			complaints = append(complaints, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			requests = append(requests, ev.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(tab, steps...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(tab, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	do(chromedp.Navigate("file://" + path))
	title := evaluate[string](t, tab, `document.title`)
	const firstLine = `document.querySelector("table.source tbody tr td").textContent`
	do(chromedp.Click(chromedp.CSS(`table.source th:nth-child(3) button`)))
	sorted := evaluate[[]int64](t, tab, `[...document.querySelectorAll("table.source tbody tr")].map(r => Number(r.cells[2].dataset.v))`)
	firstByClick := evaluate[string](t, tab, firstLine)
	do(chromedp.Focus(chromedp.CSS(`table.source th:first-child button`)), chromedp.KeyEvent(kb.Enter))
	firstByKey := evaluate[string](t, tab, firstLine)
	lastSort := evaluate[string](t, tab, `document.querySelector("table.source th").getAttribute("aria-sort")`)
	do(chromedp.Click(chromedp.CSS(`table.advice a`)))
	target := evaluate[string](t, tab, `document.querySelector("tr:target").cells[0].textContent`)
	visible := evaluate[bool](t, tab, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector("tr:target").getBoundingClientRect())`)
	do(chromedp.Click(chromedp.CSS(`details:has([aria-label^=metrics]) summary`)))
	metrics := evaluate[string](t, tab, `document.querySelector("details[open] [aria-label^=metrics] tbody td").textContent`)
	outside := evaluate[[]string](t, tab, `[...document.querySelectorAll("svg.chart")].filter(s => { const b = s.getBBox(), v = s.viewBox.baseVal;
		return !(b.width > 0 && b.x >= -1 && b.y >= -3 && b.x + b.width <= v.width + 1 && b.y + b.height <= v.height + 3) }).map(s => s.getAttribute("aria-label"))`)
	background := func(scheme string) string {
		t.Helper()
		if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
			t.Fatal(err)
		}
		return evaluate[string](t, tab, `getComputedStyle(document.body).backgroundColor`)
	}
	light, dark := background("light"), background("dark")
	l := &d.Launches[0]
	hottest, most := report.Line{}, uint64(0)
	var first int32
	for i, line := range d.Lines(l) {
		if i == 0 {
			first = line.Line
		}
		if states := line.Counts.Time; states != nil && states.States.Total() > most {
			hottest, most = line, states.States.Total()
		}
	}
	if !slices.IsSortedFunc(sorted, func(a, b int64) int { return int(b - a) }) || len(sorted) != len(d.Lines(l)) || firstByClick != fmt.Sprint(hottest.Line) || sorted[0] != int64(most) {
		t.Errorf("sorted by cycles, the first line is %s with %v, want %d with %d", firstByClick, sorted, hottest.Line, most)
	}
	if firstByKey != fmt.Sprint(first) || lastSort != "ascending" {
		t.Errorf("sorted by the keyboard, %s, the first line is %s, want %d", lastSort, firstByKey, first)
	}
	advice := slices.IndexFunc(l.Advice, func(a report.Advice) bool { return a.File != "" })
	if target != fmt.Sprint(l.Advice[advice].Line) || !visible {
		t.Errorf("the first advice leads to line %s, in sight: %v, want %d", target, visible, l.Advice[advice].Line)
	}
	if title != "matmul_tiled on h100 – simtrun" || metrics != l.Metrics[0].Name || len(outside) > 0 {
		t.Errorf("title %q, first metric %q, pictures beyond their frames: %v", title, metrics, outside)
	}
	if light != "rgb(255, 255, 255)" || dark != "rgb(20, 23, 27)" {
		t.Errorf("backgrounds %s and %s", light, dark)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(complaints) > 0 || len(requests) != 1 && !slices.Equal(requests[1:], []string{"data:,"}) {
		t.Errorf("console: %q, requests: %q", complaints, requests)
	}
}

// evaluate returns the value of an expression on the page.
func evaluate[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(tab, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// TestPicturesEqualThoseDrawnAlone checks that one run can draw all pictures, and that each is the same as when drawn
// alone.
func TestPicturesEqualThoseDrawnAlone(t *testing.T) {
	dir := t.TempDir()
	pictures := map[string]string{"--timeline": "t.json", "--pprof": "p.pb.gz", "--html": "h.html", "--trace": "issues"}
	draw := func(folder string, flags ...string) {
		t.Helper()
		args := []string{"run", "../../programs/matmul_tiled.s", "-q"}
		for _, flag := range flags {
			path := filepath.Join(folder, pictures[flag])
			if flag == "--trace" {
				path = "issue:" + path
			}
			args = append(args, flag, path)
		}
		if got := typed(t, args...); got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	all, alone := filepath.Join(dir, "all"), filepath.Join(dir, "alone")
	for _, folder := range []string{all, alone} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	draw(all, slices.Sorted(maps.Keys(pictures))...)
	for flag, name := range pictures {
		draw(alone, flag)
		want, err := os.ReadFile(filepath.Join(alone, name))
		if err != nil || len(want) == 0 {
			t.Fatal(err, len(want))
		}
		if got, err := os.ReadFile(filepath.Join(all, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, %d bytes, by itself %d", flag, err, len(got), len(want))
		}
	}
}

// TestSavedRunHasSameHTML checks that the page of a saved run is the same as that of the run.
func TestSavedRunHasSameHTML(t *testing.T) {
	dir := t.TempDir()
	run, first, second := filepath.Join(dir, "run"), filepath.Join(dir, "1.html"), filepath.Join(dir, "2.html")
	if got := typed(t, "run", "../../programs/matmul_tiled.s", "-o", run, "--html", first, "-q"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, "report", run, "--html", second); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	want, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(second); err != nil || string(got) != string(want) || !strings.Contains(string(got), sm.LongScoreboard.String()) {
		t.Errorf("%v: another page, of %d bytes, not %d", err, len(got), len(want))
	}
}
