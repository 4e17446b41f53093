package main

import (
	"flag"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var picture = flag.String("picture", "", "the PNG `file` that TestViewPicture makes of the explorer")

// TestViewPicture makes the picture of the explorer for pages: a run of if_else, whose lanes have diverged. It is
// skipped without -picture; make -C web picture runs it.
func TestViewPicture(t *testing.T) {
	if *picture == "" {
		t.Skip("-picture names no file")
	}
	w, _ := pageOf(t, "../../programs/if_else.s")
	if _, err := chromedp.Call(w.tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 700, DeviceScaleFactor: 1}); err != nil {
		t.Fatal(err)
	}
	const folded = `for (const v of document.querySelectorAll(".view")) v.open = v.dataset.view === "warp"`
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](folded)); err != nil {
		t.Fatal(err)
	}
	w.until(`Math.abs(document.querySelector(".time").getBoundingClientRect().width - document.querySelector("#timeline").clientWidth) < 1`)
	w.press("d", 12)
	w.press(".", 13)
	w.press(".", 14)
	shot, err := chromedp.Call(w.tab, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*picture, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}
