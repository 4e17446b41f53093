package launch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
)

// TestMissingArgumentsShowExample checks that the example has a buffer with one element for each of the 2*64 threads,
// of the type that the kernel loads first.
func TestMissingArgumentsShowExample(t *testing.T) {
	const source = `.entry k(.param .u64 x, .param .u32 n, .param .f64 scale, .param .align 4 .b8 pair[12])
{
	ld.param.u64 %rd1, [x];
	ld.global.s16 %rs1, [%rd1];
	ret;
}
`
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	const which = " of kernel k; its parameters are 0: .u64 x, 1: .u32 n, 2: .f64 scale, 3: .b8[12] pair"
	for text, want := range map[string]string{
		"grid 2\nblock 64": "no argument for parameters x, n, scale, pair" + which + `; for example
  --arg x=zeros:128:s16
  --arg n=128
  --arg scale=1
  --arg pair=bytes:@FILE   (12 bytes)`,
		"launch k args=0,1,2": "run.sim:1:8: no argument for parameter pair" + which,
	} {
		l, err := ParseScript("run.sim", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewPlan(mod, l)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestNamesListVariablesAndArguments(t *testing.T) {
	h, err := ParseHeader("k.s", ".", []byte("//sim:buffer b = zeros:1:u8"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"table", "limit", "p"}, VariableNames(testModule())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"table", "limit", "p", "b", "a", "x", "y"}, Names(testModule(), h)); diff != "" {
		t.Error(diff)
	}
}

func TestProgressCountsLaunchesAndBlocks(t *testing.T) {
	p, err := planOf(t, "", "", "kernel fixed", "grid 3")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Progress{Launches: 1}, p.Progress()); diff != "" {
		t.Error(diff)
	}
	mod, err := asm.Parse("k.s", []byte(".entry k() { ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseScript("run.sim", []byte("launch k grid=2\nlaunch k grid=5"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err = NewPlan(mod, l); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Progress{Kernel: "k", Launch: 2, Launches: 2, Done: 5, Total: 5}, p.Progress()); diff != "" {
		t.Error(diff)
	}
}
