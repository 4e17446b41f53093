package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/simtrun/simtrun/internal/short"
)

// savesTo makes the browser save files in a folder, without a question.
func (w *watchedTab) savesTo(folder string) {
	w.t.Helper()
	if _, err := chromedp.Call(w.tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: folder}); err != nil {
		w.t.Fatal(err)
	}
}

// saved has the page save a file, waits for it, returns its text, and removes it. It asks again every 4 seconds, since
// headless Chromium sometimes drops a download when it has had several in a short time.
func (w *watchedTab) saved(path string, save func()) string {
	w.t.Helper()
	asked := time.Time{}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if time.Since(asked) > 4*time.Second {
			save()
			asked = time.Now()
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(string(text), "</svg>\n") {
			os.Remove(path)
			return string(text)
		}
		if time.Now().After(end) {
			there, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
			w.t.Fatalf("no picture: %v; there are %q; the page says %q", err, there, evaluate[string](w.t, w.tab, `document.querySelector("#status").textContent`))
		}
	}
}

// shapesOf reads an SVG file, and counts its elements. It may have shapes and texts alone, and no reference to
// anything but its own patterns.
func shapesOf(t *testing.T, name, text string) (counts map[string]int, words string) {
	t.Helper()
	counts = make(map[string]int)
	plain := regexp.MustCompile(`^(svg|g|title|rect|text|line|path|circle|defs|pattern)$`)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts, words
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch token := token.(type) {
		case xml.CharData:
			words += string(token) + " "
		case xml.StartElement:
			if !plain.MatchString(token.Name.Local) {
				t.Errorf("%s has <%s>", name, token.Name.Local)
			}
			counts[token.Name.Local]++
			for _, a := range token.Attr {
				if bad := regexp.MustCompile(`^(on.*|href|class|style)$`).MatchString(a.Name.Local) || strings.Contains(a.Value, "var("); bad || regexp.MustCompile(`url\([^#]`).MatchString(a.Value) {
					t.Errorf("%s: <%s %s=%q>", name, token.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestViewSavesPictures saves the drawings of each view, on a narrow page and on a wide one: they are the same, have
// the shapes of the page, and need nothing else. The keyboard saves those of the view that has the focus.
func TestViewSavesPictures(t *testing.T) {
	short.Skip(t)
	folder := t.TempDir()
	w, _ := pageOf(t, "../../programs/bank_strides_8.s", "--timed")
	w.savesTo(folder)
	openAll(w)
	w.do(chromedp.KeyEvent("m"), chromedp.KeyEvent("m"))
	w.until(`document.querySelector("svg.banks")`)
	widths := []int64{390, 1280}
	pictures := make(map[string][]string)
	for _, width := range widths {
		w.resize(width, 900, "light")
		w.evaluate(`document.activeElement.blur()`)
		byKey := func() { w.do(chromedp.KeyEvent("s")) }
		pictures["time"] = append(pictures["time"], w.saved(filepath.Join(folder, "bank_strides_8-time.svg"), byKey))
		for _, view := range evaluate[[]string](t, w.tab, `[...document.querySelectorAll(".view:not([hidden]):has(.save)")].map(v => v.dataset.view)`) {
			byButton := func() { w.evaluate(fmt.Sprintf(`document.querySelector("[data-view=%s] .save").click()`, view)) }
			pictures[view] = append(pictures[view], w.saved(filepath.Join(folder, "bank_strides_8-"+view+".svg"), byButton))
		}
	}
	for view, want := range map[string]struct {
		shapes, least int
		words         string
	}{
		"time":       {0, 100, "short_scoreboard"},
		"warp":       {0, 64, "active"},
		"memory":     {evaluate[int](t, w.tab, `document.querySelectorAll(".banks rect").length`) + 1, 64, "wavefront"},
		"schedulers": {0, 60, "branch_resolving"},
		"gpu":        {evaluate[int](t, w.tab, `document.querySelectorAll(".gpu rect, #states .key").length`) + 1, 2, "What the resident warps do"},
		"occupancy":  {1, 1, "threads of a block: 32"},
		"figures":    {evaluate[int](t, w.tab, `document.querySelectorAll(".figures rect").length`) + 1, 20, "Warp states"},
	} {
		both := pictures[view]
		if len(both) != len(widths) || both[0] != both[1] {
			t.Errorf("%s: %d pictures, of %d and %d bytes, are not the same", view, len(both), len(both[0]), len(both[len(both)-1]))
			continue
		}
		counts, words := shapesOf(t, view, both[0])
		if n := counts["rect"]; n < want.least || want.shapes > 0 && n != want.shapes || !strings.Contains(words, want.words) || !strings.Contains(words, "bank_strides_8.s") {
			t.Errorf("%s has %d rectangles, want %d; words %q, want %q", view, n, want.shapes, words, want.words)
		}
		if *shots != "" {
			if err := os.WriteFile(filepath.Join(*shots, "saved-"+view+".svg"), []byte(both[0]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(pictures) != 7 {
		t.Errorf("%d views have pictures", len(pictures))
	}
	w.do(chromedp.Focus(chromedp.CSS("[data-view=gpu] summary")))
	byKey := func() { w.do(chromedp.KeyEvent("s")) }
	if text := w.saved(filepath.Join(folder, "bank_strides_8-gpu.svg"), byKey); text != pictures["gpu"][0] {
		t.Error("the keyboard saves another picture of the GPU")
	}
}
