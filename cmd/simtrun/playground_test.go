package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
)

var hostileLinks = flag.Int("links", 200, "how many mutated links TestPlaygroundSurvivesLinks opens")

// playgroundOf serves the playground, and opens a tab. The site is in the folder that SIMTRUN_PLAYGROUND names:
// make -C web playground builds it, which takes too long for every run of the tests.
func playgroundOf(t *testing.T) (w *watchedTab, url string) {
	t.Helper()
	short.Skip(t)
	folder := os.Getenv("SIMTRUN_PLAYGROUND")
	if folder == "" {
		t.Skip("SIMTRUN_PLAYGROUND names no folder with the playground")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	w = &watchedTab{t: t, tab: newTab(t)}
	err := chromedp.Listen(w.tab, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch ev := ev.(type) {
		case *page.EventJavascriptDialogOpening:
			w.complaints = append(w.complaints, "dialog: "+ev.Message)
		case *runtime.EventExceptionThrown:
			w.complaints = append(w.complaints, fmt.Sprint(ev.ExceptionDetails))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.complaints) > 0 {
			t.Errorf("the page has complained: %q", w.complaints)
		}
	})
	return w, server.URL + "/"
}

// showsMoment is true when the page shows a moment.
const showsMoment = `document.body?.dataset.shown !== undefined`

// TestPlaygroundIsSmallAndFast checks the size of what a browser loads, and how long it takes until it paints, and
// until it shows the first moment. How long the machine takes to start depends on the host, and is only logged.
func TestPlaygroundIsSmallAndFast(t *testing.T) {
	const mostBytes, mostTime = 8_000_000, 2000 // ms
	w, url := playgroundOf(t)
	sum := int64(0)
	files, err := filepath.Glob(filepath.Join(os.Getenv("SIMTRUN_PLAYGROUND"), "*"))
	if err != nil || len(files) < 8 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	if sum > mostBytes {
		t.Errorf("the playground has %d bytes, %d are allowed", sum, mostBytes)
	}
	moment, paint := 0.0, 0.0
	for range 3 { // a busy host delays some
		w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
		w.until(showsMoment)
		moment = evaluate[float64](t, w.tab, "performance.now()")
		paint = evaluate[float64](t, w.tab, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
		if moment <= mostTime {
			break
		}
	}
	w.press(".", 1)
	t.Logf("%d bytes; first paint after %.0f ms, first moment after %.0f ms, second one after %.0f ms", sum, paint, moment, evaluate[float64](t, w.tab, "performance.now()"))
	if paint > mostTime || moment > mostTime {
		t.Errorf("the first paint is after %.0f ms, the first moment after %.0f ms; %d are allowed", paint, moment, mostTime)
	}
}

// TestPlaygroundBeginsAsNative compares the answers that are in the site with those of a native machine.
func TestPlaygroundBeginsAsNative(t *testing.T) {
	short.Skip(t)
	folder := os.Getenv("SIMTRUN_PLAYGROUND")
	if folder == "" {
		t.Skip("SIMTRUN_PLAYGROUND names no folder with the playground")
	}
	text, err := os.ReadFile(filepath.Join(folder, "first.json"))
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]view.Answer
	if err := json.Unmarshal(text, &known); err != nil || len(known) != 8 {
		t.Fatal(len(known), err)
	}
	s := view.New(view.Config{Load: load.Text, Text: load.Text})
	keys := slices.Sorted(maps.Keys(known)) // lessons, open, seek, state …
	for _, key := range append(slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !strings.HasPrefix(k, `{"open"`) }), keys...) {
		request := `{"version":1,"id":1,` + strings.Replace(key, `"columns":0`, `"columns":500`, 1)[1:]
		var native view.Answer
		if err := json.Unmarshal(s.Message(t.Context(), []byte(request)), &native); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(native, known[key]); diff != "" {
			t.Errorf("%.200s (-native +in the site):\n%s", key, diff)
		}
	}
}

// TestPlaygroundAnswersAsNative sends messages to the machine in WebAssembly and to a native one.
func TestPlaygroundAnswersAsNative(t *testing.T) {
	w, url := playgroundOf(t)
	t.Chdir("../../programs")
	w.do(chromedp.Navigate(url))
	w.until(showsMoment)
	for _, c := range []struct {
		file  string
		flags []string
	}{{"if_else.s", nil}, {"divergent_barrier.s", nil}, {"matmul_tiled.s", []string{"--timed"}}, {"if_else.s", []string{"--divergence=stack", "--block=40"}}} {
		lines := messagesOf(t, c.file, c.flags)
		own := view.New(view.Config{Load: load.Text, Text: load.Text, Steps: view.DefaultSteps})
		served, _ := viewed(t, c.file, c.flags...)
		got := sendToWorker(t, w, lines)
		for i, line := range lines {
			want := string(own.Message(t.Context(), []byte(line)))
			if got[i] != want {
				t.Errorf("%s %v: message %s\nin WebAssembly %s\nnative         %s", c.file, c.flags, line, got[i], want)
			}
			if other := string(served.Message(t.Context(), []byte(line))); other != want {
				t.Errorf("%s %v: message %s\nsimtrun view %s\nfrom text    %s", c.file, c.flags, line, other, want)
			}
		}
	}
}

