package native_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// mostLive is the largest number of live values around a template: more than the host has vector registers.
const mostLive = 36

// TestTemplatesUnderPressureAgree executes half of the forms with a template while so many scalars or vectors are live
// that their operands and temporaries are in the upper registers or in memory. For every instruction set, compiled code
// and lane functions have the same results, and the live values do not change.
func TestTemplatesUnderPressureAgree(t *testing.T) {
	n, tried := 0, 0
	for _, s := range isa.Specs() {
		if !s.HasTemplates() || s.Kind != isa.Compute {
			continue
		}
		for form := range s.Forms() {
			for _, tt := range append(templateTrials(form), vectorTrials(form)...) {
				if n++; n*7%11 > 5 || short.Skips(n) || hasManyForms(form) && n%5 != 0 || short.Waits(n, 4) {
					continue
				}
				if tt.tryKernels(t, uint64(n), 1, interp.CompileWanted, tt.pressed) {
					tried++
				}
			}
		}
	}
	if tried < short.Of(250) {
		t.Errorf("%d forms were tried", tried)
	}
}

// pressed returns a kernel that executes the instruction while many scalars, many vectors, and many of both are live.
func (tt *templateTrial) pressed(turn int) (source string, columns int) {
	k := trialKernel{tt: tt, turn: turn * 7}
	k.begin()
	k.line(".reg .b32 %%su<%d>, %%sv<%[1]d>, %%t<%[1]d>, %%acc;", mostLive)
	k.line("ld.global.u32 %%r8, [%%rd1];")
	for i := range mostLive {
		k.line("mad.lo.u32 %%su%d, %%r3, %d, %d; mad.lo.u32 %%sv%[1]d, %%r8, %[2]d, %[3]d;", i, 2*i+3, 1000*i+7)
	}
	vectors, uniform := k.ofClass('v'), k.ofClass('u')
	k.under("", 'u', 12, uniform) // with their 4 sums they fill the registers below 16
	k.under("", 'u', mostLive, uniform)
	k.under("", 'u', mostLive, vectors)
	k.under("", 'v', 18, vectors) // their sums are in memory
	k.under("", 'v', mostLive, vectors)
	k.under("@%p ", 'v', 18, vectors)
	return k.end(), k.columns
}

// under executes the instruction while live values of a class are live, and outputs its results and a sum of those
// values.
func (k *trialKernel) under(guard string, class rune, live int, sources []string) {
	value := func(i int) string { return fmt.Sprintf("%%s%c%d", class, i) }
	if guard != "" {
		k.load('d', "%rd1")
	}
	k.line("bar.sync 0;") // begins a run, a straight-line region
	k.note()
	for i := 0; i < live; i += 3 {
		k.line("mad.lo.u32 %%t%d, %s, %s, %s;", i/3, value(i), value(i+1), value(i+2))
	}
	k.execute(guard, k.ofClass('d'), sources)
	k.line("mov.u32 %%acc, %s;", value(0))
	for i := 0; i < live; i += 2 {
		k.line("mad.lo.u32 %%acc, %s, %s, %%acc;", value(i), value(i+1))
	}
	k.line("bar.sync 0;")
	for i := range live / 3 {
		k.line("mad.lo.u32 %%acc, %%acc, 3, %%t%d;", i)
	}
	k.store()
	k.storeOne("%acc", isa.U32)
}
