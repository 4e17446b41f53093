package check_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

func parsed(t testing.TB, src string) *isa.Module {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return mod
}

// launchOf returns a launch of kernel k on a new machine. Its parameter is the address of g, which has 4096 bytes.
func launchOf(t testing.TB, mod *isa.Module, cfg interp.Config, grid, block isa.Dim) (m *interp.Machine, l interp.Launch, g *memory.Region) {
	t.Helper()
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if g, err = m.Alloc("g", 4096); err != nil {
		t.Fatal(err)
	}
	return m, interp.Launch{Kernel: "k", Grid: grid, Block: block, Params: binary.LittleEndian.AppendUint64(nil, g.Base)}, g
}

// findingsOf runs a launch under the check.
func findingsOf(t *testing.T, m *interp.Machine, l *interp.Launch) []check.Finding {
	t.Helper()
	races, err := check.Attach(m, l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, *l); err != nil {
		t.Fatal(err)
	}
	return races.Findings()
}
