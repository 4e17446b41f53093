package view_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/golden"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/view"
)

var update = flag.Bool("update", false, "rewrite docs/view.schema.json")

// load loads PTX with a run header.
func load(ctx context.Context, o view.Open) (*view.Program, error) {
	text := twoWarps
	if o.Text != nil {
		text = *o.Text
	}
	mod, err := asm.Parse("k.s", []byte(text))
	if err != nil {
		return &view.Program{Files: []view.File{{Name: "k.s", Text: text, Lang: "ptx"}}, Findings: []view.Finding{{Rule: "asm-error", Severity: "error", Message: err.Error(), ID: -1}}}, nil
	}
	header, err := launch.ParseHeader("k.s", ".", []byte(text))
	if err != nil {
		return nil, err
	}
	plan, err := launch.NewPlan(mod, header)
	if err != nil {
		return nil, err
	}
	plan.Config.Stdout = io.Discard
	return &view.Program{
		Files: []view.File{{Name: "k.s", Text: text, Lang: "ptx"}}, Model: plan.Config.Divergence.String(), Sources: map[string][]string{"k.s": strings.Split(text, "\n")},
		Prepare: func() (*debugger.Program, error) {
			ready, err := plan.Prepare(context.WithoutCancel(ctx))
			if err != nil {
				return nil, err
			}
			return golden.DebugProgram(ready), nil
		},
	}, nil
}

// twoWarps diverges, waits at a barrier, and has a two-way bank conflict.
const twoWarps = `//sim:grid 2
//sim:block 64
//sim:arg out = zeros:128:u32
.entry k(.param .u64 out)
{
    .shared .align 4 .b8 s[512];
    .reg .u32 %r<8>;
    .reg .u64 %rd<4>;
    .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 3;
    mov.u32 %r3, s;
    add.u32 %r3, %r3, %r2;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra SMALL;
    st.shared.u32 [%r3], %r1;
    bra MEET;
SMALL:
    st.shared.u32 [%r3], 7;
MEET:
    bar.sync 0;
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %rd2, %r1, 4;
    ld.param.u64 %rd1, [out];
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r4;
    ret;
}
`

func open(t testing.TB) *view.Session {
	t.Helper()
	s := view.New(view.Config{Load: load, Steps: 100_000})
	if a := s.Answer(t.Context(), &view.Request{Version: 1, Open: &view.Open{}}); a.Error != "" || a.Opened.Failure != "" {
		t.Fatalf("%s", a.Error)
	}
	return s
}

func ask(t testing.TB, s *view.Session, line string) *view.Answer {
	t.Helper()
	a := new(view.Answer)
	if err := json.Unmarshal(s.Message(t.Context(), []byte(line)), a); err != nil {
		t.Fatal(err)
	}
	if a.Error != "" {
		t.Fatalf("%s: %s", line, a.Error)
	}
	return a
}

// TestBranchHasSidesAndAMeeting goes to the branch of warp 0, whose lanes 0 to 7 take it, and one instruction on.
func TestBranchHasSidesAndAMeeting(t *testing.T) {
	s := open(t)
	m := ask(t, s, `{"version":1,"seek":{"launch":0,"warp":0,"index":0,"find":"divergence"}}`).Moment
	if m.Index != 5 || m.Marks != "D" {
		t.Fatalf("%+v", m)
	}
	next := ask(t, s, `{"version":1,"seek":{"launch":0,"warp":0,"index":6}}`).Moment
	w := ask(t, s, fmt.Sprintf(`{"version":1,"state":{"view":"warp","launch":0,"warp":0,"step":%d}}`, next.Step)).Warp
	if w.Active != 0xff || len(w.Splits) != 2 || w.Splits[0].Side == nil || w.Splits[0].Side.Side != "taken" || w.Splits[1].Side.Side != "fall-through" || w.Splits[1].Side.Mask != 0xffffff00 {
		t.Errorf("active %08x, splits %+v", w.Active, w.Splits)
	}
	if want := (view.Meeting{At: view.Place{PC: 9, File: "k.s", Line: 21, Text: "bar.sync 0"}, Lanes: 0xffffffff, Parent: -1}); len(w.Meetings) != 1 || w.Meetings[0] != want {
		t.Errorf("meetings %+v, want %+v", w.Meetings, want)
	}
}

