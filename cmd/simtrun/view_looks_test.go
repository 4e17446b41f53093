package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/simtrun/simtrun/internal/short"
)

var shots = flag.String("shots", "", "the `folder` for pictures of pages that TestPagesAreReadable looks at")

var lookedAtWidths = []int64{390, 1000, 1280, 1920}

// look is a page at which the test looks.
type look struct {
	name   string
	file   string // a program
	flags  []string
	begin  func(w *watchedTab) // brings the page of simtrun view to what is looked at
	report bool                // the page of simtrun profile --html
}

// openAll opens all views of a page, and waits until they show something.
func openAll(w *watchedTab) {
	const open = `for (const v of document.querySelectorAll(".view:not([hidden]), #keys, #settings")) v.open = true`
	w.evaluate(open)
	w.until(`[...document.querySelectorAll(".view:not([hidden]) > div")].every(e => e.childElementCount > 0)`)
}

// evaluate executes a script on the page.
func (w *watchedTab) evaluate(script string) {
	w.t.Helper()
	byUser := func(p *runtime.EvaluateParams) { p.UserGesture = new(true) } // else Chromium limits downloads
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](script, byUser)); err != nil {
		w.t.Fatal(err)
	}
}

var looks = []look{
	{name: "first", file: "if_else.s", begin: func(*watchedTab) {}},
	{name: "diverged", file: "if_else.s", begin: func(w *watchedTab) { w.press("d", 12); w.press(".", 13); w.press(".", 14); openAll(w) }},
	{name: "banks", file: "bank_strides_8.s", flags: []string{"--timed"}, begin: func(w *watchedTab) {
		openAll(w)
		w.do(chromedp.KeyEvent("m"), chromedp.KeyEvent("m"))
		w.until(`document.querySelector("svg.banks")`)
	}},
	{name: "barrier", file: "barrier_pipeline.s", flags: []string{"--timed"}, begin: func(w *watchedTab) {
		w.do(chromedp.KeyEvent("b"))
		openAll(w)
	}},
	{name: "waves", file: "if_else.s", flags: []string{"--timed", "--grid=300", "--shared=100000"}, begin: openAll},
	{name: "findings", file: "warp_sum_racy.s", begin: func(w *watchedTab) { w.do(chromedp.KeyEvent("f")); openAll(w) }},
	{name: "lesson", file: "if_else.s", begin: func(w *watchedTab) {
		w.until(`document.querySelector("#lessons").options.length > 1`)
		w.choose("#lessons", "bank-conflicts")
		w.goals("bank-conflicts")
	}},
	{name: "mistake", file: "if_else.s", begin: func(w *watchedTab) {
		w.write("//sim:block 32\n.entry k() {\n    .reg .u32 %r<4>;\n    add.u33 %r1, %r2, %r3; // a mistake in a line that is longer than the editor is wide on a telephone\n    ret;\n}\n")
		w.until(`document.querySelector("#status").textContent.includes("errors")`)
	}},
	{name: "profile-tiled", file: "matmul_tiled.s", report: true},
	{name: "profile-mandelbrot", file: "mandelbrot.s", report: true},
	{name: "profile-functional", file: "histogram.s", flags: []string{"--functional"}, report: true},
	{name: "profile-racy", file: "warp_sum_racy.s", flags: []string{"--check=all"}, report: true},
}

// TestPagesAreReadable opens the explorer and the pages of profiles at the widths of a telephone, a tablet and two
// desktops, in both colour schemes, and lists what testdata/faults.js finds. -shots also takes pictures, to be looked
// at.
func TestPagesAreReadable(t *testing.T) {
	short.Skip(t)
	faults, err := os.ReadFile("testdata/faults.js")
	if err != nil {
		t.Fatal(err)
	}
	if *shots != "" {
		tabTime = 10 * time.Minute
	}
	for i := range looks {
		if *shots == "" && short.Waits(i, 4) {
			continue
		}
		one := &looks[i]
		t.Run(one.name, func(t *testing.T) {
			w := one.open(t)
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range lookedAtWidths {
					w.resize(width, 900, scheme)
					if *shots != "" {
						w.shoot(filepath.Join(*shots, fmt.Sprintf("%s-%s-%d", one.name, scheme, width)), one.report)
					}
					found := evaluate[[]string](t, w.tab, strings.TrimSpace(string(faults[strings.Index(string(faults), "(()"):]))+"()")
					if len(found) > 0 {
						t.Errorf("at %d pixels, %s:\n\t%s", width, scheme, strings.Join(found, "\n\t"))
					}
				}
			}
		})
	}
}

// open opens the page.
func (l *look) open(t *testing.T) *watchedTab {
	t.Helper()
	file := "../../programs/" + l.file
	if l.report {
		_, _, path := drawn(t, append([]string{file}, l.flags...)...)
		w := &watchedTab{t: t, tab: newTab(t)}
		w.do(chromedp.Navigate("file://" + path))
		w.evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`)
		return w
	}
	w, _ := pageOf(t, file, l.flags...)
	l.begin(w)
	return w
}

// resize makes the page as large as a screen, with a colour scheme, and waits until it is drawn.
func (w *watchedTab) resize(width, height int64, scheme string) {
	w.t.Helper()
	if _, err := chromedp.Call(w.tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := chromedp.Call(w.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		w.t.Fatal(err)
	}
	w.until(`(() => { const is = (e, width) => Math.abs(e.viewBox.baseVal.width - width) < 2, times = [...document.querySelectorAll("#timeline .time")];
		return times.every(e => is(e, e.parentElement.clientWidth)) && [...document.querySelectorAll(".view[open] .gpu")].every(e => is(e, Math.max(280, e.parentElement.clientWidth))); })()`)
}

// shoot takes pictures of the page: as on the screen, and the whole of it.
func (w *watchedTab) shoot(path string, whole bool) {
	w.t.Helper()
	take := func(path string, params cdppage.CaptureScreenshotParams) {
		shot, err := chromedp.Call(w.tab, cdppage.CaptureScreenshot, params)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	if !whole {
		take(path+".png", cdppage.CaptureScreenshotParams{})
		high := evaluate[int64](w.t, w.tab, `Math.max(document.documentElement.scrollHeight, document.querySelector("#right").scrollHeight + 60)`)
		width, scheme := evaluate[int64](w.t, w.tab, "innerWidth"), "light"
		if evaluate[bool](w.t, w.tab, `matchMedia("(prefers-color-scheme: dark)").matches`) {
			scheme = "dark"
		}
		w.resize(width, min(high, 6000), scheme)
		take(path+"-all.png", cdppage.CaptureScreenshotParams{})
		w.resize(width, 900, scheme)
		return
	}
	high := evaluate[int64](w.t, w.tab, `document.documentElement.scrollHeight`)
	width := evaluate[int64](w.t, w.tab, "innerWidth")
	take(path+".png", cdppage.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &cdppage.Viewport{Width: float64(width), Height: float64(min(high, 5000)), Scale: 1}})
}
