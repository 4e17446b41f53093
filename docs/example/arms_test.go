package example

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestArmsRunUnderEveryModel(t *testing.T) {
	p, err := simtrun.LoadFiles("arms.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var want []uint32
	for lane := range uint32(simtrun.Width) {
		if lane < 16 {
			want = append(want, 100*lane)
		} else {
			want = append(want, lane+1)
		}
	}
	for _, model := range []simtrun.Model{simtrun.ITS, simtrun.Stack, simtrun.MinPC} {
		m, err := p.NewMachine(simtrun.Options{Divergence: model})
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Alloc("out", 4*simtrun.Width)
		if err != nil {
			t.Fatal(err)
		}
		var masks strings.Builder
		_, err = m.Launch(t.Context(), simtrun.Launch{
			Kernel: "arms", Block: simtrun.Dim{X: simtrun.Width}, Args: []any{out},
			Step: func(s *simtrun.Step) bool {
				fmt.Fprintf(&masks, "L%d  %08x  %08x  %s\n", s.Line(), uint32(s.Active()), uint32(s.Executing()), s.Text())
				return true
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, simtrun.Read[uint32](out)); diff != "" {
			t.Errorf("%s: memory (-want +got):\n%s", model, diff)
		}
		checkGolden(t, model.String()+".masks", masks.String())
	}
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-golden +now):\n%s", path, diff)
	}
}
