package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simtrun/simtrun/internal/loopback"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/page"
)

// watchedTab is a tab that notes what goes wrong in it, and what it requests.
type watchedTab struct {
	t          *testing.T
	tab        context.Context
	mu         sync.Mutex
	complaints []string
	requests   []string
}

// pageOf serves the explorer's page of a file, and opens it in a tab.
func pageOf(t *testing.T, file string, flags ...string) (*watchedTab, *view.Session) {
	t.Helper()
	w := &watchedTab{t: t, tab: newTab(t)}
	session, _ := viewed(t, file, flags...)
	server, err := loopback.Listen(loopback.Config{Files: page.Files(), Policy: page.Policy, Message: session.Message})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	err = chromedp.Listen(w.tab, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			w.complaints = append(w.complaints, fmt.Sprint(ev.Type))
		case *runtime.EventExceptionThrown:
			w.complaints = append(w.complaints, ev.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			w.complaints = append(w.complaints, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			w.requests = append(w.requests, ev.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(w.tab, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(w.tab, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	w.do(chromedp.Navigate(server.URL()))
	w.until(`document.body.dataset.shown !== undefined || document.querySelector("#status").textContent.includes("errors")`)
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.complaints) > 0 {
			t.Errorf("console: %q", w.complaints)
		}
		for _, url := range w.requests {
			if !strings.HasPrefix(url, server.URL()) && url != "data:," {
				t.Errorf("the page has requested %s", url)
			}
		}
	})
	return w, session
}

func (w *watchedTab) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.tab, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until an expression is true.
func (w *watchedTab) until(expression string) {
	w.t.Helper()
	const wait = `new Promise((done, failed) => { const end = Date.now() + 30000;
		(function look() { if (%s) done(true); else if (Date.now() > end) failed(new Error(document.body.innerText.slice(0, 500))); else setTimeout(look, 10); })(); })`
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[bool](fmt.Sprintf(wait, expression), chromedp.EvalAwaitPromise)); err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
}

// press types keys, and waits until the page shows an instruction of warp 0.
func (w *watchedTab) press(keys string, index int) {
	w.t.Helper()
	w.do(chromedp.KeyEvent(keys))
	w.until(fmt.Sprintf(`document.body.dataset.shown === "0.0.%d"`, index))
}

// TestViewAgreesWithMachineInChromium goes to the divergent branch of if_else with the keyboard, and compares what the
// page shows with the states of the machine. It is skipped if Chromium is not installed.
func TestViewAgreesWithMachineInChromium(t *testing.T) {
	short.Skip(t)
	w, s := pageOf(t, "../../programs/if_else.s")
	for _, at := range []struct {
		key   string
		index int
	}{{"d", 12}, {".", 13}, {".", 14}, {"r", 15}, {".", 16}, {",", 15}, {"D", 12}, {".", 13}} {
		w.press(at.key, at.index)
		m := asked(t, s, view.Request{Seek: &view.Seek{Index: &at.index}}).Moment
		state := stateOf(t, s, "warp", 0, 0, m.Step).Warp
		if got, want := evaluate[string](t, w.tab, `document.querySelector("#active code").textContent`), fmt.Sprintf("%08x", state.Active); got != want {
			t.Errorf("instruction %d: the page has mask %s, want %s", at.index, got, want)
		}
		letters := evaluate[string](t, w.tab, `[...document.querySelectorAll(".lanes b")].map(b => b.textContent).join("")`)
		for lane := range 32 {
			if letters[lane] == 'A' != (state.Guarded>>lane&1 != 0) || strings.Contains("AG", letters[lane:lane+1]) != (state.Active>>lane&1 != 0) {
				t.Errorf("instruction %d: lane %d of %s is wrong", at.index, lane, letters)
			}
		}
		meetings := evaluate[[]string](t, w.tab, `[...document.querySelectorAll("#meetings li")].map(e => e.textContent)`)
		if len(meetings) != len(state.Meetings) {
			t.Errorf("instruction %d: %d meetings, want %d", at.index, len(meetings), len(state.Meetings))
		}
		for i, m := range state.Meetings {
			if !strings.Contains(meetings[i], fmt.Sprintf("L%d", m.At.Line)) || !strings.Contains(meetings[i], "all 32 lanes") {
				t.Errorf("instruction %d: %q, want %+v", at.index, meetings[i], m)
			}
		}
		rows := evaluate[[]string](t, w.tab, `[...document.querySelectorAll("#splits tbody tr")].map(e => e.textContent)`)
		for i, split := range state.Splits {
			if !strings.Contains(rows[i], fmt.Sprintf("%08x", split.Mask)) || split.Side != nil && !strings.Contains(rows[i], "at L52") {
				t.Errorf("instruction %d: row %q, want %+v", at.index, rows[i], split)
			}
		}
		if next := evaluate[string](t, w.tab, `document.querySelector(".line-next").textContent`); !strings.HasPrefix(strings.TrimSpace(next), strings.Fields(state.Next.Text)[0]) {
			t.Errorf("instruction %d: the line in the editor is %q, want %q", at.index, next, state.Next.Text)
		}
	}
	w.do(chromedp.Focus(chromedp.CSS(".time")), chromedp.KeyEvent(kb.ArrowRight))
	w.until(`document.body.dataset.shown === "0.0.14"`)
	fits(t, w)
}

// fits checks that nothing is wider than the page, at several widths.
func fits(t *testing.T, w *watchedTab) {
	t.Helper()
	for _, width := range []int64{1920, 1280, 1000, 390} {
		if _, err := chromedp.Call(w.tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1}); err != nil {
			t.Fatal(err)
		}
		w.until(`document.querySelector(".time").getBoundingClientRect().width <= document.querySelector("#timeline").clientWidth`)
		const wider = `[...document.querySelectorAll("header, .bar, #editor, .scroll, .lanes, .time, p")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className || e.id || e.tagName)`
		if over := evaluate[[]string](t, w.tab, wider); len(over) > 0 || evaluate[int64](t, w.tab, `document.documentElement.scrollWidth`) > width {
			t.Errorf("%q are wider than a page of %d pixels", over, width)
		}
	}
}

// TestViewShowsMarkupAsText opens a kernel with markup in its file's name, its text, its output and its mistakes, and
// checks that none of it has become an element of the page.
func TestViewShowsMarkupAsText(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 2)
	const markup = `<script>window.hit=1</script><img src=x onerror="window.hit=1">`
	for name, body := range map[string]string{
		"output": "mov.u64 %rd1, text;\n cvta.global.u64 %rd1, %rd1;\n { .param .b64 p; .param .b64 q; .param .b32 r;\n st.param.b64 [p], %rd1;\n st.param.b64 [q], 0;\n call.uni (r), vprintf, (p, q); }",
		"error":  `frob "` + strings.ReplaceAll(markup, `"`, "") + `";`,
		"fault":  "mov.u64 %rd1, 64;\n st.global.u32 [%rd1], %r1;",
	} {
		var bytes []string
		for _, b := range []byte(markup + "\n\x00") {
			bytes = append(bytes, fmt.Sprint(b))
		}
		text := "// " + markup + "\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n" +
			fmt.Sprintf(".global .align 1 .b8 text[%d] = {%s};\n", len(bytes), strings.Join(bytes, ", ")) +
			".entry k() { // " + markup + "\n .reg .u64 %rd<4>; .reg .u32 %r<4>;\n " + body + "\n ret;\n}\n"
		file := filepath.Join(t.TempDir(), `<img src=x onerror="window.hit=1">.s`)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, _ := pageOf(t, file)
		if name != "error" {
			openAll(w)
			w.until(`document.querySelector("table.source")`)
		}
		made := evaluate[[]string](t, w.tab, `[...document.querySelectorAll("img, iframe, object, embed, script:not([src='explorer.js'])")].map(e => e.outerHTML)`)
		if len(made) > 0 || evaluate[bool](t, w.tab, `window.hit !== undefined`) {
			t.Errorf("%s: the page has %q", name, made)
		}
		shown := evaluate[string](t, w.tab, `document.body.textContent`)
		if n := strings.Count(shown, "onerror="); n < 3 {
			t.Errorf("%s: the markup is shown %d times", name, n)
		}
	}
}
