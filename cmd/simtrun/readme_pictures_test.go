package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "the `folder` in which TestReadmePicturesAreDrawn draws the PNG files of README.md")

// TestReadmePicturesAreDrawn draws the pictures of README.md, of runs: the report of matmul_tiled, and in the explorer
// if_else, whose lanes have diverged. It is skipped without -pictures; make -C web pictures runs it.
func TestReadmePicturesAreDrawn(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures names no folder")
	}
	t.Chdir("../..")
	t.Run("report", func(t *testing.T) {
		tab := newTab(t)
		_, _, path := drawn(t, "programs/matmul_tiled.s")
		setSize(t, tab, 1200, 1000)
		if err := chromedp.Do(tab, chromedp.Navigate("file://"+path)); err != nil {
			t.Fatal(err)
		}
		draw(t, tab, "report.png")
	})
	t.Run("view", func(t *testing.T) {
		w, _ := pageOf(t, "programs/if_else.s")
		setSize(t, w.tab, 1200, 700)
		const folded = `for (const v of document.querySelectorAll(".view")) v.open = v.dataset.view === "warp"`
		if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](folded)); err != nil {
			t.Fatal(err)
		}
		w.until(`Math.abs(document.querySelector(".time").getBoundingClientRect().width - document.querySelector("#timeline").clientWidth) < 1`)
		w.press("d", 12)
		w.press(".", 13)
		w.press(".", 14)
		draw(t, w.tab, "view.png")
	})
}

// TestPicturesAreOfToday: README.md says of the picture of matmul_tiled how many cycles it shows, which are those of a
// run. If a run has others, make -C web pictures draws the pictures again.
func TestPicturesAreOfToday(t *testing.T) {
	run := typed(t, "../../programs/matmul_tiled.s")
	cycles := regexp.MustCompile(`cycles \d+`).FindString(run.stdout)
	_, n, found := strings.Cut(cycles, " ")
	if want := "matmul_tiled, " + n + " cycles:"; !found || !strings.Contains(readFile(t, "../../README.md"), want) {
		t.Errorf("README.md does not say %q; after make -C web pictures, it should", want)
	}
}

// setSize sets the size of a tab, in CSS pixels.
func setSize(t *testing.T, tab context.Context, width, height int64) {
	t.Helper()
	if _, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}); err != nil {
		t.Fatal(err)
	}
}

// draw writes what a tab shows to a file of the folder of pictures.
func draw(t *testing.T, tab context.Context, name string) {
	t.Helper()
	shot, err := chromedp.Call(tab, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}
