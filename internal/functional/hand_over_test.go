package functional_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// mostHandedOver is how many instructions of a launch are compared.
const mostHandedOver = 100_000

// ran is what lanes of a warp execute one after the other.
type ran struct {
	executed uint64 // warp instructions of the launch before
	cta      isa.Dim
	warp, fn int
	first    int // PC
	m        lanes.Mask
}

// schedule is what the Go loop executes in a launch, in its order.
type schedule struct {
	all      []ran
	executed uint64
}

func (s *schedule) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	s.all = append(s.all, ran{s.executed, at.CTA, at.Warp, at.Func, first, m})
	s.executed += uint64(end - first)
}

// wrong says how p differs from the place at which the Go loop is after as many instructions, or returns "".
func (s *schedule) wrong(p *interp.CodePlace) string {
	next := sort.Search(len(s.all), func(i int) bool { return s.all[i].executed > p.Executed })
	if next == 0 || p.Executed >= s.executed {
		return fmt.Sprintf("code is entered after %d instructions, and the Go loop executes %d", p.Executed, s.executed)
	}
	want := s.all[next-1]
	want.first += int(p.Executed - want.executed)
	got := ran{want.executed, p.CTA, p.Warp, p.Func.Number, p.PC, p.Mask}
	if got == want {
		return ""
	}
	return fmt.Sprintf("after %d instructions CTA %v, warp %d, lanes %08x enter code at PC %d (in turns: %t); in Go CTA %v, warp %d, lanes %08x are at PC %d",
		p.Executed, got.cta, got.warp, uint32(got.m), got.first, p.InTurns, want.cta, want.warp, uint32(want.m), want.first)
}

// handedOver runs the launches of a program by the Go loop alone, and as compiled code, and compares where code is
// entered. It returns how often that is, and how often warps begin to take turns there.
func handedOver(t *testing.T, file string, model divergence.Model, level jit.Level) (entries, turns int) {
	t.Helper()
	var schedules []*schedule
	want := launched(t, file, interp.Config{Divergence: model, Compile: interp.CompileNever}, func(l *interp.Launch) {
		schedules = append(schedules, new(schedule))
		l.Observers = append(l.Observers, schedules[len(schedules)-1])
	})
	number := -1
	before := func(e *interp.Engine, at uintptr) {
		if p, ok := interp.CodePlaceOf(e, at); ok && !t.Failed() {
			entries++
			if p.InTurns {
				turns++
			}
			if wrong := schedules[number].wrong(&p); wrong != "" {
				t.Errorf("%v, %v: %s", model, level, wrong)
			}
		}
	}
	got := launched(t, file, interp.Config{Divergence: model, Compile: interp.CompileAlways, Lanes: level, BeforeCode: before}, func(*interp.Launch) { number++ })
	if !slices.Equal(want, got) {
		t.Errorf("%v, %v: %v, want %v", model, level, got, want)
	}
	return entries, turns
}

// launched runs the launches of a program, each after a call of before, and returns their ends.
func launched(t *testing.T, file string, cfg interp.Config, before func(*interp.Launch)) (ends []string) {
	t.Helper()
	cfg.MaxSteps, cfg.MaxLaunchSteps = mostHandedOver, mostHandedOver
	ready := preparedWith(t, file, source(t, file), cfg)
	for i := range ready.Launches {
		l := ready.Launches[i]
		before(&l)
		s, err := functional.Begin(ready.Machine, l)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Continue(context.Background())
		stats := s.Stats()
		stats.Warnings = nil
		ends = append(ends, fmt.Sprintf("%v %+v", err, stats))
	}
	return ends
}

// TestCodeIsEnteredWhereGoWouldBe: each time that the Go loop hands over to compiled code, the CTA, the warp, its lanes
// and their PC are those of the Go loop alone after as many instructions, in all of the repository's programs.
func TestCodeIsEnteredWhereGoWouldBe(t *testing.T) {
	short.Alternates(t, 2, 3)
	kerneltest.SkipVerified(t)
	if jit.Best() == jit.None {
		t.Skip("no compiled code")
	}
	files := programFiles(t)
	entries, inTurns := 0, 0
	for i, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			for k, model := range kerneltest.Models {
				n, turns := handedOver(t, file, model, kerneltest.LevelOf(i+k))
				entries, inTurns = entries+n, inTurns+turns
			}
		})
	}
	if entries < 10*len(files) || inTurns < len(files) {
		t.Errorf("code was entered %d times, %d times in turns", entries, inTurns)
	}
	t.Logf("code was entered %d times, %d times in turns", entries, inTurns)
}
