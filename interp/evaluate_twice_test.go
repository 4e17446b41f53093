package interp

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes/evaluate"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// EvaluateTwice makes machines first execute code on the host's CPU and by evaluation each time that it is entered, and
// pass what differs to report, until stop is called. Launches on several threads of the host are left out: their memory
// may change meanwhile.
func EvaluateTwice(report func(string)) (entries *int, stop func()) {
	before := beforeCode
	entries = new(int)
	cpus := make(map[*Engine]*evaluate.CPU)
	beforeCode = func(e *Engine, entry uintptr) {
		if e.watcher == nil {
			if cpus[e] == nil {
				cpus[e] = new(evaluate.CPU)
			}
			*entries++
			if wrong := e.evaluateTwice(cpus[e], entry); wrong != "" {
				report(fmt.Sprintf("%s, PC %d: %s", e.fn.Src.Name, e.path.PC, wrong))
			}
		}
		if before != nil {
			before(e, entry)
		}
	}
	return entries, func() { beforeCode = before }
}

// evaluateTwice enters code both ways, restores the state from before, and returns what differs.
func (e *Engine) evaluateTwice(cpu *evaluate.CPU, entry uintptr) (wrong string) {
	places := e.codePlaces()
	before := cloned(places)
	jit.Enter(entry, unsafe.Pointer(e.native.ctx))
	context, after := *e.native.ctx, cloned(places)
	put(places, before)
	cpu.Regions = e.codeRegions(places, entry)
	_, err := cpu.Enter(entry, unsafe.Pointer(e.native.ctx))
	defer put(places, before)
	if err != nil {
		return err.Error()
	}
	// The rest of the Context is scratch memory of code. Where a turn is ended code does not know the budget.
	leaves := slices.ContainsFunc(e.native.turns, func(t jit.Turn) bool { return t.Leave == entry })
	a, b := reflect.ValueOf(context), reflect.ValueOf(*e.native.ctx)
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.IsExported() && f.Name != "Frames" && (f.Name != "Budget" || !leaves) && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return fmt.Sprintf("%s is %v, evaluated %v", f.Name, a.Field(i), b.Field(i))
		}
	}
	for i, p := range places[1:] {
		if at := firstByte(after[1+i], p); at >= 0 {
			return fmt.Sprintf("byte %d of place %d is %#x, evaluated %#x", at, i, after[1+i][at], p[at])
		}
	}
	return ""
}

// codePlaces returns all memory that code may change: the Context, turns, registers, shared and local memory,
// parameters, and the regions of hints.
func (e *Engine) codePlaces() [][]byte {
	ctx := e.native.ctx
	all := [][]byte{unsafe.Slice((*byte)(unsafe.Pointer(ctx)), unsafe.Sizeof(*ctx))}
	if turns := e.native.turns; len(turns) > 0 {
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(&turns[0])), uintptr(len(turns))*unsafe.Sizeof(turns[0])))
	}
	shared := e.cta.Shared.Data[:cap(e.cta.Shared.Data)] // code clears whole units of jit.SharedUnit
	all = append(all, e.path.File.Bytes(e.fn.Layout.Bytes()), shared, e.warp.Local, e.window.Params)
	for _, w := range e.cta.Warps {
		if w != e.warp {
			root := w.Windows[divergence.Root]
			all = append(all, root.File.Bytes(root.Func.Layout.Bytes()), w.Local, root.Params)
		}
	}
	known := make(map[unsafe.Pointer]bool)
	for _, h := range e.native.now.hints {
		if h.Len > 0 && !known[h.Data] {
			known[h.Data] = true
			all = append(all, unsafe.Slice((*byte)(h.Data), h.Len))
		}
	}
	return all
}

// codeRegions returns the places and what else code may read: hints, sides and constants of the code.
func (e *Engine) codeRegions(places [][]byte, entry uintptr) (all []evaluate.Region) {
	const code = 1 << 20 // more than the size of a function's
	add := func(at unsafe.Pointer, size uintptr, read bool) {
		all = append(all, evaluate.Region{Base: uintptr(at), Size: size, Read: read})
	}
	for _, p := range places {
		add(unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)), false)
	}
	n := e.native.now
	add(unsafe.Pointer(unsafe.SliceData(n.hints)), uintptr(len(n.hints))*unsafe.Sizeof(jit.Hint{}), true)
	add(n.Sides(), uintptr(len(e.fn.Graph.Blocks()))*unsafe.Sizeof(uintptr(0)), true)
	return append(all, evaluate.Region{Base: entry - code, Size: 2 * code, Read: true})
}

func cloned(places [][]byte) (all [][]byte) {
	for _, p := range places {
		all = append(all, bytes.Clone(p))
	}
	return all
}

func put(places, contents [][]byte) {
	for i, p := range places {
		copy(p, contents[i])
	}
}

// firstByte returns the place of the first byte that differs, or -1.
func firstByte(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
