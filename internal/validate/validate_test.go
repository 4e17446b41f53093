package validate

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRowsAreConsistent checks that names are unique, that each point has an expected figure, and that the list of
// known misses has only existing rows.
func TestRowsAreConsistent(t *testing.T) {
	names := make(map[string]bool)
	for _, r := range Rows() {
		if names[r.Name()] {
			t.Errorf("two rows are %s", r.Name())
		}
		names[r.Name()] = true
		if r.At != nil && r.Expected != nil && len(r.At) != len(r.Expected) {
			t.Errorf("%s: %d points, %d figures", r.Name(), len(r.At), len(r.Expected))
		}
		if (r.measure == nil) == (r.unmodelled == "") {
			t.Errorf("%s is measured and not modelled, or neither", r.Name())
		}
	}
	for name := range knownMisses {
		if !names[name] {
			t.Errorf("no row is %s", name)
		}
	}
}

// TestSelectMatchesPrefixes checks the selection by prefixes.
func TestSelectMatchesPrefixes(t *testing.T) {
	rows := []*Row{{ID: "8.1", GPU: "a"}, {ID: "8.11", GPU: "a"}, {ID: "8.2", GPU: "b"}, {ID: "B1", GPU: "b"}, {ID: "B10", GPU: "b"}}
	for ids, want := range map[string]string{"": "8.1 8.11 8.2 B1 B10", "8": "8.1 8.11 8.2", "8.1": "8.1", "B": "B1 B10", "B1": "B1", "8.2 B10": "8.2 B10", "C": ""} {
		var got []string
		for _, r := range Select(rows, "", strings.Fields(ids)) {
			got = append(got, r.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", ids, got, want)
		}
	}
	if got := Select(rows, "b", []string{"8"}); len(got) != 1 || got[0].ID != "8.2" {
		t.Errorf("of b: %v", got)
	}
}

// TestRunsAreShared checks that a kernel that several rows run with the same flags runs once, and that all of them
// list the command.
func TestRunsAreShared(t *testing.T) {
	measure := func(rounds int) func(l *lab) []float64 {
		return func(l *lab) []float64 { return []float64{l.run("uniform", arg("rounds", rounds)).last().Cycles} }
	}
	row := func(id string, rounds int) *Row {
		return &Row{ID: id, GPU: "h100", What: "cycles", Kind: Rule, Expected: exactly(7), measure: measure(rounds)}
	}
	var times atomic.Int32
	command := func(context.Context, string, ...string) ([]byte, int) {
		times.Add(1)
		return []byte(`{"launches": [{"cycles": 7}]}`), 0
	}
	var said []string
	err := Run(t.Context(), []*Row{row("A1", 1), row("A2", 1), row("A3", 2)}, command, 3, func(r *Result) {
		said = append(said, string(r.Verdict), r.Commands[0])
	})
	first, second := "simtrun internal/validate/kernels/uniform.s --gpu=h100 --arg=rounds=1", "simtrun internal/validate/kernels/uniform.s --gpu=h100 --arg=rounds=2"
	if want := []string{"agrees", first, "agrees", first, "agrees", second}; err != nil || !slices.Equal(said, want) || times.Load() != 2 {
		t.Errorf("%v, %d runs, %q", err, times.Load(), said)
	}
}

// TestUnlistedMissIsUnexpected checks the output for rows that agree, miss, and are not modelled; only a miss that is
// not in the list is unexpected.
func TestUnlistedMissIsUnexpected(t *testing.T) {
	figures := func(values ...float64) func(*lab) []float64 { return func(*lab) []float64 { return values } }
	rows := []*Row{
		{ID: "X1", GPU: "a", What: "two figures of one row, by number", At: []string{"first", "second"}, Source: "S", Kind: Prediction, Expected: percent(10, 100, 7), measure: figures(105, 6.5)},
		{ID: "X2", GPU: "a", What: "put in", Source: "S", Kind: Input, Expected: within(1, 5), measure: figures(6)},
		{ID: "X3", GPU: "a", What: "off", Source: "S", Kind: Prediction, Expected: exactly(4), measure: figures(3)},
		{ID: "X4", GPU: "a", What: "rises", Source: "S", Kind: Rule, Expected: like(1, 2), Holds: rising, measure: figures(10, 11)},
		{ID: "X5", GPU: "a", What: "left out", Source: "S", Kind: Rule, Expected: []Band{between(1, 2), moreThan(3), lessThan(4)}, unmodelled: "nobody has done it"},
	}
	var results []*Result
	var text bytes.Buffer
	WriteHead(&text)
	err := Run(t.Context(), rows, nil, 2, func(r *Result) {
		r.WriteText(&text)
		results = append(results, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	WriteEnd(&text, results)
	want := `row    gpu        compared                        source    expected                got                     verdict
X1     a          two figures of one row, by      S          100    7                105 6.50               agrees, -7 %
                  number: first second
X2     a          put in                          S         5                       6                       input, +20 %
X3     a          off                             S         4                       3                       misses,
                                                                                                            -25 %
X4     a          rises                           S          1  2                   10 11                   agrees
X5     a          left out                        S         1-2  >3  <4                                     not modelled

misses: it is not in the list of known misses
  X3 a off

not modelled: nobody has done it
  X5 a left out

rows 5  input 1  agree 2  miss 1  not modelled 1
`
	if text.String() != want {
		t.Errorf("it is\n%s\nnot\n%s", &text, want)
	}
	if s := Summarise(results); s != (Summary{5, 1, 2, 1, 1, 1}) {
		t.Errorf("%+v", s)
	}
}

// TestJobsGoToFirstFreeMachine has three jobs on two machines; the third goes to the machine that is done first.
func TestJobsGoToFirstFreeMachine(t *testing.T) {
	if got := listSchedule(2, []float64{3, 1, 5}); got != 6/3. {
		t.Errorf("%v mean times, want 2", got)
	}
}

// TestFailuresNameTheirRow checks that a kernel that cannot run, output without an object, and the end of the context
// are errors with the row's name. A panic of the command is passed on to the caller.
func TestFailuresNameTheirRow(t *testing.T) {
	row := &Row{ID: "X1", GPU: "a", What: "figure", Expected: exactly(1), measure: func(l *lab) []float64 { return []float64{l.run("uniform").last().Cycles} }}
	for want, c := range map[string]Command{
		"X1 a figure: exit 4 of 'simtrun internal/validate/kernels/uniform.s --gpu=a': a fault": func(context.Context, string, ...string) ([]byte, int) {
			return []byte(`{"summary":{"message":"a fault"}}`), 4
		},
		"X1 a figure: what 'simtrun internal/validate/kernels/uniform.s --gpu=a' prints: unexpected end of JSON input": func(context.Context, string, ...string) ([]byte, int) { return nil, 0 },
	} {
		err := Run(t.Context(), []*Row{row}, c, 1, func(*Result) { t.Error("a result") })
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	func() {
		defer func() {
			if p := recover(); p != "a bug" {
				t.Errorf("%v", p)
			}
		}()
		Run(t.Context(), []*Row{row}, func(context.Context, string, ...string) ([]byte, int) { panic("a bug") }, 1, nil)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, []*Row{row}, nil, 1, nil); err == nil {
		t.Error("no error of a context that has ended")
	}
}
