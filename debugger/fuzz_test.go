package debugger

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/divergence"
)

// FuzzCommands carries out any lines in any state: none panics, and each answer
// to a mistake is one line.
func FuzzCommands(f *testing.F) {
	for _, line := range []string{
		"s 3\nwhy\np r0[3] + f1 * 2.5\nx/4xw out\ninfo stack\nc",
		"b 9 if any(r0 > 3) && !p1\ntb k\nwatch -rw shared:4 if r0 == 2\ntrace @2 r0, s\nc\nd 1",
		"lane 7 set s = -1\nset shared.u8:(4+1) = 0xff\ndisplay/x w\nrestart\nuntil +2\nbar\nrv\nfin",
		"p/t ((r0))\np -~!+r0 % %r0\np 0f3f800000 / 0d3ff0000000000000\np shared.f16:4[3]\nlist\n\n",
		"focus b0.w0.l3\nwarp 0 block 0 lane 4 why\ninfo regs r\nhelp x\nq",
		"b 9\ncond 1 -hits % 2\nignore 1 3\ndis 1-9\nen\ntoggle 1\nclear 9\nr\nheat 9\nwarps -with r0 > 3 -exec up",
		"bt\nup\ndown 2\nframe 0\ni f\nlist 1,4\n\nl -\ndisas @2,@5\ni threads\nthread (5,0,0) cuda thread 9\nwarps -group pc",
		"watch y[3]\nwatch y+12\nwatch global:y+4\nwatch 5\nc\np y[2:5]\nx/4 box\nset var $r1 = y[1]",
	} {
		for state := range states {
			f.Add(uint8(state), line)
		}
	}
	f.Fuzz(func(t *testing.T, state uint8, lines string) {
		b := inState(t, int(state)%len(states), divergence.IndependentThreads)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		const most = 50
		for _, line := range strings.SplitN(lines, "\n", most) {
			err := b.Execute(ctx, line)
			if errors.Is(err, ErrQuit) {
				return
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is answered in several lines: %v", line, err)
			}
			b.Prompt()
			b.Complete(line)
		}
	})
}