// TestBarrierNamesTheMissingWarp goes to after the barrier's instruction in warp 0, which waits for warp 1.
func TestBarrierNamesTheMissingWarp(t *testing.T) {
	s := open(t)
	m := ask(t, s, `{"version":1,"seek":{"launch":0,"warp":0,"index":0,"find":"barrier"}}`).Moment
	b := ask(t, s, fmt.Sprintf(`{"version":1,"state":{"view":"block","launch":0,"warp":0,"step":%d}}`, m.Step+1)).Block
	want := []view.Wait{{Lanes: 0xffffffff, At: view.Place{PC: 9, File: "k.s", Line: 21, Text: "bar.sync 0"}, Missing: []view.Missing{{Warp: 1, ID: 1, Lanes: 0xffffffff}}}}
	if diff := cmp.Diff(want, b.Warps[0].Waits); diff != "" || b.Warps[0].State != "waiting" {
		t.Errorf("%s (-want +got):\n%s", b.Warps[0].State, diff)
	}
}

// TestStridedAccessHasABankConflict checks that words 8 bytes apart make a two-way conflict of a warp: lanes n and n+16
// want words of one bank. The following store is contiguous: 4 sectors of one line.
func TestStridedAccessHasABankConflict(t *testing.T) {
	s := open(t)
	barrier := ask(t, s, `{"version":1,"seek":{"launch":0,"warp":3,"index":0,"find":"barrier"}}`).Moment
	load := ask(t, s, fmt.Sprintf(`{"version":1,"seek":{"launch":0,"warp":3,"index":%d,"find":"access"}}`, barrier.Index)).Moment
	a := ask(t, s, fmt.Sprintf(`{"version":1,"state":{"view":"memory","launch":0,"warp":3,"step":%d}}`, load.Step)).Memory.Accesses
	if len(a) != 1 || a[0].Banks == nil || a[0].Banks.Degree != 2 || a[0].Banks.Wavefronts != 2 || len(a[0].Banks.Words) != 32 || a[0].Region != "s" {
		t.Fatalf("%+v", a)
	}
	for _, w := range a[0].Banks.Words {
		if w.Bank%2 != 0 {
			t.Errorf("%+v is in an odd bank", w)
		}
	}
	store := ask(t, s, fmt.Sprintf(`{"version":1,"seek":{"launch":0,"warp":3,"index":%d,"find":"access"}}`, load.Index)).Moment
	a = ask(t, s, fmt.Sprintf(`{"version":1,"state":{"view":"memory","launch":0,"warp":3,"step":%d}}`, store.Step)).Memory.Accesses
	if len(a) != 1 || a[0].Lines == nil || a[0].Lines.Sectors != 4 || len(a[0].Lines.List) != 1 || a[0].Lines.List[0].Sectors != [4]int{8, 8, 8, 8} || a[0].Region != "out" {
		t.Errorf("%+v", a)
	}
}

// TestColumnsSumUp checks that a timeline with few columns has the same instructions as one with many.
func TestColumnsSumUp(t *testing.T) {
	s := open(t)
	all := ask(t, s, `{"version":1,"timeline":{"launch":0,"warp":1,"columns":4096}}`).Timeline
	for _, n := range []int{1, 2, 3, 5, 7, 100} {
		few := ask(t, s, fmt.Sprintf(`{"version":1,"timeline":{"launch":0,"warp":1,"columns":%d}}`, n)).Timeline
		next := 0
		for _, c := range few.Columns {
			low, high, marks := 32, 0, ""
			for _, one := range all.Columns[c.Index : c.Index+c.Count] {
				low, high, marks = min(low, one.Low), max(high, one.High), marks+one.Marks
			}
			for _, letter := range c.Marks {
				marks = strings.ReplaceAll(marks, string(letter), "")
			}
			if c.Index != next || c.Low != low || c.High != high || marks != "" {
				t.Errorf("%d columns: %+v, want from %d, %d to %d lanes; marks %q are missing", n, c, next, low, high, marks)
			}
			next += c.Count
		}
		if next != all.Total || len(few.Columns) != min(n, all.Total) {
			t.Errorf("%d columns: %d with %d instructions, want %d", n, len(few.Columns), next, all.Total)
		}
	}
}

