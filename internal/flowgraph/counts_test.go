package flowgraph

import (
	"strings"
	"testing"
)

// assertion has a trap that no lane should reach.
const assertion = `.entry k()
{
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra OK;
	trap;
OK:	mov.u32 %r1, 1;
	ret;
}
`

// Two launches of assertion, with 3 and 1 warps, one of which has 8 lanes.
const twoRuns = `{"schema":"simtrun.run/v1","launches":[
{"kernel":"k","lines":[
 {"function":"k","pc":0,"instruction":"setp.eq.u32 %p1, %r1, 0;","metrics":{"warp_instructions":3,"lane_instructions":96}},
 {"function":"k","pc":1,"instruction":"@%p1 bra OK;","metrics":{"warp_instructions":3,"lane_instructions":96,"branches":3,"divergent_branches":1}},
 {"function":"k","pc":3,"instruction":"mov.u32 %r1, 1;","metrics":{"warp_instructions":3,"lane_instructions":80}},
 {"function":"k","pc":4,"instruction":"ret;","metrics":{"warp_instructions":3,"lane_instructions":80}}]},
{"kernel":"k","lines":[
 {"function":"k","pc":0,"instruction":"setp.eq.u32 %p1, %r1, 0;","metrics":{"warp_instructions":1,"lane_instructions":8}},
 {"function":"k","pc":1,"instruction":"@%p1 bra OK;","metrics":{"warp_instructions":1,"lane_instructions":8,"branches":1}}]}]}`

func TestCountsAddUpOverRuns(t *testing.T) {
	all := New(parse(t, assertion))
	if err := AddCounts(all, strings.NewReader(twoRuns)); err != nil {
		t.Fatal(err)
	}
	g := all[0]
	want := []struct {
		runs  uint64
		lanes float64
	}{{4, 208.0 / 8}, {0, 0}, {3, 160.0 / 6}}
	for b, w := range want {
		if block := &g.Blocks[b]; block.Runs != w.runs || block.meanLanes() != w.lanes {
			t.Errorf("B%d: runs %d lanes %v, want %d and %v", b, block.Runs, block.meanLanes(), w.runs, w.lanes)
		}
	}
	if p := g.Blocks[0].Divergences[0]; p.Runs != 4 || p.Diverged != 1 {
		t.Errorf("the branch diverged in %d of %d, want 1 of 4", p.Diverged, p.Runs)
	}
}

func TestCountsOfOtherProgramsAreRefused(t *testing.T) {
	for _, tt := range []struct{ json, want string }{
		{"", "counts are read from what simtrun run --json prints: EOF"},
		{"<html>", "counts are read from what simtrun run --json prints: invalid character '<' looking for beginning of value"},
		{"{}", `schema ""; counts are read from simtrun.run/v1, which simtrun run --json prints`},
		{`{"schema":"simtrun.run/v1","launches":[]}`, "no instruction has counts: the run has no launch that ended well"},
		{strings.ReplaceAll(twoRuns, `"function":"k"`, `"function":"other"`), "counts of another program: it has a function other"},
		{strings.ReplaceAll(twoRuns, `"pc":4`, `"pc":5`), "counts of another program: k has no instruction @5"},
		{strings.ReplaceAll(twoRuns, `"pc":4`, `"pc":-1`), "counts of another program: k has no instruction @-1"},
		{strings.ReplaceAll(twoRuns, "bra OK", "bra NO"), `counts of another program: k@1 is "@%p1 bra OK;" here and "@%p1 bra NO;" there`},
	} {
		all := New(parse(t, assertion))
		err := AddCounts(all, strings.NewReader(tt.json))
		if err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
		if all[0].Counted {
			t.Error("the graph counts as counted")
		}
	}
}
