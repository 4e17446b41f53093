package timeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/internal/trace"
)

// Sizes in bytes of JSON: the minimum for an issue, and the maximum for a block and for a value of a counter.
const (
	leastIssueBytes  = 180
	mostCTABytes     = 200
	mostCounterBytes = 90
)

// detailBytes is the share of the file for warps, divided equally among the SMs that have any. Blocks and counters
// (writeCounters) share the rest.
func (r *Recorder) detailBytes() int64 { return r.options.Bytes / 10 * 8 }
func (r *Recorder) ctaBytes() int64    { return r.options.Bytes / 10 }

// Tracks of an SM. Those of a scheduler are adjacent: first its issues, then its slots.
const (
	blockTracks     = 1
	schedulerTracks = 100 // per scheduler
)

// Written is a timeline.
type Written struct {
	JSON    []byte
	LeftOut []string // omissions, one sentence each
}

// Write returns the timeline of the recorded launches, which must have ended.
func (r *Recorder) Write() *Written {
	w := &writer{Recorder: r, lostFrom: unknown}
	failed := r.failed()
	if failed {
		r.void()
	}
	w.writeSMs()
	if failed {
		w.leaveOut("the counters, of a run that did not come to its end")
	} else {
		w.writeCounters()
	}
	w.writeGPU()
	var b []byte
	b = append(b, `{"displayTimeUnit":"ns","otherData":`...)
	b = append(b, w.otherData()...)
	b = append(b, ",\"traceEvents\":[\n"...)
	b = append(b, strings.TrimSuffix(string(w.out), ",\n")...)
	b = append(b, "\n]}\n"...)
	return &Written{b, w.leftOut}
}

// writer writes the events of a timeline.
type writer struct {
	*Recorder
	out     []byte
	leftOut []string
	texts   map[site][2]string

	lost     int   // blocks that did not fit
	lostFrom int64 // first start of such a block
}

// site is an instruction.
type site struct {
	fn *isa.Func
	pc int
}

func (w *writer) leaveOut(format string, args ...any) {
	w.leftOut = append(w.leftOut, fmt.Sprintf(format, args...))
}

// otherData returns the metadata of the file.
func (w *writer) otherData() []byte {
	return encoded(struct {
		Unit    string   `json:"unit"`
		GPU     string   `json:"gpu"`
		MHz     float64  `json:"clock_mhz"`
		LeftOut []string `json:"left_out"`
	}{"a microsecond is a cycle", w.gpu.Name, w.gpu.ClockMHz, append([]string{}, w.leftOut...)})
}

// pid returns the process of an SM, gpuProcess is that of the GPU.
func pid(id int) int { return id + 1 }

func (r *Recorder) gpuProcess() int { return len(r.sms) + 1 }

// writeSMs writes blocks and warps. An SM may use the space that earlier SMs have left.
func (w *writer) writeSMs() {
	w.leaveOutSMs()
	ctaBytes, detailBytes := w.ctaBytes(), w.detailBytes()
	used, showing := int64(0), int64(0)
	for id := range w.sms {
		used += int64(boolean(len(w.sms[id].ctas) > 0))
		showing += int64(boolean(w.sms[id].shows < w.passed))
	}
	for id := range w.sms {
		s := &w.sms[id]
		if len(s.ctas) == 0 {
			continue
		}
		w.name("process_name", pid(id), 0, fmt.Sprintf("SM %d", id))
		w.sortIndex(pid(id), id+1)
		before := len(w.out)
		w.writeCTAs(s, ctaBytes/used)
		ctaBytes -= int64(len(w.out) - before)
		used--
		if s.shows < w.passed {
			before = len(w.out)
			w.writeWarps(s, detailBytes/showing)
			detailBytes -= int64(len(w.out) - before)
			showing--
		}
	}
	if w.lost > 0 {
		w.leaveOut("%d blocks, of those that start from cycle %d on; --timeline-size is how large the file may be", w.lost, w.lostFrom)
	}
}

