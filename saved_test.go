package simtrun_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
)

// replay runs a saved launch.
func replay(t *testing.T, folder string) (*simtrun.Outcome, error) {
	t.Helper()
	p, err := simtrun.LoadFiles(filepath.Join(folder, "kernel.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(context.Background(), simtrun.RunOptions{})
}

// TestSavedLaunchRunsAgain checks that a saved launch has the same result when it runs again: with variables that
// earlier launches changed, a function's address in memory, and a buffer whose address is in another buffer, all at
// their original addresses.
func TestSavedLaunchRunsAgain(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	loadInto(t, mem, fmt.Sprintf(addTo, 3)) // so that addresses differ from those of the first module
	m := loadInto(t, mem, fmt.Sprintf(addTo, 50)+`
.entry through(.param .u64 table)
{
	ld.param.u64 %rd1, [table];
	ld.global.u64 %rd2, [%rd1];     // sum
	ld.global.u64 %rd3, [%rd2+8];   // what k has left there
	call (%r1), %rd3, (), P;
	st.global.u32 [%rd2+4], %r1;
	ld.global.u32 %r2, [mine];
	st.global.u32 [%rd2], %r2;
	st.global.u64 [%rd1+8], %rd2;
	ret;
P:	.callprototype (.reg .u32 r) _ ();
}
`)
	if _, err := mem.Alloc("not reached", 64); err != nil {
		t.Fatal(err)
	}
	sum, _ := mem.Alloc("a sum", 16)
	table, err := mem.Alloc("table", 18)
	if err != nil {
		t.Fatal(err)
	}
	run(t, m, simtrun.Launch{Kernel: "k", Args: []any{sum}})
	binary.LittleEndian.PutUint64(table.Bytes(), sum.Addr())
	saves, err := simtrun.NewSaves(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := simtrun.Launch{Kernel: "through", Args: []any{table}}
	saved, err := m.Save(saves, l)
	if err != nil {
		t.Fatal(err)
	}
	run(t, m, l)
	if err := saved.End(nil); err != nil {
		t.Fatal(err)
	}
	out, err := replay(t, saved.Folder())
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Failed) > 0 || out.Passed != 2 { // sum and table
		t.Error(out.Passed, out.Failed)
	}
	if b := out.Buffer("a_sum"); b == nil || b.Addr() != sum.Addr() {
		t.Error("a sum is elsewhere")
	}
	if b := out.Buffer("not_reached"); b != nil {
		t.Error("saved is what the kernel cannot reach")
	}
	// The expectations cover what the launch changed, and nothing else.
	files, _ := filepath.Glob(filepath.Join(saved.Folder(), "*sum.after.bin"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	os.Chmod(files[0], 0o666)
	if err := os.WriteFile(files[0], make([]byte, 16), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := replay(t, saved.Folder()); err != nil || len(out.Failed) != 1 {
		t.Error(err, out.Failed)
	}
}

// TestSavedFailureFailsAgain checks that a launch that failed fails again.
func TestSavedFailureFailsAgain(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, ".entry k(.param .u64 p) { ld.param.u64 %rd1, [p]; st.global.u32 [%rd1+1024], 1; ret; }\n//sim:grid 77\n")
	small, err := mem.Alloc("small", 4)
	if err != nil {
		t.Fatal(err)
	}
	saves, err := simtrun.NewSaves(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := simtrun.Launch{Kernel: "k", Grid: simtrun.Dim{X: 2}, Args: []any{small}}
	saved, err := m.Save(saves, l)
	if err != nil {
		t.Fatal(err)
	}
	_, failed := m.Launch(context.Background(), l)
	if failed == nil {
		t.Fatal("no fault")
	}
	if err := saved.End(failed); err != nil {
		t.Fatal(err)
	}
	_, err = replay(t, saved.Folder())
	if err == nil || !strings.Contains(err.Error(), "small") {
		t.Error(err)
	}
}

// TestSavedLaunchStaysCooperative checks that a saved cooperative launch is cooperative when it runs again.
func TestSavedLaunchStaysCooperative(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, `
.entry k(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %envreg1;
	mov.u32 %r2, %envreg2;
	or.b32 %r1, %r1, %r2;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 trap;
	st.global.u32 [%rd1], 1;
	ret;
}
`)
	out, err := mem.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	saves, err := simtrun.NewSaves(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := simtrun.Launch{Kernel: "k", Cooperative: true, Args: []any{out}}
	saved, err := m.Save(saves, l)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Launch(t.Context(), l)
	if err := saved.End(err); err != nil {
		t.Fatal(err)
	}
	if o, err := replay(t, saved.Folder()); err != nil || len(o.Failed) > 0 {
		t.Errorf("the launch failed when it ran again: %v, %+v", err, o)
	}
}

// TestSaveRefusesTextures checks that Save refuses a launch that may use textures.
func TestSaveRefusesTextures(t *testing.T) {
	mem := newMemory(t, simtrun.Options{})
	m := loadInto(t, mem, ".global .texref colours;\n.entry k() { ret; }\n")
	saves, err := simtrun.NewSaves(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Save(saves, simtrun.Launch{Kernel: "k"}); err == nil || !strings.Contains(err.Error(), "textures") {
		t.Error(err)
	}
}
