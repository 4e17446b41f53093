package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/explore"
)

// lostUpdate adds 1 to a word in two blocks, by a load and a store.
//
//go:embed testdata/kernels/lost_update.s
var lostUpdate string

// TestExploreFindsLostUpdate explores the kernel, and replays the schedule by run and, step by step, by debug.
func TestExploreFindsLostUpdate(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.s"), []byte(lostUpdate), 0o666); err != nil {
		t.Fatal(err)
	}
	script := `simtrun schedule 1
block 0,0,0 thread 0 for 3        # up to k.s:13: st.global.u32 [%m], %r;
block 1,0,0 thread 0 for 5        # ends
`
	want := output{1, `count  grid 2x1x1  block 1x1x1
explored  2 executions: all orders
result    depends on the order of threads
outcome 1  in the default order: ends normally
outcome 2  in the order of the schedule: ends normally
  hits[0] = 1; in outcome 1: 2
schedule  leads to outcome 2; after its last line, the current thread runs until it waits or ends, then the first thread that can run

` + script, "wrote schedule\n"}
	got := simtrunIn(t.Context(), dir, "explore", "FILE", "-o", "DIR/schedule")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "schedule")); strings.ReplaceAll(string(text), dir+"/", "") != script {
		t.Errorf("%s, %v", text, err)
	}
	got = simtrunIn(t.Context(), dir, "run", "FILE", "-q", "--replay", "DIR/schedule", "--dump", "hits")
	if got.code != 0 || got.stdout != "hits[0:1] u32 = 1\n" {
		t.Errorf("%+v", got)
	}
	got = simtrunIn(t.Context(), dir, "debug", "FILE", "--batch", "--replay", "DIR/schedule",
		"-e", "step", "-e", "step", "-e", "step", "-e", "p hits[0]", "-e", "step", "-e", "p hits[0]", "-e", "c", "--dump", "hits")
	for _, part := range []string{"p hits[0]\nhits[0] u32 = 0\n", "p hits[0]\nhits[0] u32 = 1\n", "\nhits[0:1] u32 = 1\n"} {
		if got.code != 0 || !strings.Contains(got.stdout, part) {
			t.Errorf("no %q in %+v", part, got)
		}
	}
}

// TestExploreSaysThatAllOrdersAreTheSame explores the kernel with an atomic in place of load and store.
func TestExploreSaysThatAllOrdersAreTheSame(t *testing.T) {
	source := strings.Replace(lostUpdate, "ld.global.u32 %r, [%m];", "red.global.add.u32 [%m], 1;\n\tret;", 1)
	want := output{0, `count  grid 2x1x1  block 1x1x1
explored  1 execution: all orders
result    the same in every execution: ends normally
`, ""}
	if diff := cmp.Diff(want, simtrun(t, source, "explore", "FILE"), cmp.AllowUnexported(output{})); diff != "" {
		t.Error(diff)
	}
}

// TestReplayRefusesSchedules has a schedule that does not fit the launch, one that is not a schedule, and a clock.
func TestReplayRefusesSchedules(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k.s": lostUpdate, "long": "simtrun schedule 1\nblock 2,0,0 thread 0 for 1\n", "none": "x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "FILE", "--replay", "DIR/long"}, "segment 1 cannot be followed: thread 0 of block (2,0,0) cannot run there"},
		{[]string{"run", "FILE", "--replay", "DIR/none"}, `none:1: a schedule begins with the line "simtrun schedule 1"`},
		{[]string{"run", "FILE", "--replay", "DIR/absent"}, "there is no such file"},
		{[]string{"debug", "FILE", "--batch", "--timed", "--replay", "DIR/long"}, "--replay needs launches without a clock"},
		{[]string{"explore", "FILE", "-j", "0"}, "-j and --runs need a number of 1 or more"},
	} {
		if got := simtrunIn(t.Context(), dir, c.args...); got.code != 2 || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%q: %+v, want %q", c.args, got, c.want)
		}
	}
}

// TestExploreSummarisesLongSchedules: eight lines of a schedule are printed, and where the others are.
func TestExploreSummarisesLongSchedules(t *testing.T) {
	for turns, want := range map[int]string{8: "", 9: "… 1 more line; -o FILE writes them all\n", 365: "… 357 more lines; -o FILE writes them all\n"} {
		e := &exploration{Report: &explore.Report{Outcomes: []*explore.Outcome{nil, {Schedule: make(explore.Schedule, turns)}}}}
		var out strings.Builder
		e.writeSchedule(&out)
		if lines := strings.Count(out.String(), "block 0,0,0 "); lines != 8 || !strings.HasSuffix(out.String(), "ends\n"+want) {
			t.Errorf("%d turns:\n%s", turns, out.String())
		}
	}
}