// leaveOutSMs reports the SMs whose warps are not shown, and what filters omit.
func (w *writer) leaveOutSMs() {
	var without []int
	for id := range w.sms {
		if s := &w.sms[id]; !s.detail && len(s.ctas) > 0 {
			without = append(without, id)
		}
	}
	if len(without) > 0 {
		w.leaveOut("the warps of %s; --sm-filter chooses SMs", numbers("SM", without))
	}
	o := &w.options
	if len(o.Blocks) > 0 || len(o.Warps) > 0 {
		w.leaveOut("warps that --block-filter and --warp-filter leave out")
	}
	if len(o.Cycles) > 0 {
		w.leaveOut("blocks and states outside of --cycle-filter")
	}
}

// numbers returns text such as "SM 3" or "133 SMs from 4 to 131".
func numbers(what string, all []int) string {
	if len(all) == 1 {
		return fmt.Sprintf("%s %d", what, all[0])
	}
	return fmt.Sprintf("%d %ss from %d to %d", len(all), what, all[0], all[len(all)-1])
}

// writeCTAs writes the blocks of an SM, on as few tracks as possible, in at most most bytes.
func (w *writer) writeCTAs(s *recorded, most int64) {
	var free []int64 // by track: when it becomes free
	begin := len(w.out)
	ctas := slices.DeleteFunc(slices.Clone(s.ctas), func(c stay) bool { return !w.options.Cycles.HasAny(c.start, c.end-1) })
	sorted.Stable(ctas, func(a, b stay) int { return cmp.Compare(a.start, b.start) })
	for n, c := range ctas {
		if int64(len(w.out)-begin)+mostCTABytes > most {
			w.lost += len(ctas) - n
			w.lostFrom = min(w.lostFrom, c.start)
			break
		}
		track := slices.IndexFunc(free, func(from int64) bool { return from <= c.start })
		if track < 0 {
			track = len(free)
			free = append(free, 0)
			w.name("thread_name", pid(s.id), blockTracks+track, fmt.Sprintf("blocks %d", track))
		}
		free[track] = c.end
		w.slice(pid(s.id), blockTracks+track, c.start, c.end-c.start, "block", w.block(c.launch, c.cta))
		w.out = append(w.out, `,"args":{"warps":`...)
		w.out = strconv.AppendInt(w.out, int64(c.warps), 10)
		w.end("}")
	}
}

// block returns the name of a CTA.
func (w *writer) block(launch int, cta int64) string {
	if len(w.launches) > 1 {
		return fmt.Sprintf("%s block %d", w.launches[launch].kernel, cta)
	}
	return fmt.Sprintf("block %d", cta)
}

// writeWarps writes the activity of an SM's warps in at most most bytes.
func (w *writer) writeWarps(s *recorded, most int64) {
	begin, last := len(w.out), s.overflow
	begun := make([]bool, len(s.warps))
	named := make(map[int]bool) // tracks with a name
	for n := range s.issues {
		i := &s.issues[n]
		was := len(w.out)
		x := &s.warps[i.warp]
		w.nameTracks(s.id, x, named)
		if !begun[i.warp] {
			begun[i.warp] = true
			w.slice(pid(s.id), x.track(), x.start, x.end-x.start, "warp", fmt.Sprintf("%s warp %d", w.block(x.launch, x.cta), x.id))
			w.end("")
		}
		w.writeIssue(s.id, x, i)
		if int64(len(w.out)-begin) > most {
			w.out = w.out[:was]
			last = i.cycle
			break
		}
	}
	if last != unknown {
		w.leaveOut("what warps of SM %d do from cycle %d on; --timeline-size is how large the file may be", s.id, last)
	}
}

// track returns the track of the slot, issueTrack that of the scheduler.
func (s slot) track() int      { return s.issueTrack() + 1 + s.slot }
func (s slot) issueTrack() int { return schedulerTracks * (s.scheduler + 1) }