// TestStatesDoNotDependOnTheWay asks for states in two orders: forwards, with copies to go back from, and backwards,
// without, so that each starts over on a new machine.
func TestStatesDoNotDependOnTheWay(t *testing.T) {
	s, other := open(t), view.New(view.Config{Load: load, History: -1})
	ctx, cancel := context.WithCancel(t.Context())
	opened := other.Answer(ctx, &view.Request{Version: 1, Open: &view.Open{}})
	if cancel(); opened.Error != "" {
		t.Fatal(opened.Error)
	}
	var forwards, backwards []string
	line := func(view string, step int) []byte {
		return fmt.Appendf(nil, `{"version":1,"state":{"view":%q,"launch":0,"warp":1,"step":%d}}`, view, step)
	}
	views := []string{"source", "warp", "block", "memory"}
	const steps = 60
	for step := range steps {
		for _, v := range views {
			forwards = append(forwards, string(s.Message(t.Context(), line(v, step))))
		}
	}
	for i := range steps {
		for j := range views {
			backwards = append([]string{string(other.Message(t.Context(), line(views[len(views)-1-j], steps-1-i)))}, backwards...)
		}
	}
	if diff := cmp.Diff(forwards, backwards); diff != "" {
		t.Errorf("(-forwards +backwards):\n%s", diff)
	}
}

// TestWrongMessagesAreErrors checks that what cannot be answered says so, with the ID of the request.
func TestWrongMessagesAreErrors(t *testing.T) {
	s := open(t)
	for line, want := range map[string]string{
		``:                        "no message",
		`{"version":1}`:           "exactly one",
		`{"version":1,"x":1}`:     "unknown field",
		`{"version":1} {}`:        "something follows",
		`{"version":2,"open":{}}`: "version 2",
		`{"version":1,"open":{},"seek":{"launch":0,"warp":0}}`:                         "exactly one",
		`{"version":1,"figures":{"launch":0}}`:                                         "no counters",
		`{"version":1,"gpu":{"launch":0,"bins":9}}`:                                    "no clock",
		`{"version":1,"schedulers":{"launch":0,"warp":0,"from":0,"count":9}}`:          "no clock",
		`{"version":1,"occupancy":{"launch":0,"threads":5000}}`:                        "5000 threads",
		`{"version":1,"occupancy":{"launch":1}}`:                                       "no launch 1",
		`{"version":1,"seek":{"launch":1,"warp":0}}`:                                   "no launch 1",
		`{"version":1,"seek":{"launch":0,"warp":4}}`:                                   "no warp 4",
		`{"version":1,"seek":{"launch":0,"warp":0,"find":"gold"}}`:                     "gold",
		`{"version":1,"timeline":{"launch":0,"warp":0,"columns":0}}`:                   "0 columns",
		`{"version":1,"state":{"view":"moon","launch":0,"warp":0,"step":0}}`:           "moon",
		`{"version":1,"state":{"view":"warp","launch":0,"warp":0,"step":-1}}`:          "no step -1",
		`{"version":1,"state":{"view":"warp","launch":0,"warp":0,"step":99999999999}}`: "no step",
	} {
		var a view.Answer
		if err := json.Unmarshal(s.Message(t.Context(), []byte(line)), &a); err != nil || !strings.Contains(a.Error, want) {
			t.Errorf("%s: %q, want %q", line, a.Error, want)
		}
	}
	failing := view.New(view.Config{Load: func(context.Context, view.Open) (*view.Program, error) { return nil, errors.New("no disk") }})
	if a := failing.Answer(t.Context(), &view.Request{Version: 1, ID: 9, Open: &view.Open{}}); a.Error != "no disk" || a.ID != 9 {
		t.Errorf("%+v", a)
	}
}

// TestLimitEndsEndlessLaunches checks that a session has the steps up to its limit of a launch that does not end.
func TestLimitEndsEndlessLaunches(t *testing.T) {
	s := view.New(view.Config{Load: load, Steps: 500})
	text := "//sim:block 32\n.entry k() {\n .reg .u32 %r<2>;\nL: add.u32 %r1, %r1, 1;\n bra L;\n}\n"
	a := s.Answer(t.Context(), &view.Request{Version: 1, Open: &view.Open{Text: &text}})
	if a.Error != "" || a.Opened.Launches[0].Instructions != 500 || !strings.Contains(a.Opened.Limited, "500") {
		t.Fatalf("%+v", a)
	}
	w := ask(t, s, `{"version":1,"state":{"view":"warp","launch":0,"warp":0,"step":400,"registers":["%r1"]}}`).Warp
	if w.Registers[0].Values[31] != "200" {
		t.Errorf("%+v", w.Registers)
	}
}

