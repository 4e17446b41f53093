package flowgraph

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestManyEdgesTakeLittleMemory checks that the edges of many brx.idx with many targets take little more memory than
// their contents, and that writing the graph takes no memory proportional to them.
func TestManyEdgesTakeLittleMemory(t *testing.T) {
	const branches, targets = 500, 100
	var labels []string
	for i := range targets {
		labels = append(labels, fmt.Sprint("L", i))
	}
	mod := parse(t, "T: .branchtargets "+strings.Join(labels, ", ")+";\n"+strings.Repeat("brx.idx %r1, T;\n", branches)+strings.Join(labels, ": add.u32 %r1, %r1, 1;\n")+": ret;\n")
	var before, built runtime.MemStats
	runtime.ReadMemStats(&before)
	all := New(mod)
	runtime.ReadMemStats(&built)
	if each := (built.TotalAlloc - before.TotalAlloc) / (branches * targets); each > 140 {
		t.Errorf("%d bytes are allocated for each edge", each)
	}
	for _, f := range Formats() {
		allocs := testing.AllocsPerRun(1, func() { f.Write(io.Discard, all) })
		if each := allocs / (branches * targets); each > 20 {
			t.Errorf("%s: %.1f allocations for each edge", f.Name, each)
		}
	}
}
