package check_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var (
	structuredPrograms = flag.Int("structured", 48, "`N` programs of TestChecksOfStructuredPrograms")
	structuredFirst    = flag.Uint64("structured-first", 0, "`SEED` of the first program")
)

// TestChecksOfStructuredPrograms: checks change no result of random programs of all instructions, and find the same in
// compiled code as where lane functions execute all.
func TestChecksOfStructuredPrograms(t *testing.T) {
	for i := range short.Of(*structuredPrograms) {
		if !short.Waits(i, 12) {
			checkStructured(t, *structuredFirst+uint64(i))
		}
	}
}

func checkStructured(t *testing.T, seed uint64) {
	t.Helper()
	p := conformance.RandomStructured(seed)
	cfg := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], Lanes: kerneltest.LevelOf(seed)}
	var found []string
	by := func(compile interp.Compilation) conformance.Run {
		return func(l conformance.Launch) (r conformance.Result, err error) {
			with := cfg
			with.Compile = compile
			found, r, err = runChecked(l, with, seed)
			return r, err
		}
	}
	try := func(run conformance.Run) []string {
		t.Helper()
		if p.Try(run) != nil {
			p.Shrink(run)
			t.Fatalf("seed %d: %v\n%v", seed, p.Try(run), p)
		}
		return slices.Clone(found)
	}
	want := try(by(interp.CompileNever))
	if diff := cmp.Diff(want, try(by(kerneltest.CompilationOf(seed)))); diff != "" {
		t.Fatalf("seed %d: findings (-lane functions +compiled):\n%s\n%s", seed, diff, p.Launch().Source)
	}
}

// runChecked runs a launch under some of the checks, and returns what they find.
func runChecked(l conformance.Launch, cfg interp.Config, seed uint64) (found []string, r conformance.Result, err error) {
	mod, err := asm.Parse("k.ptx", []byte(l.Source))
	if err != nil {
		return nil, r, err
	}
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		return nil, r, err
	}
	launch := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: l.Grid, Block: l.Block}
	for i, b := range l.Buffers {
		region, err := m.Alloc(fmt.Sprint("buffer ", i), int64(len(b)))
		if err != nil {
			return nil, r, err
		}
		copy(region.Data, b)
		if mod.AddressSize == 32 {
			launch.Params = binary.LittleEndian.AppendUint32(launch.Params, uint32(region.Base))
		} else {
			launch.Params = binary.LittleEndian.AppendUint64(launch.Params, region.Base)
		}
		r.Buffers = append(r.Buffers, region.Data)
	}
	launch.Params = append(launch.Params, l.Params...)
	var results []func() []string
	warnings := func(of func() []interp.Warning) {
		results = append(results, func() (all []string) {
			for _, w := range of() {
				all = append(all, fmt.Sprintf("%s at %s: %s", w.Msg, w.Place.Pos(), w.Text))
			}
			return all
		})
	}
	if seed%3 != 1 {
		races, err := check.Attach(m, &launch)
		if err != nil {
			return nil, r, err
		}
		results = append(results, func() []string { return details(races.Findings()) })
	}
	if seed%3 != 2 {
		init, err := check.AttachInit(m, &launch)
		if err != nil {
			return nil, r, err
		}
		warnings(func() []interp.Warning { return init.Warnings(false) })
	}
	if seed%2 == 0 {
		shuffles, err := check.AttachShuffles(m, &launch)
		if err != nil {
			return nil, r, err
		}
		warnings(shuffles.Warnings)
	}
	if _, err := functional.Run(context.Background(), m, launch); err != nil {
		return nil, r, err
	}
	for _, result := range results {
		found = append(found, result()...)
	}
	return found, r, nil
}
