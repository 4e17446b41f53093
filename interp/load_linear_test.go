package interp_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/linear"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// large are programs of about n instructions for which a careless algorithm takes time quadratic in n.
var large = map[string]func(n int) string{
	"straight code": func(n int) string { return body(n, "add.u32 %r1, %r1, #;") },
	"loops":         func(n int) string { return body(n, "L#: add.u32 %r1, %r1, 1; @%p1 bra L#;") },
	"loops around all before": func(n int) string {
		return ".entry k() {\n" + lines(n, "L#: add.u32 %r1, %r1, 1;") + lines(n, "@%p1 bra L#;") + "ret; }"
	},
	"jumps backwards": func(n int) string { // each piece goes on at the one above it
		return ".entry k() {\nbra L0;\nE: st.global.u32 [%rd1], %r1; ret;\n" + fmt.Sprintf("L%d: bra E;\n", n) + upwards(n, "L#: add.u32 %r~, %r~, 1; bra L^;") + "}"
	},
	"early exits": func(n int) string {
		return body(n, "@%p1 bra X#; add.u32 %r2, %r2, 1; bra Y#; X#: exit; Y#: add.u32 %r1, %r1, 1;")
	},
	"traps": func(n int) string {
		return ".entry k() {\n" + lines(n, "@%p1 bra T#;") + "ret;\n" + lines(n, "T#: trap;") + "}"
	},
	"traps of two checks": func(n int) string {
		return ".entry k() {\n" + lines(n, "@%p1 bra T#; @%p2 bra T#;") + "ret;\n" + lines(n, "T#: trap;") + "}"
	},
	"branch with many targets": func(n int) string {
		var labels []string
		for i := range n {
			labels = append(labels, fmt.Sprint("L", i))
		}
		return ".entry k() {\nT: .branchtargets " + strings.Join(labels, ", ") + ";\nbrx.idx %r1, T;\n" + lines(n, "L#: exit;") + "}"
	},
	"functions": func(n int) string {
		return lines(n, ".func (.reg .u32 r) f#(.reg .u32 a) { add.u32 r, a, 1; ret; }") + body(n, "call (%r1), f#, (%r1);")
	},
	"arguments in variables": func(n int) string {
		return ".func f(.param .u32 a) { ret; }\n" + body(n, "{ .param .u32 a; st.param.u32 [a], %r1; call f, (a); }")
	},
	"variables": func(n int) string {
		return lines(n, ".global .u32 v# = #;") + body(n, "ld.global.u32 %r1, [v#];")
	},
}

// body is a kernel of lines.
func body(n int, line string) string { return ".entry k() {\n" + lines(n, line) + "ret; }" }

// lines returns line n times, with # replaced by its number.
func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", strconv.Itoa(i)) + "\n")
	}
	return b.String()
}

// upwards returns line n times, with # replaced by its number, ^ by that of the line above and ~ by one of 97
// numbers.
func upwards(n int, line string) string {
	var b strings.Builder
	for i := n - 1; i >= 0; i-- {
		b.WriteString(strings.NewReplacer("#", strconv.Itoa(i), "^", strconv.Itoa(i+1), "~", strconv.Itoa(i%97)).Replace(line) + "\n")
	}
	return b.String()
}

// loading returns how long it takes to load a program, and the bytes that it takes afterwards.
func loading(t *testing.T, src string) (time.Duration, uint64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := time.Now()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err == nil {
		_, err = m.Functions("k")
	}
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	return took, after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}

// TestLoadingIsLinear checks that loading takes time and memory linear in the size of a program.
func TestLoadingIsLinear(t *testing.T) {
	const n = 1000
	for i, name := range slices.Sorted(maps.Keys(large)) {
		if short.Skips(i) || short.Waits(i, 6) {
			continue
		}
		source := large[name]
		t.Run(name, func(t *testing.T) {
			linear.Check(t, n, func(n int) time.Duration {
				took, bytes := loading(t, source(n))
				if each := bytes / uint64(n); n > 10_000 && each > 6<<10 {
					t.Errorf("%d bytes for each of %d pieces of code", each, n)
				}
				return took
			})
		})
	}
}

// TestInstructionTakesLittleMemory: an instruction takes some 600 bytes when everything is loaded, and loading
// allocates well under 1 KB for it in total, including garbage. No peak can be higher, and unlike a peak it does not
// depend on when the garbage collector runs.
func TestInstructionTakesLittleMemory(t *testing.T) {
	const n = 50000
	src := large["straight code"](n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, bytes := loading(t, src)
	runtime.ReadMemStats(&after)
	if each := bytes / n; each > 650 {
		t.Errorf("%d bytes stay", each)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 900 {
		t.Errorf("%d bytes are allocated", each)
	}
}

// TestElementTakesLittleMemory: an initialiser takes the memory of its elements, and its tokens are never in memory all
// at once.
func TestElementTakesLittleMemory(t *testing.T) {
	const n = 100000
	src := ".global .u32 x[] = {\n" + lines(n, "#,") + "};\n.entry k() { ret; }"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, bytes := loading(t, src)
	runtime.ReadMemStats(&after)
	if each := bytes / n; each > 100 {
		t.Errorf("%d bytes stay", each)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 500 {
		t.Errorf("%d bytes are allocated", each)
	}
}
