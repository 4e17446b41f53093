package programs_test

import "testing"

// TestUsesOfUnwrittenPageLockedMemoryAreFound: page-locked memory that the driver allocates is unwritten until a
// kernel, a call or the host's own stores write it. Copies of it are no uses, and neither is memory that the program
// has registered. The check of streams delays copies, which changes no verdict.
func TestUsesOfUnwrittenPageLockedMemoryAreFound(t *testing.T) {
	cases := []unwrittenCase{
		{"branch", "init-global", "a branch depends on host memory"},
		{"mapped", "init-global", "a branch depends on host memory"},
		{"write-combined", "init-global", "a branch depends on host memory"},
		{"driver", "init-global", "a branch depends on host memory"},
		{"atomic", "init-global", "an atomic operation depends on host memory"},
		{"half", "init-global", "+0x200..0x203, which"},
		{"changed", "init-global", "a result in global memory depends on host memory"},
		{"changed and freed", "init-global", "a result in global memory depends on host memory"},
		{"copied to the device and used", "init-global", "+0x0..0x3, which"},
		{"copied asynchronously and used", "init-global", "+0x0..0x3, which"},
		{"half copied to the device and used", "init-global", "+0x200..0x203, which"},
		{"copied in the host and used", "init-global", "host memory"},
		{"device memory copied out", "init-copy", "1024 bytes of allocation"},
		{"allocated again", "init-global", "a branch depends on host memory"},
		{"changed in the device and copied out", "init-global", "a result in global memory depends on global memory allocation"},
		{"copied to the device", "", ""},
		{"copied in the host", "", ""},
		{"half copied to the device", "", ""},
		{"other half", "", ""},
		{"host", "", ""},
		{"kernel", "", ""},
		{"cudaMemset", "", ""},
		{"results", "", ""},
		{"results asynchronously", "", ""},
		{"ring", "", ""},
		{"read", "", ""},
		{"bytes 0xab", "", ""},
		{"zeros", "", ""},
		{"registered", "", ""},
		{"while the kernel runs", "", ""},
	}
	for _, checks := range []string{"init", "init,stream"} {
		t.Run(checks, func(t *testing.T) { findsUnwritten(t, "testdata/unwritten_pinned.cu", checks, cases) })
	}
}