func (w *writer) nameTracks(id int, x *warp, named map[int]bool) {
	if !named[x.issueTrack()] {
		named[x.issueTrack()] = true
		w.name("thread_name", pid(id), x.issueTrack(), fmt.Sprintf("scheduler %d", x.scheduler))
	}
	if !named[x.track()] {
		named[x.track()] = true
		w.name("thread_name", pid(id), x.track(), fmt.Sprintf("scheduler %d slot %d", x.scheduler, x.slot.slot))
	}
}

// writeIssue writes the states of a warp until it issues, and the issue.
func (w *writer) writeIssue(id int, x *warp, i *issue) {
	at := i.first
	for _, s := range [...]struct {
		state  sm.State
		cycles int64
	}{{sm.AtBarrier, i.held}, {i.state, i.waited}, {i.throttle, i.throttled}, {sm.NotSelected, i.notSelected}} {
		if s.cycles > 0 {
			w.slice(pid(id), x.track(), at, s.cycles, "state", s.state.String())
			w.endAt(i)
			at += s.cycles
		}
	}
	if i.ends {
		return
	}
	line, text := w.text(i)
	if !i.paired {
		w.slice(pid(id), x.track(), i.cycle, 1, "selected", text)
		w.endAt(i)
	}
	if i.barrier {
		w.instant(pid(id), x.track(), i.cycle, "arrives at barrier")
	}
	if i.paired { // in the same cycle as the previous one, which has the slices
		w.instant(pid(id), x.track(), i.cycle, "paired: "+text)
		return
	}
	w.slice(pid(id), x.issueTrack(), i.cycle, 1, "issue", fmt.Sprintf("b%d.w%d %s", x.cta, x.id, line))
	w.end("")
}

// text returns the line of an instruction, and its text, shortened if it is long.
func (w *writer) text(i *issue) (line, text string) {
	const longest = 64
	at := site{i.fn, i.pc}
	if both, ok := w.texts[at]; ok {
		return both[0], both[1]
	}
	line = trace.PlaceText(source.At(i.fn, i.pc).Pos(), w.file)
	text = source.Text(i.fn, i.pc)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	if w.texts == nil {
		w.texts = make(map[site][2]string)
	}
	w.texts[at] = [2]string{line, text}
	return line, text
}

// endAt ends an event with the position of the instruction.
func (w *writer) endAt(i *issue) {
	pos := source.At(i.fn, i.pc).Pos()
	w.out = append(w.out, `,"args":{"line":`...)
	w.out = strconv.AppendInt(w.out, int64(pos.Line), 10)
	if pos.File != w.file {
		w.out = append(w.out, `,"file":`...)
		w.out = append(w.out, encoded(pos.File)...)
	}
	w.out = append(w.out, `,"pc":`...)
	w.out = strconv.AppendInt(w.out, int64(i.pc), 10)
	w.end("}")
}

// slice begins a slice of a number of cycles.
func (w *writer) slice(pid, tid int, start, cycles int64, category, name string) {
	w.out = append(w.out, `{"ph":"X"`...)
	w.place(pid, tid, start)
	w.out = append(w.out, `,"dur":`...)
	w.out = strconv.AppendInt(w.out, cycles, 10)
	w.out = append(w.out, `,"cat":"`...)
	w.out = append(w.out, category...)
	w.out = append(w.out, `","name":`...)
	w.out = append(w.out, encoded(name)...)
}

func (w *writer) instant(pid, tid int, at int64, name string) {
	w.out = append(w.out, `{"ph":"i","s":"t"`...)
	w.place(pid, tid, at)
	w.out = append(w.out, `,"name":`...)
	w.out = append(w.out, encoded(name)...)
	w.end("")
}

func (w *writer) place(pid, tid int, at int64) {
	w.out = append(w.out, `,"pid":`...)
	w.out = strconv.AppendInt(w.out, int64(pid), 10)
	w.out = append(w.out, `,"tid":`...)
	w.out = strconv.AppendInt(w.out, int64(tid), 10)
	w.out = append(w.out, `,"ts":`...)
	w.out = strconv.AppendInt(w.out, at, 10)
}