// messagesOf returns messages about a program, as lines of JSON.
func messagesOf(t *testing.T, file string, flags []string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, o := viewed(t, file, flags...)
	whole := string(text)
	add := func(r view.Request) {
		r.Version, r.ID = view.Version, int64(len(lines))
		line, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	add(view.Request{Open: &view.Open{Name: file, Text: &whole, Settings: &o.Settings}})
	add(view.Request{Timeline: &view.TimelineOf{Columns: 500}})
	for _, find := range []string{"divergence", "barrier", "access", "finding", "exit"} {
		add(view.Request{Seek: &view.Seek{Find: find}})
	}
	last := o.Launches[0].Steps
	for _, step := range []int64{last / 2, 0, last, last / 3} {
		for _, name := range []string{"source", "warp", "block", "memory", "sm"} {
			add(view.Request{State: &view.StateRequest{View: name, Step: step, Warp: o.Launches[0].Warps - 1}})
		}
	}
	return lines
}

// sendToWorker sends lines to a new worker of the page, and returns its answers.
func sendToWorker(t *testing.T, w *watchedTab, lines []string) []string {
	t.Helper()
	all, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	const send = `new Promise((done, failed) => { const lines = %s, worker = new Worker("worker.js"), answers = [];
		worker.onerror = (e) => failed(new Error(e.message));
		worker.onmessage = ({data}) => { if (data.ready) return; if (data.failed) failed(new Error(data.failed)); answers.push(data.line); if (answers.length === lines.length) { worker.terminate(); done(answers); } };
		lines.forEach((line, number) => worker.postMessage({number, line})); })`
	answers, err := chromedp.Run(w.tab, chromedp.Evaluate[[]string](fmt.Sprintf(send, all), chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// hostileKernel has markup wherever the grammar has names or texts, and mistakes.
const hostileKernel = "// </script><script>window.hit=1</script>\n.entry k(.param .u64 x) { // <img src=x onerror=window.hit=1>\n .reg .u32 %r<4>;\n mov.u32 %r1, %tid.x;\n" +
	" \"<script>alert(1)</script>\"; <script>alert(1)</script>\n ret;\n}\n"

// TestPlaygroundSurvivesLinks opens links that were changed at random, and ones with markup in every text. None may
// run a script or a kernel, open a dialog, or stop the page from answering within 5 seconds.
func TestPlaygroundSurvivesLinks(t *testing.T) {
	const ofATab = 100
	r := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < *hostileLinks; from += ofATab {
		t.Run(fmt.Sprint(from), func(t *testing.T) {
			w, url := playgroundOf(t)
			w.do(chromedp.Navigate(url))
			w.until(showsMoment)
			seeds := hostileSeeds(w)
			for i := range min(ofATab, *hostileLinks-from) {
				link := seeds[i%len(seeds)]
				if from > 0 || i >= len(seeds) {
					link = mutated(r, link)
				}
				w.open(link)
			}
		})
	}
}

// packed returns a value as a link has it.
func (w *watchedTab) packed(v any) string {
	w.t.Helper()
	const pack = `(async () => { const bytes = new Uint8Array(await new Response(new Blob([%s]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
		let s = ""; for (const b of bytes) s += String.fromCharCode(b); return btoa(s).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""); })()`
	text, _ := json.Marshal(v)
	source, _ := json.Marshal(string(text))
	code, err := chromedp.Run(w.tab, chromedp.Evaluate[string](fmt.Sprintf(pack, source), chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatal(err)
	}
	return "1." + code
}

// linked is what a link holds, as JSON.
type linked map[string]any

// hostileSeeds are links with markup, too much text, values of other types, and without form.
func hostileSeeds(w *watchedTab) []string {
	const markup = `<script>window.hit=1</script><img src=x onerror=window.hit=1>`
	return []string{
		w.packed(linked{"name": "k.s", "text": hostileKernel, "settings": linked{"kernel": markup, "grid": markup, "args": []string{markup}, "gpu": markup}}),
		w.packed(linked{"name": markup + ".s", "text": hostileKernel, "settings": linked{}}),
		w.packed(linked{"name": "k.s", "text": strings.Repeat("x", 3<<20), "settings": linked{}}),
		w.packed(linked{"name": "loop.s", "text": endless, "settings": linked{"grid": "65535x65535", "timed": true}}),
		w.packed([]any{nil, 1}), w.packed(nil), w.packed(linked{"name": 1, "text": linked{}, "settings": []int{1}}), "", "2.x", "1.", strings.Repeat("1.A", 100_000),
	}
}

// mutated changes up to four characters of a link.
func mutated(r *rand.Rand, text string) string {
	const letters = "ABCxyz019-_.%&=#<>\"'+/ "
	link := []byte(text)
	for n := 1 + r.IntN(4); n > 0 && len(link) > 0; n-- {
		letter := letters[r.IntN(len(letters))]
		switch at := r.IntN(len(link)); r.IntN(3) {
		case 0:
			link[at] = letter
		case 1:
			link = slices.Delete(link, at, at+1)
		default:
			link = slices.Insert(link, at, letter)
		}
	}
	return string(link)
}

// TestPlaygroundCopiesLinks changes a program and its settings, copies the link, and opens it in an empty page: it has
// the same text, settings and moment, and executes nothing before Run.
func TestPlaygroundCopiesLinks(t *testing.T) {
	w, url := playgroundOf(t)
	w.do(chromedp.Navigate(url))
	w.until(showsMoment)
	text := kernelText(t, "playground_copies_links.s")
	const settings = `document.querySelector("#form").elements.grid.value = "3"; document.querySelector("#form").elements.divergence.value = "stack"`
	if _, err := chromedp.Run(w.tab, chromedp.Evaluate[any](settings)); err != nil {
		t.Fatal(err)
	}
	w.write(text)
	w.until(`document.querySelector("#moment").textContent.includes("linked")`)
	w.do(chromedp.KeyEvent("\x1b"), chromedp.KeyEvent("j"))
	w.until(`document.body.dataset.shown.startsWith("0.1.")`)
	w.do(chromedp.Click(chromedp.CSS("#link")))
	w.until(`document.querySelector("#status").textContent.startsWith("the link is in")`)
	link := evaluate[string](t, w.tab, "location.href")
	if !strings.HasPrefix(link, url+"#code=1.") || !strings.Contains(link, "warp=1") {
		t.Fatalf("the link is %s", link)
	}
	w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	w.until(`document.querySelector("#status")?.textContent.startsWith("from a link")`)
	if evaluate[bool](t, w.tab, showsMoment) {
		t.Error("the link was executed")
	}
	w.do(chromedp.Click(chromedp.CSS("#run")))
	w.until(showsMoment)
	got := evaluate[[]string](t, w.tab, `[[...document.querySelectorAll(".cm-line")].map(e => e.textContent).join("\n"), document.querySelector("#form").elements.grid.value,
		document.querySelector("#form").elements.divergence.value, document.body.dataset.shown.slice(0, 4)]`)
	if want := []string{text, "3", "stack", "0.1."}; !slices.Equal(got, want) {
		t.Errorf("the page has %q, want %q", got, want)
	}
}

// TestPlaygroundStopsEndlessKernels runs a kernel from a link that would take minutes. The page answers meanwhile.
func TestPlaygroundStopsEndlessKernels(t *testing.T) {
	w, url := playgroundOf(t)
	w.do(chromedp.Navigate(url))
	w.until(showsMoment)
	w.open(w.packed(linked{"name": "loop.s", "text": endless, "settings": linked{"grid": "100x100", "block": "1024", "timed": true}}))
	w.do(chromedp.Click(chromedp.CSS("#run")))
	start := time.Now()
	if evaluate[int](t, w.tab, "1"); time.Since(start) > 5*time.Second {
		t.Errorf("while an endless kernel runs, the page answers after %v", time.Since(start))
	}
	w.until(`document.querySelector("#status").textContent.startsWith("stopped after")`)
}

// endless is a kernel that changes memory for ever: nothing but a limit ends it.
const endless = ".visible .global .u32 n;\n.entry k() { .reg .u32 %r<3>; L: atom.global.add.u32 %r1, [n], 1; bra L; }\n"

// open goes to a link, and waits until the page has read it and answers.
func (w *watchedTab) open(link string) {
	w.t.Helper()
	hash, _ := json.Marshal("#code=" + link)
	// The same link again is no other address, and the page need not answer.
	const go_ = `new Promise((done) => { const status = document.querySelector("#status"), before = location.hash; status.textContent = "";
		location.hash = %s;
		if (location.hash === before) return done("the same link");
		(function look() { if (/link/.test(status.textContent)) done(status.textContent); else setTimeout(look, 5); })(); })`
	start := time.Now()
	status, err := chromedp.Run(w.tab, chromedp.Evaluate[string](fmt.Sprintf(go_, hash), chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%.200q: %v", link, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		w.t.Errorf("%.200q: the page has answered after %v", link, took)
	}
	made := evaluate[int](w.t, w.tab, `document.querySelectorAll("img, iframe, object, embed, script:not([src='playground.js'])").length + (window.hit ? 1 : 0)`)
	if made > 0 {
		w.t.Errorf("%.200q: markup of the link is in the page", link)
	}
	if strings.HasPrefix(status, "from a link") && evaluate[bool](w.t, w.tab, `document.querySelector("#moment").childElementCount > 0`) {
		w.t.Errorf("%.200q: the link was executed", link)
	}
}
