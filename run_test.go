package simtrun_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun"
)

const withHeader = `
//sim:block 4
//sim:arg x = list:u32:1,2,3,4
//sim:arg by = 10
//sim:expect x[0:4] == 10 20 30 40
//sim:expect metric divergent_branches == 0
.entry scale(.param .u64 x, .param .u32 by)
{
	ld.param.u64 %rd1, [x];
	ld.param.u32 %r1, [by];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	mul.lo.u32 %r3, %r3, %r1;
	st.global.u32 [%rd1], %r3;
	ret;
}
`

func TestHeaderDescribesRun(t *testing.T) {
	p, err := simtrun.Load("scale.s", []byte(withHeader))
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(context.Background(), simtrun.RunOptions{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	if out.Passed != 2 || len(out.Failed) != 0 || len(out.Launches) != 1 || out.Launches[0].WarpInstrs != 9 || out.Buffer("y") != nil {
		t.Errorf("%+v", out)
	}
	if diff := cmp.Diff([]uint32{10, 20, 30, 40}, simtrun.Read[uint32](out.Buffer("x"))); diff != "" {
		t.Errorf("x (-want +got):\n%s", diff)
	}
	out, err = p.Run(context.Background(), simtrun.RunOptions{Script: "arg by = 11"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"scale.s:5:14: expect x[0:4] == 10 20 30 40: 4 of 4 elements differ\n  x[0] is 11, not 10\n  x[1] is 22, not 20\n  x[2] is 33, not 30\n  x[3] is 44, not 40"}
	if diff := cmp.Diff(want, out.Failed); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
}

// TestFailedRunHasOutcomeSoFar checks that a run that cannot begin has no outcome, and that a run that faults has the
// outcome up to there.
func TestFailedRunHasOutcomeSoFar(t *testing.T) {
	p, err := simtrun.Load("scale.s", []byte(withHeader))
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"arg z = 1", "nonsense", "arg x = @data.bin", "divergence stack\nsplit 3"} {
		if out, err := p.Run(context.Background(), simtrun.RunOptions{Script: script}); err == nil || out != nil {
			t.Errorf("%s: %v, %v", script, out, err)
		}
	}
	out, err := p.Run(context.Background(), simtrun.RunOptions{Script: "block 8"})
	var fault *simtrun.Fault
	if !errors.As(err, &fault) || fault.Threads.Lanes != 0xf0 || fault.Access.Buffer != "x" || fault.Access.Offset != 16 || len(out.Launches) != 1 || out.Buffer("x") == nil {
		t.Errorf("%+v, %+v", out, err)
	}
}

// TestRunReadsItsFolder checks that a header can read only below the folder of its file, and nothing if it has no
// folder.
func TestRunReadsItsFolder(t *testing.T) {
	dir := t.TempDir()
	src := strings.Replace(withHeader, "list:u32:1,2,3,4", "@data.bin", 1)
	for name, text := range map[string]string{"scale.s": src, "data.bin": "\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := simtrun.LoadFiles(filepath.Join(dir, "scale.s"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := p.Run(context.Background(), simtrun.RunOptions{}); err != nil || out.Passed != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	for _, load := range []func() (*simtrun.Program, error){
		func() (*simtrun.Program, error) { return simtrun.Load("scale.s", []byte(src)) },
		func() (*simtrun.Program, error) { return simtrun.LoadFS(os.DirFS(dir), "scale.s") },
	} {
		p, err := load()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(context.Background(), simtrun.RunOptions{}); err == nil || !strings.Contains(err.Error(), "cannot read files") {
			t.Errorf("a header in no folder: %v", err)
		}
	}
}
