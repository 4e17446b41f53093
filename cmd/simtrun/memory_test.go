package main

import (
	"bytes"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestMemoryLimitIsKept checks that memory beyond --memory is refused, before the launch or during it.
func TestMemoryLimitIsKept(t *testing.T) {
	short.Skip(t)
	loud := kernelText(t, "memory_limit_loud.s")
	for _, tt := range []struct {
		src, want string
		args      []string
	}{
		{".global .b8 x[1000000];\n.entry k() { ret; }", "x needs 1000256 bytes of host memory, but only 921600 of --memory 900K are left [host-memory]", []string{"--memory", "900K"}},
		{".entry k(.param .u64 p) { ret; }", "buffer p needs 1000000 bytes of host memory", []string{"--memory", "900K", "--arg", "p=zeros:1000000:u8"}},
		{loud, "the output of kernels needs", []string{"--memory", "20M", "--json"}},
	} {
		got := simtrun(t, tt.src, append([]string{"FILE"}, tt.args...)...)
		if got.code != 2 || !bytes.Contains([]byte(got.stderr), []byte(tt.want)) {
			t.Errorf("%v: exit %d, %s; want %q", tt.args, got.code, got.stderr, tt.want)
		}
	}
	if got := simtrun(t, loud, "FILE", "--memory", "20M", "-q"); got.code != 0 || len(got.stdout) != 32*999999 {
		t.Errorf("exit %d, %d bytes printed; nothing of them is kept", got.code, len(got.stdout))
	}
}
