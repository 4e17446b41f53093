package lanes_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/conformance"
	"github.com/simtrun/simtrun/internal/lanes"
)

var update = flag.Bool("update", false, "rewrite testdata/fragments.txt")

// TestFragmentsMatchFormulasOfISA compares the place of each element of each lane in the matrices of mma with the
// formulas of PTX ISA 9.7.14, and lists it in testdata/fragments.txt: a line for a lane, with row and column for each
// register, as ranges if it has several elements.
func TestFragmentsMatchFormulasOfISA(t *testing.T) {
	const f16, f32, f64, s32 = lanes.MatrixF16, lanes.MatrixF32, lanes.MatrixF64, lanes.MatrixS32
	types := map[lanes.MatrixType]string{f16: "f16", lanes.MatrixBF16: "bf16", lanes.MatrixTF32: "tf32", f32: "f32", f64: "f64", s32: "s32",
		lanes.MatrixE4M3: "e4m3", lanes.MatrixS8: "s8", lanes.MatrixS4: "s4", lanes.MatrixB1: "b1"}
	var b strings.Builder
	for _, one := range []struct {
		shapes  string
		factor  lanes.MatrixType
		sums    []lanes.MatrixType
		layouts int
	}{
		{"m8n8k4", f16, []lanes.MatrixType{f16, f32}, 4},
		{"m16n8k8 m16n8k16", f16, []lanes.MatrixType{f16, f32}, 1},
		{"m16n8k8 m16n8k16", lanes.MatrixBF16, []lanes.MatrixType{f32}, 1},
		{"m16n8k4 m16n8k8", lanes.MatrixTF32, []lanes.MatrixType{f32}, 1},
		{"m16n8k16 m16n8k32", lanes.MatrixE4M3, []lanes.MatrixType{f16, f32}, 1},
		{"m8n8k4 m16n8k4 m16n8k8 m16n8k16", f64, []lanes.MatrixType{f64}, 1},
		{"m8n8k16 m16n8k16 m16n8k32", lanes.MatrixS8, []lanes.MatrixType{s32}, 1},
		{"m8n8k32 m16n8k32 m16n8k64", lanes.MatrixS4, []lanes.MatrixType{s32}, 1},
		{"m8n8k128 m16n8k128 m16n8k256", lanes.MatrixB1, []lanes.MatrixType{s32}, 1},
	} {
		for shape := range strings.FieldsSeq(one.shapes) {
			for layout := range one.layouts {
				for i, sum := range one.sums {
					p := lanes.Product{A: one.factor, B: one.factor, C: sum, D: sum, Quads: one.layouts > 1, ColA: layout&1 != 0, RowB: layout&2 != 0}
					fmt.Sscanf(shape, "m%dn%dk%d", &p.M, &p.N, &p.K)
					rowsA := !p.ColA
					for matrix, c := range map[int]struct {
						name string
						typ  lanes.MatrixType
						rows bool
						show bool
					}{lanes.FragmentA: {"a", p.A, rowsA, i == 0}, lanes.FragmentB: {"b", p.B, p.RowB, i == 0}, lanes.FragmentC: {"c", p.C, false, layout == 0}} {
						typ := types[c.typ]
						if c.name == "c" && !p.Quads {
							typ = types[p.A]
						}
						n := p.Registers(matrix) * max(32/c.typ.Bits(), 1)
						for lane := range lanes.Width {
							for i := range n {
								row, col := p.Place(matrix, i, lane)
								wantRow, wantCol := conformance.FragmentPlace(shape, typ, c.name, c.rows, lane, i)
								if row != wantRow || col != wantCol {
									t.Errorf("%s %s %s lane %d element %d: %d,%d, want %d,%d", shape, types[p.A], c.name, lane, i, row, col, wantRow, wantCol)
								}
							}
						}
					}
					for _, m := range []struct {
						matrix int
						name   string
						show   bool
					}{{lanes.FragmentA, "a", i == 0 && layout < 2}, {lanes.FragmentB, "b", i == 0 && layout%2 == 0}, {lanes.FragmentC, "c and d", layout == 0}} {
						if m.show {
							writeFragment(&b, shape, types, &p, m.matrix, m.name)
						}
					}
				}
			}
		}
	}
	const file = "testdata/fragments.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-file +now):\n%s", file, diff)
	}
}

func writeFragment(b *strings.Builder, shape string, types map[lanes.MatrixType]string, p *lanes.Product, matrix int, name string) {
	typ := [...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix]
	layout := ""
	if p.Quads && matrix == lanes.FragmentA {
		layout = map[bool]string{false: " .row", true: " .col"}[p.ColA]
	}
	if p.Quads && matrix == lanes.FragmentB {
		layout = map[bool]string{false: " .col", true: " .row"}[p.RowB]
	}
	fmt.Fprintf(b, "%s.%s.%s: %s%s\n", shape, types[typ], types[p.A], name, layout)
	per := max(32/typ.Bits(), 1)
	for lane := range lanes.Width {
		fmt.Fprintf(b, "  %2d ", lane)
		for r := range p.Registers(matrix) {
			row, col := p.Place(matrix, r*per, lane)
			lastRow, lastCol := p.Place(matrix, r*per+per-1, lane)
			fmt.Fprintf(b, "  %s,%s", fromTo(row, lastRow), fromTo(col, lastCol))
		}
		b.WriteByte('\n')
	}
}

func fromTo(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}
