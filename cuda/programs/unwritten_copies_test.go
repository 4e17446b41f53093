package programs_test

import "testing"

// TestCopiesOfUnwrittenMemoryAreFound: a copy to the host is a finding if it has no written byte. Copies of memory of
// which a part was written are none, and neither are those of results that another rule names.
func TestCopiesOfUnwrittenMemoryAreFound(t *testing.T) {
	findsUnwritten(t, "testdata/unwritten_copies.cu", "init", []unwrittenCase{
		{"other buffer", "init-copy", "1024 bytes of allocation 3"},
		{"failed launch", "init-copy", "1024 bytes of allocation 3"},
		{"asynchronous", "init-copy", "1020 bytes of allocation 2"},
		{"box", "init-copy", "256 bytes of allocation 2"},
		{"copied within the device", "init-copy", "1024 bytes of allocation 2"},
		{"rest of a buffer", "init-copy", "512 bytes of allocation 2"},
		{"changed in place", "init-global", ""},
		{"padding", "", ""},
		{"selected elements", "", ""},
		{"interior", "", ""},
		{"fill", "", ""},
		{"nothing", "", ""},
	})
}
