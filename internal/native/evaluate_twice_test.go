package native_test

import (
	"bytes"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/evaluate"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// evaluateTwice returns an interp.Config.BeforeCode with which machines first execute code on the host's CPU and by
// evaluation each time that it is entered. It passes what differs to report, and counts in entries. Launches on several
// threads of the host are left out: their memory may change meanwhile.
func evaluateTwice(entries *int, report func(string)) func(*interp.Engine, uintptr) {
	cpus := make(map[*interp.Engine]*evaluate.CPU)
	return func(e *interp.Engine, at uintptr) {
		entry, ok := interp.CodeEntryOf(e, at)
		if !ok {
			return
		}
		if cpus[e] == nil {
			cpus[e] = new(evaluate.CPU)
		}
		*entries++
		if wrong := enterTwice(cpus[e], &entry, at); wrong != "" {
			report(fmt.Sprintf("%s, PC %d: %s", entry.Func.Src.Name, entry.PC, wrong))
		}
	}
}

// enterTwice enters code both ways, restores the state from before, and returns what differs.
func enterTwice(cpu *evaluate.CPU, entry *interp.CodeEntry, at uintptr) (wrong string) {
	before := cloned(entry.Changed)
	jit.Enter(at, unsafe.Pointer(entry.Context))
	context, after := *entry.Context, cloned(entry.Changed)
	put(entry.Changed, before)
	cpu.Regions = regionsOf(entry, at)
	_, err := cpu.Enter(at, unsafe.Pointer(entry.Context))
	defer put(entry.Changed, before)
	if err != nil {
		return err.Error()
	}
	// The rest of the Context is scratch memory of code.
	a, b := reflect.ValueOf(context), reflect.ValueOf(*entry.Context)
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.IsExported() && f.Name != "Frames" && (f.Name != "Budget" || !entry.EndsTurn) && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return fmt.Sprintf("%s is %v, evaluated %v", f.Name, a.Field(i), b.Field(i))
		}
	}
	for i, p := range entry.Changed[1:] {
		if at := firstByte(after[1+i], p); at >= 0 {
			return fmt.Sprintf("byte %d of place %d is %#x, evaluated %#x", at, i, after[1+i][at], p[at])
		}
	}
	return ""
}

// regionsOf returns what code that is entered at an address may access: the memory of the entry, and the code itself
// with its constants.
func regionsOf(entry *interp.CodeEntry, at uintptr) (all []evaluate.Region) {
	const code = 1 << 20 // more than the size of a function's
	add := func(memory [][]byte, read bool) {
		for _, m := range memory {
			all = append(all, evaluate.Region{Base: uintptr(unsafe.Pointer(unsafe.SliceData(m))), Size: uintptr(len(m)), Read: read})
		}
	}
	add(entry.Changed, false)
	add(entry.Read, true)
	return append(all, evaluate.Region{Base: at - code, Size: 2 * code, Read: true})
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
