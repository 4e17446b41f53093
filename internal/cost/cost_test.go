package cost_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// lower is the cost of the first function of a source that is defined.
func lower(t *testing.T, src string, mode cost.Mode, convergence bool) (*isa.Func, []cost.Instr) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range mod.Funcs {
		if f.Defined {
			return f, cost.Lower(f, flow.New(f), mode, convergence)
		}
	}
	t.Fatal("no function")
	return nil, nil
}

// text returns an instruction's cost as a line: its slots, with > before those that wait for the previous one.
func text(f *isa.Func, c *cost.Instr) string {
	names := func(ids []isa.RegID) string {
		var s []string
		for _, id := range ids {
			s = append(s, f.Regs[id].Name)
		}
		return strings.Join(s, " ")
	}
	var b strings.Builder
	b.WriteString(strings.Repeat("sync ", c.Syncs))
	for i, s := range c.Slots {
		switch {
		case s.Waits:
			b.WriteString(" > ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(s.Class.String())
	}
	b.WriteString(": " + names(c.Sources) + " -> " + names(c.Results))
	return strings.TrimSpace(b.String())
}

func TestModesParseTheirNames(t *testing.T) {
	for _, m := range []cost.Mode{cost.Lowered, cost.PTX} {
		if got, err := cost.ParseMode(m.String()); err != nil || got != m {
			t.Errorf("%s is %v, %v", m, got, err)
		}
	}
	if _, err := cost.ParseMode("sass"); err == nil || err.Error() != `no cost mode "sass"; there are lowered, ptx` {
		t.Error(err)
	}
}

// TestPTXModeCostsOneSlot: one slot for each instruction.
func TestPTXModeCostsOneSlot(t *testing.T) {
	const src = `.entry k(.param .u64 out)
{
	.shared .u32 x[4];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %clock;
	mad.lo.u32 %r4, %r1, %r1, %r2;
	setp.lt.u32 %p1, %r4, 9;
	@!%p1 bra DONE;
	div.u32 %r5, %r4, %r3;
	st.global.u32 [%rd1+4], %r5;
	@%p1 atom.shared.add.u32 %r6, [x], %r5;
	bar.sync 0;
DONE:
	ret;
}`
	want := []string{
		"load_constant:  -> %rd1",
		"read_special:  -> %r1",
		"integer:  -> %r2",
		"read_clock:  -> %r3",
		"product: %r1 %r2 -> %r4",
		"integer: %r4 -> %p1",
		"branch: %p1 ->",
		"special_function: %r4 %r3 -> %r5",
		"store_global: %rd1 %r5 ->",
		"atomic_shared: %p1 %r5 -> %r6",
		"cta_barrier:  ->",
		"exit:  ->",
		"exit:  ->",
	}
	f, costs := lower(t, src, cost.PTX, true)
	var got []string
	for i := range costs {
		got = append(got, text(f, &costs[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if costs[9].Guard == isa.NoReg || costs[8].Guard != isa.NoReg {
		t.Errorf("guards %d, %d", costs[9].Guard, costs[8].Guard)
	}
}