// TestHugeGridsAreRefused checks that a launch with more warps than numbers of warps is an error, not a wrong picture.
func TestHugeGridsAreRefused(t *testing.T) {
	text := strings.Replace(twoWarps, "grid 2", "grid 2147483647", 1)
	a := view.New(view.Config{Load: load, Steps: 100}).Answer(t.Context(), &view.Request{Version: 1, Open: &view.Open{Text: &text}})
	if !strings.Contains(a.Error, "4294967294 warps") {
		t.Errorf("%+v", a)
	}
}

const schemaFile = "docs/view.schema.json"

// schema is the JSON schema of messages: of requests and answers, with the Go comments as descriptions.
func schema(t *testing.T) []byte {
	t.Helper()
	t.Chdir("../..")
	r := &jsonschema.Reflector{}
	if err := r.AddGoComments("github.com/simtrun/simtrun", "internal/view"); err != nil {
		t.Fatal(err)
	}
	s := r.ReflectFromType(reflect.TypeFor[struct {
		Request view.Request `json:"request"`
		Answer  view.Answer  `json:"answer"`
	}]())
	s.ID = "https://github.com/simtrun/simtrun/docs/view.schema.json"
	s.Title = "simtrun.view/v1"
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// TestSchemaIsPublished checks that docs/view.schema.json matches the types, and that answers match it. -update writes
// it.
func TestSchemaIsPublished(t *testing.T) {
	text := schema(t)
	if *update {
		if err := os.WriteFile(schemaFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(published)); diff != "" {
		t.Errorf("(-types +published):\n%s", diff)
	}
	compiled, err := validator.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	for _, line := range []string{
		`{"version":1,"id":1,"open":{}}`, `{"version":1,"id":2,"timeline":{"launch":0,"warp":1,"columns":9}}`, `{"version":1,"id":3,"seek":{"launch":0,"warp":1}}`,
		`{"version":1,"id":4,"state":{"view":"source","launch":0,"warp":1,"step":9}}`, `{"version":1,"id":5,"state":{"view":"warp","launch":0,"warp":1,"step":20}}`,
		`{"version":1,"id":6,"state":{"view":"block","launch":0,"warp":1,"step":20}}`, `{"version":1,"id":7,"state":{"view":"memory","launch":0,"warp":0,"step":9}}`,
		`{"version":1,"id":8,"occupancy":{"launch":0,"threads":256}}`, `{"version":1,"id":9,"lessons":{}}`,
	} {
		both, err := validator.UnmarshalJSON(strings.NewReader(`{"request":` + line + `,"answer":` + string(s.Message(t.Context(), []byte(line))) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(both); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzMessage sends lines to a session. Each gets an answer, and the same one twice.
func FuzzMessage(f *testing.F) {
	for _, line := range []string{
		`{"version":1,"timeline":{"launch":0,"warp":1,"from":3,"count":9,"columns":4}}`, `{"version":1,"seek":{"launch":0,"warp":1,"step":40,"find":"barrier","back":true}}`,
		`{"version":1,"state":{"view":"warp","launch":0,"warp":1,"step":20,"registers":["%r1","%p1"]}}`, `{"version":1,"state":{"view":"memory","launch":0,"warp":0,"step":9}}`,
	} {
		f.Add([]byte(line))
	}
	var s *view.Session
	f.Fuzz(func(t *testing.T, line []byte) {
		if strings.Contains(strings.ToLower(string(line)), "open") {
			return // another program may take as long as it likes
		}
		if s == nil {
			s = open(t)
		}
		first, second := s.Message(context.Background(), line), s.Message(context.Background(), line)
		var a view.Answer
		if err := json.Unmarshal(first, &a); err != nil || a.Version != view.Version {
			t.Errorf("%q: %s", line, first)
		}
		if string(first) != string(second) {
			t.Errorf("%q: %s and then %s", line, first, second)
		}
	})
}
