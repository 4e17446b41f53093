package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/explore"
	"github.com/simtrun/simtrun/internal/jsondoc"
	"github.com/simtrun/simtrun/internal/launch"
)

// TestExploreSaysHowFarItCame has reports of searches that ended early, their text and their exit statuses.
func TestExploreSaysHowFarItCame(t *testing.T) {
	same := []*explore.Outcome{{Executions: 300}}
	for _, c := range []struct {
		report explore.Report
		want   string
		code   int
	}{
		{explore.Report{Outcomes: same, Executions: 300, Random: 64, Known: 812, Preemptions: 2, Complete: 1, Ended: explore.Interrupted},
			`explored  300 executions, 64 of them in random order: not all orders
search    236 systematic: all orders with at most 1 preemption, some with 2; at least 812 more are needed
search    64 in random order: seeds 5 to 68
ended     by an interruption
result    the same memory, findings and end in every execution: ends normally
`, 143},
		{explore.Report{Outcomes: same, Executions: 30, Known: 8, Preemptions: 0, Complete: -1, Ended: explore.OutOfTime},
			`explored  30 executions: not all orders
search    30 systematic: some orders with no preemption; at least 8 more are needed
ended     by --budget 30s
result    the same memory, findings and end in every execution: ends normally
`, 0},
		{explore.Report{Outcomes: same, Executions: 300, Random: 100, LeftOut: 7, Preemptions: 1, Complete: 1, Ended: explore.Limited},
			`explored  300 executions, 100 of them in random order: not all orders; 7 with more preemptions were left out
search    200 systematic: all orders with at most 1 preemption
search    100 in random order: seeds 5 to 104
ended     by --runs 300
result    the same memory, findings and end in every execution: ends normally
`, 0},
		{explore.Report{Outcomes: same, Executions: 300, Random: 100, Complete: -1, Ended: explore.Limited},
			`explored  300 executions, 100 of them in random order: not all orders
search    200 systematic: all orders that races require, but some executions did not end
search    100 in random order: seeds 5 to 104
ended     by --runs 300
result    the same memory, findings and end in every execution: ends normally
`, 0},
	} {
		e := &exploration{Report: &c.report, plan: &launch.Plan{}, runs: 300, seed: 5, budget: "30s"}
		var text strings.Builder
		e.write(&text)
		if diff := cmp.Diff(c.want, text.String()); diff != "" {
			t.Error(diff)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(interrupted{syscall.SIGTERM})
		if code := exitCode(ctx, e.verdict()); code != c.code {
			t.Errorf("exit status %d, want %d", code, c.code)
		}
	}
}

// TestExploreJSONMatchesSchema validates the object against its description.
func TestExploreJSONMatchesSchema(t *testing.T) {
	schema := jsondoc.Read(t, "../../docs/json.md")["simtrun.explore/v1"]
	for _, c := range []struct{ source, result string }{
		{lostUpdate, "depends"},
		{strings.Replace(lostUpdate, "ld.global.u32 %r, [%m];", "red.global.add.u32 [%m], 1;\n\tret;", 1), "same"},
	} {
		got := simtrun(t, c.source, "explore", "FILE", "--json")
		var object map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &object); err != nil {
			t.Fatal(err, got)
		}
		if err := schema.Validate(object); err != nil {
			t.Error(err)
		}
		if object["result"] != c.result || object["exhausted"] != true || (got.code == 1) != (c.result == "depends") {
			t.Errorf("%+v", got)
		}
	}
}

// TestExploreInterruptedAtOnce: an interruption before the first execution has ended leaves nothing to report, which
// the message says.
func TestExploreInterruptedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{os.Interrupt})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"explore", "../../programs/histogram.s"}, &stdout, &stderr)
	if want := "simtrun: interrupted during the first execution; a smaller launch takes less time\n"; code != exitInterrupt || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit %d, %s%s", code, &stdout, &stderr)
	}
}
