package launch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
)

// increment is a kernel that adds by to all 32 elements of x and to a variable; the test appends launches of it.
const increment = `.global .u32 count;
.entry increment(.param .u64 x, .param .u32 by)
{
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [by];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, %r1;
	st.global.u32 [%rd1], %r3;
	mov.u64 %rd3, count;
	red.global.add.u32 [%rd3], %r1;
	ret;
}
`

// incremented returns a plan of such launches, with or without a clock.
func incremented(t *testing.T, clock bool, lines ...string) (*Plan, error) {
	t.Helper()
	source := strings.Join(lines, "\n") + "\n" + increment
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	header, err := ParseHeader("k.s", "", []byte(source))
	if err != nil {
		return nil, err
	}
	p, err := NewPlan(mod, header)
	if err == nil && clock {
		p.UseClock()
	}
	return p, err
}

// TestProcessesHaveOwnMemory checks that each process has its own copy of buffers and variables, at the same addresses,
// whether launches run concurrently or in order, and that directives apply to all processes, or to the named one.
func TestProcessesHaveOwnMemory(t *testing.T) {
	for _, clock := range []bool{false, true} {
		p, err := incremented(t, clock, "//sim:buffer x = iota:32:u32", "//sim:symbol count = 5",
			"//sim:launch increment process=a args=x,10",
			"//sim:launch increment process=b args=x,20",
			"//sim:launch increment process=a args=x,100",
			"//sim:launch increment args=zeros:32:u32,3",
			"//sim:expect a/x[1:3] == 111 112", "//sim:expect b/x[1] == 21", "//sim:expect x[0] == 0",
			"//sim:expect b/count == 645", "//sim:dump count", "//sim:dump a/x:u32:2")
		if err != nil {
			t.Fatal(err)
		}
		p.saves = append(p.saves, save{1, p.object("x"), "b.bin"})
		res, err := p.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var dumps []string
		for i := range res.Dumps {
			dumps = append(dumps, res.Dumps[i].Name+" "+res.Dumps[i].Elem.Text(res.Dumps[i].Bits(0)))
		}
		if diff := cmp.Diff([]string{"a/count 3525", "b/count 645", "count 101", "a/x 110"}, dumps); diff != "" {
			t.Error(diff)
		}
		var failed []string
		for i := range res.Failed {
			failed = append(failed, res.Failed[i].Details()...)
		}
		// x of the unnamed process is unchanged.
		if diff := cmp.Diff([]string{"a/x[0] is 110, not 0", "b/x[0] is 20, not 0"}, failed); diff != "" || res.Passed != 4 {
			t.Errorf("%d passed\n%s", res.Passed, diff)
		}
		if s := &res.Saves[0]; s.Name != "b/x" || s.Data[4] != 21 {
			t.Errorf("saved %s: %v", s.Name, s.Data[:8])
		}
		var buffers []string
		for i := range res.Buffers {
			if b := &res.Buffers[i]; b.Base == res.Buffers[1].Base {
				buffers = append(buffers, b.Name)
			}
		}
		if diff := cmp.Diff([]string{"a/x", "b/x", "x"}, buffers); diff != "" {
			t.Error(diff)
		}
		for i, want := range []string{"a", "b", "a", ""} {
			if l := &res.Launches[i]; l.Process != want || clock && l.Timing.Process != want {
				t.Errorf("launch %d is in process %q", i, l.Process)
			}
		}
		if clock && (res.Launches[1].Timing.Start > 100 || res.Launches[2].Timing.Start < res.Launches[0].Timing.Cycles) {
			t.Errorf("launches start at %d and %d", res.Launches[1].Timing.Start, res.Launches[2].Timing.Start)
		}
		if at := p.Progress(); at.Done != 4 && clock {
			t.Errorf("progress %+v", at)
		}
	}
}

// TestSingleProcessNeedsNoName checks that the buffers of a single process need no process name.
func TestSingleProcessNeedsNoName(t *testing.T) {
	p, err := incremented(t, true, "//sim:launch increment process=a args=zeros:32:u32,1", "//sim:expect a/x == 1", "//sim:expect x == 1", "//sim:dump a/x:u32:1")
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Run(context.Background())
	if err != nil || res.Passed != 2 || res.Dumps[0].Name != "x" {
		t.Errorf("%v: %+v", err, res)
	}
	if _, err := p.Prepare(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestProcessErrorsNameBuffer checks errors in process names, and that faults name the process's buffer.
func TestProcessErrorsNameBuffer(t *testing.T) {
	two := []string{"//sim:buffer x = zeros:32:u32", "//sim:launch increment process=a args=x,1", "//sim:launch increment process=2 args=x,1"}
	many := []string{"//sim:buffer x = zeros:32:u32"}
	for i := range 49 {
		many = append(many, "//sim:launch increment process="+string(rune('A'+i%26))+string(rune('a'+i/26))+" args=x,1")
	}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{append(two[:3:3], "//sim:dump c/x"), "k.s:4:12: no process c; there are a, 2"},
		{[]string{two[0], two[1], "//sim:launch increment args=x,1", "//sim:dump c/x"}, "k.s:4:12: no process c; there is a"},
		{append(two[:3:3], "//sim:expect a/y == 1"), "k.s:4:14: no buffer y"},
		{[]string{"//sim:launch increment args=zeros:32:u32,1", "//sim:dump a/x"}, "k.s:2:12: no process a: no launch has process=a"},
		{many, "k.s:50:24: 48 processes can share a GPU"},
		{[]string{"//sim:launch increment percent=50 args=zeros:32:u32,1"}, "k.s:1:24: percent= is for the launches of a process"},
		{[]string{two[0], "//sim:launch increment process=a percent=50 args=x,1", "//sim:launch increment process=a percent=40 args=x,1"},
			"k.s:3:34: percent=40, but process a has percent=50 at k.s:2:34"},
	} {
		_, err := incremented(t, true, c.lines...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	p, err := incremented(t, true, two...)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.addSave(&saveLine{owned: owned{name: "x"}, path: "f"}); err == nil || err.Error() != "each of the processes a, 2 has a x; PROCESS/x is that of one" {
		t.Errorf("%v", err)
	}
	if _, err := p.Prepare(context.Background()); err == nil || err.Error() != "k.s:3:14: launches of several processes, each with its own memory, can only be run; here all launches must be of one process" {
		t.Errorf("%v", err)
	}
	two[2] = strings.Replace(two[2], "args=x", "args=x+8", 1)
	if p, err = incremented(t, true, two...); err != nil {
		t.Fatal(err)
	}
	_, err = p.Run(context.Background())
	if _, ok := errors.AsType[*interp.Fault](err); !ok || !strings.Contains(err.Error(), "2/x") {
		t.Error(err)
	}
}

// TestEveryProcessCountsTowardsBudget checks that each process's copy counts towards the memory limit.
func TestEveryProcessCountsTowardsBudget(t *testing.T) {
	lines := []string{"//sim:buffer x = zeros:1000000:u32", "//sim:launch increment process=a args=x,1", "//sim:launch increment process=b args=x,1"}
	p, err := incremented(t, false, lines...)
	if err != nil {
		t.Fatal(err)
	}
	if p.bytes != 8000000 {
		t.Errorf("%d bytes of buffers", p.bytes)
	}
}
