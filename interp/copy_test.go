package interp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

func (e *everything) Grouped(at *interp.Place, pc int, m lanes.Mask) {
	e.add(at, "grouped %d %x", pc, m)
}

// TestRefusedCopiesAreExplained checks the messages for copies that the assembler refuses.
func TestRefusedCopiesAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"cp.async.ca.shared.global [%r1], [%rd1], 12;":                    "12 bytes; .ca copies 4, 8 or 16",
		"cp.async.cg.shared.global [%r1], [%rd1], 8;":                     "8 bytes; .cg copies 16",
		"cp.async.ca.shared.global [%r1], [%rd1], 4, 5;":                  "5 bytes of the source for 4 that are copied",
		"cp.async.shared.global [%r1], [%rd1], 4;":                        "no cache operator; cp takes .ca .cg",
		"cp.async.ca.global.global [%rd1], [%rd1], 4;":                    ".global does not go with this type; as state space it takes .shared .shared::cta",
		"cp.async.ca.shared.global [%r1], %rd1, 4;":                       "the operands are in the wrong order: expected [a], [b], i{, c{, e}}",
		"cp.async.ca.shared.global [%r1], [%rd1], %r2;":                   "operand i must be an integer constant",
		"cp.async.ca.shared.global [%r1], [%rd1], 4, %rd2;":               "%rd2 is .b64; operand c takes .b32 .u32 .s32",
		"cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 4, %r2;": "%r2 is .b32; operand e takes any type of 64 bits",
		"cp.async.ca.shared.global [%r1], [%rd1], 4, %r2, %rd2;":          "a cache policy needs .L2::cache_hint",
		"cp.async.wait_group;":                                            "has 0 operands; it takes i",
		"cp.async.wait_group %r1;":                                        "operand i must be an integer constant",
	} {
		_, err := asm.Parse("k.s", []byte(kerneltest.Entry+text+"\n}"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestCopiesAreLoadAndStore: observers see a copy as a load of the bytes that it reads, and a store.
func TestCopiesAreLoadAndStore(t *testing.T) {
	m, l := launchOf(t, kerneltest.Source(t, "testdata/kernels/copy.txt", "copy events"), 1)
	all := &everything{}
	l.Observe(all)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	// Lane 0 copies 16 bytes, and lane 1 15 of them: 8, 4, 2 and 1.
	var from []string
	for _, one := range []struct{ lanes, bytes int }{{2, 8}, {2, 4}, {2, 2}, {2, 1}, {1, 16}} {
		from = append(from, fmt.Sprintf("access 6 %x: %d of global region 1", one.lanes, one.bytes))
	}
	want := append(append([]string{"started ffffffff"}, from...), "access 6 3: 16 of shared region 2 at 0x0 stores 0",
		"ran 0-7 ffffffff", "grouped 7 3", "ran 8-8 ffffffff", "grouped 8 ffffffff", "ran 9-9 ffffffff", "exited 9 ffffffff", "ended")
	var got []string
	for _, line := range all.lines {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "slot 0 b0.w0 "), " at 0x1")
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
