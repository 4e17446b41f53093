package jit

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestDisassemblyIsWhatLLVMHas decodes every encoding of LLVM's assembler that Asm makes, and compares the text.
func TestDisassemblyIsWhatLLVMHas(t *testing.T) {
	for text, code := range readEncodings(t) {
		bytes, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(strings.TrimPrefix(text, "{vex3} "), "{vex} ")
		got, size, ok := Disassemble(append(bytes, 0xC3)) // what follows is not the instruction's
		if got != want || size != len(bytes) || !ok {
			t.Errorf("%s: %q of %d bytes, want %q", code, got, size, want)
		}
	}
}

// TestDisassemblyStopsAtData: bytes that are not an instruction of Asm's are not decoded, and none make it panic.
func TestDisassemblyStopsAtData(t *testing.T) {
	for _, code := range []string{"", "0f", "0f0b", "62", "c5", "c4e2", "06", "f6c8", "8d", "48", "c5f8", "c4e27d9000", "c4e278f500", "c4e278f310", "0faef0", "fed0", "c608ff", "f390", "f0c3", "66c3", "8d04250000"} {
		bytes, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		if text, size, ok := Disassemble(bytes); ok || size != 0 {
			t.Errorf("%s: %q of %d bytes", code, text, size)
		}
	}
}

// FuzzDisassemble: no bytes make the decoder panic or read past them.
func FuzzDisassemble(f *testing.F) {
	f.Add([]byte{0x62, 0xf1, 0x7d, 0x48, 0xfe, 0xc1})
	f.Add([]byte{0xc4, 0xe2, 0x69, 0x90, 0x04, 0x88})
	f.Add([]byte{0xc4, 0xe2, 0x7d, 0x90, 0x00})
	f.Fuzz(func(t *testing.T, code []byte) {
		if text, size, ok := Disassemble(code); ok && (size == 0 || size > len(code) || text == "") {
			t.Errorf("%x: %q of %d bytes", code, text, size)
		}
	})
}
