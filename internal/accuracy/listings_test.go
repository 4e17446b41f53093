package accuracy

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/sass"
	"github.com/simtrun/simtrun/internal/sm"
)

// listings returns the machine code of launches that Nsight Compute has recorded, as cuobjdump -sass writes it, by the
// launch's line.
func listings(t *testing.T) map[string]string {
	t.Helper()
	rows := func(name string) [][]string {
		r := csv.NewReader(strings.NewReader(read(t, "../gpu/testdata/h100-sxm/"+name+".csv")))
		r.Comment = '#'
		all, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return all[1:]
	}
	cases := rows("ncu")
	all := make(map[string]string)
	for _, row := range rows("ncu_lines") {
		i, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		at, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		line := cases[i][0]
		if at == 0 {
			words := strings.Fields(line)
			all[line] = fmt.Sprintf("\t\tFunction : %s\n", words[1])
		}
		all[line] += fmt.Sprintf("        /*%04x*/                   %s ;\n", at*16, row[2])
	}
	for line, text := range all {
		all[line] = relative(text)
	}
	return all
}

// relative makes the addresses that branches go to those of a function at 0, as the endless loop behind the code tells.
func relative(text string) string {
	end := strings.LastIndex(text, " BRA 0x")
	var base, at int64
	start := strings.LastIndex(text[:end], "/*")
	fmt.Sscanf(text[start:], "/*%x*/", &at)
	fmt.Sscanf(text[end:], " BRA 0x%x", &base)
	base -= at
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if j := strings.LastIndex(line, "0x7f"); j >= 0 && len(line)-j > 12 {
			var to int64
			fmt.Sscanf(line[j:], "0x%x", &to)
			lines[i] = fmt.Sprintf("%s0x%x ;\n", line[:j], to-base)
		}
	}
	return strings.Join(lines, "")
}

// Bounds for the launches of which machine code is recorded, in percent: without it 9.2 of cycles, 5.0 of instructions.
const (
	mostWithCode       = 7.0
	mostIssuedWithCode = 4.5
)

// TestListingsReduceError: with the machine code that an H100 executed, launches are nearer to it.
func TestListingsReduceError(t *testing.T) {
	all, cycles, issued, n := listings(t), 0.0, 0.0, 0
	results := tested(t)
	if len(results) < len(Launches()) && !testing.Short() {
		t.Skip("the mean error is that of all launches")
	}
	for _, r := range results {
		text, known := all[r.Line]
		if !known || testing.Short() && r.Kind != "tiny" {
			continue
		}
		code, err := sass.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", r.Line, err)
		}
		with, err := r.Launch.runWith(context.Background(), func(o *sm.Options) { o.SASS = code })
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-20s cycles %.2f, with machine code %.2f; instructions %.2f, %.2f", r.Name(), r.ratio(), with.ratio(), r.instructionRatio(), with.instructionRatio())
		cycles += 100 * math.Abs(with.ratio()-1)
		issued += 100 * math.Abs(with.instructionRatio()-1)
		n++
	}
	cycles, issued = cycles/float64(n), issued/float64(n)
	t.Logf("%d launches: MAPE %.2f, of instructions %.2f", n, cycles, issued)
	if len(results) == len(Launches()) && (cycles > mostWithCode || issued > mostIssuedWithCode) {
		t.Errorf("%d launches: MAPE %.1f, of instructions %.1f; want at most %v and %v", n, cycles, issued, mostWithCode, mostIssuedWithCode)
	}
}

// TestListingsKeepResults: whatever a listing says, memory is the same after a launch.
func TestListingsKeepResults(t *testing.T) {
	all := listings(t)
	for _, line := range []string{"program matmul_tiled", "program attention"} {
		want := memoryAfter(t, line, nil)
		for seed := range uint64(2) {
			random := rand.New(rand.NewPCG(seed, 35))
			code, err := sass.Parse(all[line])
			if err != nil {
				t.Fatal(err)
			}
			instrs := code[0].Instrs
			for range len(instrs) {
				i, j := random.IntN(len(instrs)), random.IntN(len(instrs))
				instrs[i].Class, instrs[j].Class = instrs[j].Class, instrs[i].Class
				instrs[i].Work, instrs[j].Work = instrs[j].Work, instrs[i].Work
				instrs[i].Target, instrs[i].Stall = random.IntN(len(instrs)+1)-1, random.IntN(16)
			}
			if diff := cmp.Diff(want, memoryAfter(t, line, code)); diff != "" {
				t.Errorf("%s, seed %d (-without machine code +with it):\n%s", line, seed, diff)
			}
		}
	}
}

// memoryAfter returns the buffers after a launch.
func memoryAfter(t *testing.T, line string, code []*sass.Function) (all [][]byte) {
	t.Helper()
	p, err := Prepare(t.Context(), line)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sm.Begin(p.Machine, p.Launch, sm.Options{SASS: code})
	if err == nil {
		err = s.Continue(t.Context())
	}
	if err == nil {
		err = s.Timing().Check()
	}
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, b := range p.Buffers {
		all = append(all, slices.Clone(b.Data))
	}
	return all
}
