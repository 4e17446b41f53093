package conformance

import (
	"encoding/binary"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

const header = ".version 8.7\n.target sm_90\n.address_size 64\n\n"

// trial is one launch of the first kernel of a module.
type trial struct {
	src         string
	grid, block isa.Dim  // one CTA if zero, of 32 threads
	shared      int64    // bytes of dynamic shared memory
	buffers     [][]byte // the kernel's first parameters point to copies of them
	params      []byte   // the rest of the parameter block
	times       int      // launches; 1 if zero
	printed     string
	columns     int  // see Launch
	ordered     bool // see Launch
	// check returns the error in the buffers afterwards; nil if there is none.
	check func(after [][]byte) error
	// specimen is the instruction from which the launch is made; nil for others.
	specimen *specimen
}

// prepared returns the trial with its launch, if it has only its specimen: on all values, or with -short on a
// sixteenth.
func (tr trial) prepared() trial { return tr.on(short.Of(mostTuples)) }

// on is prepared with a number of combinations of edges.
func (tr trial) on(edgeTuples int) trial {
	if tr.specimen != nil {
		return tr.specimen.onAllValues(edgeTuples)
	}
	return tr
}

// try runs the trial and checks the results.
func (tr *trial) try(run Run) error {
	result, err := run(tr.launch())
	switch {
	case err != nil:
		return err
	case result.Printed != tr.printed:
		return fmt.Errorf("printed %q, want %q", result.Printed, tr.printed)
	case tr.check == nil:
		return nil
	}
	return tr.check(result.Buffers)
}

// launch returns the trial's launch with defaults filled in.
func (tr *trial) launch() Launch {
	l := Launch{Source: tr.src, Grid: tr.grid, Block: tr.block, Shared: tr.shared, Buffers: tr.buffers, Params: tr.params, Times: max(tr.times, 1), Columns: tr.columns, Ordered: tr.ordered}
	if l.Grid == (isa.Dim{}) {
		l.Grid = dim(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = dim(32, 1)
	}
	return l
}

func dim(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// bytesMatch checks that the last buffer holds want.
func bytesMatch(want []byte) func([][]byte) error {
	return func(after [][]byte) error {
		got := after[len(after)-1]
		if len(got) != len(want) {
			return fmt.Errorf("%d bytes, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				return fmt.Errorf("byte %d is %#x, want %#x", i, got[i], want[i])
			}
		}
		return nil
	}
}

// wordsMatch checks that the last buffer holds the 32-bit words of want.
func wordsMatch(want func(i int) uint32) func([][]byte) error {
	return func(after [][]byte) error {
		got := after[len(after)-1]
		for i := 0; 4*i < len(got); i++ {
			if g, w := binary.LittleEndian.Uint32(got[4*i:]), want(i); g != w {
				return fmt.Errorf("word %d is %#x, want %#x", i, g, w)
			}
		}
		return nil
	}
}

// perThread is a kernel of one CTA in which each thread stores %r1, with its number in %r0 and the address of the
// result in %out. The body may also use %r, %p, %rd and %f registers.
func perThread(body string, threads int, want func(i int) uint32) trial {
	return moduleTrial("", body, threads, want)
}

// moduleTrial is perThread with declarations before the kernel.
func moduleTrial(declarations, body string, threads int, want func(i int) uint32) trial {
	return trial{src: header + declarations + `.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<40>;
	.reg .b64 %rd<40>, %out;
	.reg .f32 %f<40>;
	.reg .f64 %fd<40>;
	.reg .b16 %h<40>;
	.reg .pred %p<40>;
	mov.u32 %r0, %tid.x;
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %r0, 4, %out;
	` + body + `
	st.global.u32 [%out], %r1;
	ret;
}
`, block: dim(uint32(threads), 1), buffers: [][]byte{make([]byte, 4*threads)}, check: wordsMatch(want)}
}
