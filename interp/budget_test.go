package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// manyRegisters is a function that calls itself without end and uses all its registers after the call.
func manyRegisters() string {
	var b strings.Builder
	b.WriteString(".func f(.reg .u32 a) {\n\t.reg .u32 %x<60>;\n")
	for i := range 60 {
		fmt.Fprintf(&b, "\tadd.u32 %%x%d, a, %d;\n", i, i)
	}
	b.WriteString("\tcall f, (%x3);\n")
	for i := range 60 {
		fmt.Fprintf(&b, "\tadd.u32 a, a, %%x%d;\n", i)
	}
	return b.String() + "\tret;\n}\n.entry k() { call f, (1); ret; }"
}

// TestEndlessRecursionIsFound: all resident warps recurse concurrently; the recursion is found when their frames take a
// quarter of the budget. A frame has at least 32 lanes of 61 registers of 4 bytes: 7808 bytes.
func TestEndlessRecursionIsFound(t *testing.T) {
	budget := memory.NewBudget(256 << 20)
	_, _, err := kerneltest.Kernel{Source: manyRegisters(), Grid: kerneltest.Dim(264, 1), Block: kerneltest.Dim(256, 1), Config: interp.Config{Budget: budget}}.Run(t)
	var fault *interp.Fault
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "call stack overflow") || !strings.Contains(err.Error(), "a quarter of --memory") {
		t.Fatalf("%v", err)
	}
	if taken := budget.Taken(); taken != 0 {
		t.Errorf("%d bytes are still taken after the launch", taken)
	}
}

// TestCallParametersCountTowardsLimit: 512 KB of a thread hold 128 activations with 4096 bytes of .param variables
// each; the kernel's has none.
func TestCallParametersCountTowardsLimit(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: `
.func f() { .param .b8 x[4096]; st.param.b8 [x], 1; call f; ret; }
.entry k() { call f; ret; }`}.Run(t)
	if want := "call stack overflow: 129 calls are open, with 0 bytes of local memory and 524288 of parameters; f takes 0 and 4096 more, of the 524288 bytes that a thread has"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestTooLargeLaunchIsRefused: the minimum memory of a launch is known before it starts.
func TestTooLargeLaunchIsRefused(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		memory    int64
	}{
		{".entry k() { .param .b8 x[1099511627776]; ret; }", "1099511627776 bytes of .param variables per thread, at most 524288", 0},
		{".entry k() { .param .b8 x[1099511627776]; .param .b8 y[1099511627776]; ret; }", "2199023255552 bytes of .param", 0},
		{".entry k() { .local .b8 x[400000]; ret; }", "k: a resident block needs 12804816 bytes of host memory", 8 << 20}, // 12.8 MB for 32 threads
		{".entry k() { .param .b8 x[400000]; ret; }", "but only 2097152 of --memory 8M are left", 8 << 20},
	} {
		_, _, err := kerneltest.Kernel{Source: tt.src, Config: interp.Config{Budget: memory.NewBudget(tt.memory)}}.Run(t)
		var refused *interp.LaunchError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.src, err, tt.want)
		}
	}
}

// TestLaunchesGiveBack: memory that a launch takes is available to the next.
func TestLaunchesGiveBack(t *testing.T) {
	budget := memory.NewBudget(64 << 20)
	k := kerneltest.Kernel{Source: ".entry k() { .local .b8 x[100000]; ret; }", Grid: kerneltest.Dim(100, 1), Config: interp.Config{Budget: budget}}
	for range 20 {
		if _, _, err := k.Run(t); err != nil || budget.Taken() != 0 {
			t.Fatalf("%v, %d bytes taken", err, budget.Taken())
		}
	}
}

// TestEmptyMallocTakesMemory: every block takes at least 16 of the heap's 8 MiB, so that 32 lanes get 16384 blocks
// each.
func TestEmptyMallocTakesMemory(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/budget.txt", "malloc of nothing"), Words: []int{32}}.Want(t, func(int) uint32 { return 16384 })
}

// largest records the largest piece that was written.
type largest struct{ piece, total int }

func (l *largest) Write(text []byte) (int, error) {
	l.piece, l.total = max(l.piece, len(text)), l.total+len(text)
	return len(text), nil
}

// TestPrintfHoldsOnlyPieces: 1000 times %9999d are 10 MB, which are never held at once.
func TestPrintfHoldsOnlyPieces(t *testing.T) {
	format := strings.Repeat("37,57,57,57,57,100,", 1000) // %9999d
	var out largest
	_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/budget.txt", "printf in pieces", "$format", format), Block: kerneltest.Dim(1, 1), Config: interp.Config{Stdout: &out}}.Run(t)
	if err != nil || out.total != 1000*9999 || out.piece > 128<<10 {
		t.Errorf("%v; %d bytes, in pieces of up to %d", err, out.total, out.piece)
	}
}
