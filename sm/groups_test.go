package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/cost"
	"github.com/simtrun/simtrun/sm"
)

// TestCopyGroups: what waits for copies waits as long as they take, which is 100 cycles from
// their issue, and no longer. Each instruction of PTX is one machine instruction; those of
// groups need the pipe CBU for a cycle.
func TestCopyGroups(t *testing.T) {
	const begin = `
	.shared .align 16 .b32 s[64];
	cp.async.ca.shared.global [s], [x], 4;
	cp.async.commit_group;
	cp.async.ca.shared.global [s+16], [x+16], 4;
	cp.async.commit_group;
	`
	for _, p := range []pipeline{
		{
			name: "the older of two groups",
			body: begin + `
	cp.async.wait_group 1;
	cp.async.wait_group 0;
	ret;`,
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2 ; the pipe of loads takes one every 4 cycles
	5 w0.3
	100 w0.4 ; the first copy is there
	104 w0.5 ; and the second
	105 w0.6`,
			cycles: 106,
			states: map[sm.State]uint64{sm.Selected: 7, sm.LongScoreboard: 94 + 3, sm.LGThrottle: 2},
		}, {
			name: "more groups may be on their way than there are",
			body: begin + `
	cp.async.wait_group 2;
	ret;`,
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2
	5 w0.3
	6 w0.4
	7 w0.5`,
			cycles: 8,
		}, {
			name: "a copy of no group",
			body: begin + `
	cp.async.ca.shared.global [s+32], [x+32], 4;
	cp.async.wait_group 0;
	cp.async.wait_all;
	ret;`,
			issues: `
	0 w0.0
	1 w0.1
	4 w0.2
	5 w0.3
	8 w0.4
	104 w0.5 ; the third copy is in no group
	108 w0.6
	109 w0.7`,
			cycles: 110,
		},
	} {
		p.gpu, p.code, p.options.Cost = small(1), ".global .align 16 .b32 x[64];\n", cost.PTX
		t.Run(p.name, p.run)
	}
}
