package main

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"
)

// TestFramesHaveOffsets: a frame has the offset in its function or, if the file has no symbols, the offset in the file.
func TestFramesHaveOffsets(t *testing.T) {
	with := &loaded{file: "libwith.so", symbols: []elf.Symbol{{Name: "f", Value: 0x1000, Size: 0x20}}}
	without := filepath.Join(t.TempDir(), "libwithout.so")
	if err := os.WriteFile(without, []byte("no ELF file"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in     *loaded
		at     uintptr // the byte before the return address
		name   string
		offset uint64
	}{
		{with, 0x100f, "f", 0x10},
		{with, 0x0fff, "", 0x1000},
		{with, 0x1020, "", 0x1021},
		{openBinary(without), 0x7b11, "", 0x7b12},
	} {
		if all := c.in.frames(c.at); len(all) != 1 || all[0].name != c.name || all[0].offset != c.offset || all[0].binary != c.in.file {
			t.Errorf("%s at %#x: %+v, want one frame of %q at %#x", c.in.file, c.at, all, c.name, c.offset)
		}
	}
}