// end ends an event.
func (w *writer) end(with string) {
	w.out = append(w.out, with...)
	w.out = append(w.out, "},\n"...)
}

// name names a process or a track, and sorts it by its number.
func (w *writer) name(what string, pid, tid int, name string) {
	w.out = fmt.Appendf(w.out, `{"ph":"M","pid":%d,"tid":%d,"name":%q,"args":{"name":%s}},`+"\n", pid, tid, what, encoded(name))
	if what == "thread_name" {
		w.out = fmt.Appendf(w.out, `{"ph":"M","pid":%d,"tid":%d,"name":"thread_sort_index","args":{"sort_index":%d}},`+"\n", pid, tid, tid)
	}
}

func (w *writer) sortIndex(pid, index int) {
	w.out = fmt.Appendf(w.out, `{"ph":"M","pid":%d,"tid":0,"name":"process_sort_index","args":{"sort_index":%d}},`+"\n", pid, index)
}

// writeGPU writes the launches, with one track per stream.
func (w *writer) writeGPU() {
	gpu := w.gpuProcess()
	w.name("process_name", gpu, 0, fmt.Sprintf("%s, %d SMs, 1 us = 1 cycle", w.gpu.Name, len(w.sms)))
	w.sortIndex(gpu, 0)
	var streams []string
	for n := range w.launches {
		l := &w.launches[n]
		track := slices.Index(streams, l.stream)
		if track < 0 {
			track = len(streams)
			streams = append(streams, l.stream)
			w.name("thread_name", gpu, track+1, strings.TrimSpace("launches "+l.stream))
		}
		if first, end := w.span(n); first < end {
			w.slice(gpu, track+1, first, end-first, "launch", l.kernel)
			w.out = append(w.out, `,"args":`...)
			w.out = append(w.out, encoded(map[string]string{"grid": l.grid.String(), "block": l.block.String()})...)
			w.end("")
		}
	}
}

// span returns when CTAs of a launch ran.
func (w *writer) span(launch int) (first, end int64) {
	first = math.MaxInt64
	for id := range w.sms {
		for _, c := range w.sms[id].ctas {
			if c.launch == launch {
				first, end = min(first, c.start), max(end, c.end)
			}
		}
	}
	return first, end
}

// writeCounters writes counters of the GPU and of the SMs with shown warps.
func (w *writer) writeCounters() {
	detailed := 0
	for id := range w.sms {
		detailed += boolean(w.sms[id].detail && len(w.sms[id].ctas) > 0)
	}
	most := max(1, w.options.Bytes/10/mostCounterBytes/int64(2*(detailed+1)))
	var active, issued series
	for id := range w.sms {
		s := &w.sms[id]
		active.merge(&s.active)
		issued.merge(&s.issued)
		if s.detail && len(s.ctas) > 0 {
			w.counter(pid(id), "warps", &s.active, most)
			w.counter(pid(id), "issued per cycle", &s.issued, most)
		}
	}
	w.counter(w.gpuProcess(), "warps", &active, most)
	w.counter(w.gpuProcess(), "issued per cycle", &issued, most)
}

// counter writes the means of at most most bins of a series, followed by a zero.
func (w *writer) counter(pid int, name string, s *series, most int64) {
	for int64(len(s.bins)) >= most && len(s.bins) > 1 {
		s.widen()
	}
	for i, n := range append(slices.Clone(s.bins), 0) {
		mean := strconv.FormatFloat(float64(n)/float64(int64(1)<<s.shift), 'g', 6, 64)
		w.out = fmt.Appendf(w.out, `{"ph":"C","pid":%d,"ts":%d,"name":%q,"args":{"mean":%s}},`+"\n", pid, int64(i)<<s.shift, name, mean)
	}
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return b
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
