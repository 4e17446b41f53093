package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/view/lesson"
)

// write replaces the text of the editor, and runs it.
func (w *watchedTab) write(text string) {
	w.t.Helper()
	w.do(chromedp.Focus(chromedp.CSS(".cm-content")), chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if _, err := chromedp.Call(w.tab, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		w.t.Fatal(err)
	}
	w.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
}

// goals returns the goals that the page shows, each with ✓ or ○, when they have been checked with a lesson open.
func (w *watchedTab) goals(name string) []string {
	w.t.Helper()
	w.until(fmt.Sprintf(`document.querySelector("#lesson").dataset.lesson === %q && document.body.dataset.shown !== undefined &&
		[...document.querySelectorAll("#goals li")].every(e => e.textContent.includes(" – "))`, name))
	return evaluate[[]string](w.t, w.tab, `[...document.querySelectorAll("#goals li")].map(e => e.textContent)`)
}

// learn solves lessons that the page has open one after the other, by typing the solution.
func (w *watchedTab) learn(all []lesson.Lesson) {
	w.t.Helper()
	for i, l := range all {
		if i > 0 {
			w.do(chromedp.Click(chromedp.CSS("#lesson-next")))
		}
		begun := w.goals(l.Name)
		if !slices.ContainsFunc(begun, func(g string) bool { return strings.HasPrefix(g, "○") }) {
			w.t.Errorf("%s is solved before anything was changed: %q", l.Name, begun)
		}
		for _, name := range l.Views {
			w.until(fmt.Sprintf(`document.querySelector(".view[open][data-view=%s] > :last-child")?.childElementCount > 0`, name))
		}
		w.write(l.Solved)
		w.until(`document.querySelector("#lesson").dataset.solved === "true"`)
		if solved := w.goals(l.Name); len(solved) != len(l.Goals)+2 || !strings.HasPrefix(solved[len(solved)-1], "✓ "+l.Goals[len(l.Goals)-1].String()) {
			w.t.Errorf("%s: %q", l.Name, solved)
		}
	}
}

// TestPlaygroundLessonsCanBeSolved solves all lessons in the playground, one after the other, and goes back to the
// programs.
func TestPlaygroundLessonsCanBeSolved(t *testing.T) {
	w, url := playgroundOf(t)
	w.do(chromedp.Navigate(url + "#lesson=" + lesson.All()[0].Name))
	w.until(showsMoment)
	w.learn(lesson.All())
	if !evaluate[bool](t, w.tab, `document.querySelector("#lesson-next").disabled && location.hash.startsWith("#lesson=async-copies")`) {
		t.Error("something follows the last lesson, or the address does not name it")
	}
	w.choose("#programs", "if_else.s")
	w.until(`document.querySelector("#lesson").hidden && document.querySelector("#what").textContent.startsWith("if_else.s")`)
}

// choose chooses from a menu.
func (w *watchedTab) choose(menu, value string) {
	w.t.Helper()
	const script = `{ const menu = document.querySelector(%q); menu.value = %q; menu.dispatchEvent(new Event("change")); }`
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](fmt.Sprintf(script, menu, value))); err != nil {
		w.t.Fatal(err)
	}
}

// TestLessonIsSolvedInChromium solves a lesson with a clock on the page of simtrun view, moves a slider, and goes back
// to the file.
func TestLessonIsSolvedInChromium(t *testing.T) {
	short.Skip(t)
	w, _ := pageOf(t, "../../programs/if_else.s")
	w.until(`document.querySelector("#lessons").options.length > 1`)
	one := *lesson.Find("occupancy")
	w.choose("#lessons", one.Name)
	w.learn([]lesson.Lesson{one})
	const said = `document.querySelector("#occupied").textContent`
	w.until(said + `.startsWith("100 %")`)
	w.slide("shared", 49152)
	w.until(said + `.startsWith("25 %")`)
	if limiter := evaluate[string](t, w.tab, `document.querySelector("#limits .running").textContent`); !strings.HasPrefix(limiter, "shared") {
		t.Errorf("with 48 KB of shared memory the limiter is %q", limiter)
	}
	w.do(chromedp.Click(chromedp.CSS("#own")))
	w.until(said + `.startsWith("100 %")`)
	for _, name := range []string{"gpu", "schedulers", "sm", "figures"} {
		const open = `{ const v = document.querySelector("[data-view=%s]"); v.open = true; }`
		if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](fmt.Sprintf(open, name))); err != nil {
			t.Fatal(err)
		}
		w.until(fmt.Sprintf(`document.querySelector("[data-view=%s] > div").childElementCount > 0`, name))
	}
	if cells := evaluate[int](t, w.tab, `document.querySelectorAll(".sched rect:not(.now)").length`); cells < 10 {
		t.Errorf("the strip of the schedulers has %d cells", cells)
	}
	if blocks := evaluate[int](t, w.tab, `document.querySelectorAll(".gpu .stay").length`); blocks != 1 {
		t.Errorf("the GPU has %d blocks, want 1", blocks)
	}
	if shapes := evaluate[[]int](t, w.tab, `[...document.querySelectorAll(".figures .chart")].map(e => e.querySelectorAll("rect").length * e.querySelectorAll("text").length)`); len(shapes) < 4 || slices.Contains(shapes, 0) {
		t.Errorf("charts have %d shapes and texts", shapes)
	}
	const cursor = `document.querySelector(".gpu .now").getAttribute("x1")`
	before := evaluate[string](t, w.tab, cursor)
	w.do(chromedp.KeyEvent("\x1b"), chromedp.KeyEvent(kb.End))
	w.until(fmt.Sprintf("%s !== %q", cursor, before))
	fits(t, w)
	w.choose("#lessons", "")
	w.until(`document.querySelector("#lesson").hidden && document.querySelector("#what").textContent.startsWith("if_else.s")`)
}

// slide moves a slider of the view of occupancy.
func (w *watchedTab) slide(name string, to int) {
	w.t.Helper()
	const script = `{ const slider = document.querySelector("#slide-%s"); slider.value = %d; slider.dispatchEvent(new Event("input")); }`
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](fmt.Sprintf(script, name, to))); err != nil {
		w.t.Fatal(err)
	}
}
