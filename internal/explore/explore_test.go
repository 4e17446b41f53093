package explore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
)

// describe returns everything that a report says.
func describe(r *Report) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, r.Executions, r.Random, r.Redundant, r.Exhausted, r.LeftOut)
	for _, o := range r.Outcomes {
		fmt.Fprintln(&b, o.End, o.Memory, o.Executions)
		o.Schedule.Write(&b)
	}
	return b.String()
}

// TestReportIsTheSameForAnyNumberOfWorkers explores random programs with one and with three workers.
func TestReportIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 20 {
		source := randomProgram(rng).ptx()
		var reports []string
		for _, n := range []int{1, 3} {
			o := Options{Preemptions: -1, Workers: n, All: i%2 == 0, Executions: 50, Seed: 1}
			r, err := Explore(context.Background(), programOf(t, source, 1, 3, words+4), o)
			if err != nil {
				t.Fatal(err)
			}
			reports = append(reports, describe(r))
		}
		if reports[0] != reports[1] {
			t.Fatalf("with one worker\n%s\nwith three\n%s\n%s", reports[0], reports[1], source)
		}
	}
}

// replay executes a program along a schedule.
func replay(t *testing.T, make func() (*Program, error), s Schedule) *Outcome {
	t.Helper()
	var script bytes.Buffer
	s.Write(&script)
	read, err := ReadSchedule("s.txt", &script)
	if err != nil {
		t.Fatal(err)
	}
	p, err := make()
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplay(read, p.Launches)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Launches {
		l := p.Launches[i]
		r.Attach(i, &l)
		if _, err = functional.Run(context.Background(), p.Machine, l); err != nil {
			break
		}
	}
	if r.Err() != nil {
		t.Error(r.Err())
	}
	return outcomeOf(p.Machine, err, nil, nil)
}

// TestSchedulesReplayToTheirOutcomes replays the schedule of every outcome of random programs, after a script was
// written and read.
func TestSchedulesReplayToTheirOutcomes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		source := randomProgram(rng).ptx()
		make := programOf(t, source, 1, 3, words+4)
		r, err := Explore(context.Background(), make, Options{Preemptions: -1, All: true, Executions: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range r.Outcomes {
			if got := replay(t, make, o.Schedule); got.key != o.key {
				t.Fatalf("outcome %d: replayed %s, want %s\n%s", i, got.key, o.key, source)
			}
		}
	}
}

// TestRandomOrdersFindDifferences leaves out all systematic executions with preemptions.
func TestRandomOrdersFindDifferences(t *testing.T) {
	p := program{{{kind: load}, {kind: keep, c: 1}}, {{kind: load}, {kind: keep, c: 1}}}
	r, err := Explore(context.Background(), programOf(t, p.ptx(), 1, 2, words+4), Options{Executions: 200, All: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.LeftOut == 0 || r.Exhausted || r.Random == 0 || len(r.Outcomes) < 3 {
		t.Errorf("%d left out, exhausted %v, %d random, %d outcomes", r.LeftOut, r.Exhausted, r.Random, len(r.Outcomes))
	}
	same := func(i, k *Outcome) int { return bytes.Compare([]byte(i.key), []byte(k.key)) }
	if sorted := slices.SortedFunc(slices.Values(r.Outcomes), same); len(slices.CompactFunc(sorted, func(a, b *Outcome) bool { return a.key == b.key })) != len(r.Outcomes) {
		t.Error("one outcome is there twice")
	}
}

// TestBadScriptsAreRefused has a mistake in each script, and its line.
func TestBadScriptsAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `s.txt: a schedule begins with the line "simtrun schedule 1"`},
		{"block 0,0,0 thread 0 for 1\n", `s.txt:1: a schedule begins with the line "simtrun schedule 1"`},
		{"simtrun schedule 1\nblock 0,0,0 thread 0 for 0\n", `s.txt:2: "block 0,0,0 thread 0 for 0": a line is "block X,Y,Z thread N for INSTRUCTIONS", or "launch N"`},
		{"simtrun schedule 1\nblock 0,0,0 thread 0 for 1 2\n", `s.txt:2: "block 0,0,0 thread 0 for 1 2": a line is "block X,Y,Z thread N for INSTRUCTIONS", or "launch N"`},
		{"simtrun schedule 1\nlaunch 2\nblock 0,0,0 thread 0 for 1\nlaunch 1\nblock 0,0,0 thread 0 for 1\n", "s.txt:5: launch 1 comes after launch 2"},
	} {
		if _, err := ReadSchedule("s.txt", bytes.NewReader([]byte(c.text))); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// FuzzSchedule checks that a schedule that was read is the same after it is written and read again.
func FuzzSchedule(f *testing.F) {
	f.Add([]byte("simtrun schedule 1\n# c\nblock 0,0,0 thread 1 for 7 # x\nlaunch 2\nblock 1,2,3 thread 0 for 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSchedule("s.txt", bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		s.Write(&b)
		again, err := ReadSchedule("s.txt", &b)
		if err != nil || !slices.EqualFunc(s, again, func(a, b Segment) bool { return a.same(&b) && a.Instrs == b.Instrs }) {
			t.Errorf("%v, %v, want %v", again, err, s)
		}
	})
}
