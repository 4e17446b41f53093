package evaluate

import (
	"encoding/hex"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// inert places code, given in hexadecimal digits, in memory that is not executable.
func inert(t *testing.T, code string) uintptr {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	c, err := jit.NewInert(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.Addr(0)
}

// TestEnterPassesContext: code finds the context in RDI and R9, calls, jumps, and returns RAX.
func TestEnterPassesContext(t *testing.T) {
	context := [2]uint64{40, 0}
	for name, code := range map[string]string{
		"calls and returns":           "e801000000 c3 b82a000000 c3",                      // call +1; ret; mov eax, 42; ret
		"context in RDI":              "488b07 4883c002 c3",                               // mov rax, [rdi]; add rax, 2; ret
		"context in R9":               "498b01 4883c002 c3",                               // mov rax, [r9]; add rax, 2; ret
		"stores":                      "49c741082a000000 498b4108 c3",                     // mov qword ptr [r9 + 8], 42; mov rax, [r9 + 8]; ret
		"jumps if equal":              "b82a000000 39c0 0f8401000000 cc c3",               // mov eax, 42; cmp eax, eax; je +1; int3; ret
		"does not jump if not":        "b82a000000 85c0 0f8401000000 c3 cc",               // mov eax, 42; test eax, eax; je +1; ret; int3
		"reads constants of the code": "488b0501000000 c3 2a00000000000000",               // mov rax, [rip + 1]; ret
		"jumps to an address":         "488d0509000000 ffe0 cccccccccccccc b82a000000 c3", // lea rax, [rip + 9]; jmp rax; …; mov eax, 42; ret
	} {
		var c CPU
		if status, err := c.Enter(inert(t, code), unsafe.Pointer(&context)); status != 42 || err != nil {
			t.Errorf("%s: %d, %v, want 42", name, status, err)
		}
	}
}

// TestForbiddenCodeIsRefused: what code must not do is an error that says where it is.
func TestForbiddenCodeIsRefused(t *testing.T) {
	context := [16]uint64{0: 0x5f80, 1: 0x1f00}
	for _, test := range []struct{ name, code, want string }{
		{"breakpoint", "cc", "int3 at 0x*: breakpoint"},
		{"not of the encoder", "0f0b", "no instruction of the encoder's"},
		{"not evaluated", "c5f853c0", "vrcpps xmm0, xmm0 is not evaluated"},
		{"wild load", "31c0 8b00 c3", "mov eax, dword ptr [rax + 0] at 0x*: no memory at 0x0"},
		{"wild store", "31c0 894008 c3", "mov dword ptr [rax + 8], eax at 0x*: no memory at 0x8"},
		{"wild jump", "b808000000 ffe0", "no code at 0x8"},
		{"deep stack", "e8fbffffff", "call -5 at 0x*: the stack has 64 bytes"},
		{"return without a return address", "4883c408 c3", "ret at 0x*: the stack has 64 bytes"},
		{"other MXCSR", "410fae11 c3", "returns with MXCSR 0x5f80"},
		{"exceptions", "410fae5104 c3", "MXCSR 0x0 does not mask all exceptions"},
		{"wide vectors", "c5fd6fc8 c3", "returns without VZEROUPPER"},
		{"vectors that are not aligned", "c4c17d6f4904 c3", "32 bytes at 0x*, which is not a multiple of that"},
		{"division", "31c9 f7f1 c3", "div ecx at 0x*: divide error"},
		{"atomic access that is not aligned", "f0 410fc14101 c3", "which is not a multiple of that"},
	} {
		var c CPU
		_, err := c.Enter(inert(t, test.code), unsafe.Pointer(&context))
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		before, after, any := strings.Cut(test.want, "*")
		if got := err.Error(); !strings.Contains(got, before) || any && !strings.HasSuffix(got, after) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestMaskedAccessLeavesOtherElements: elements that the mask does not select may be where no memory is.
func TestMaskedAccessLeavesOtherElements(t *testing.T) {
	for name, access := range map[string]string{
		"load":    "62f17e4a6f08",   // vmovdqu32 zmm1 {k2}, [rax]
		"store":   "62f17e4a7f08",   // vmovdqu32 [rax] {k2}, zmm1
		"add":     "62f1754afe08",   // vpaddd zmm1 {k2}, zmm1, [rax]
		"gather":  "62f27d4a900c10", // vpgatherdd zmm1 {k2}, [rax + zmm2*1]
		"scatter": "62f27d4aa00c10", // vpscatterdd [rax + zmm2*1] {k2}, zmm1
	} {
		for _, masked := range []bool{true, false} {
			none := "c5ec47d2" // kxorw k2, k2, k2
			if !masked {
				none = "c5ec46d2" // kxnorw k2, k2, k2
			}
			var c CPU
			_, err := c.Enter(inert(t, "31c0"+none+access+"c5f877 c3"), nil)
			if (err == nil) != masked {
				t.Errorf("%s, masked: %t: %v", name, masked, err)
			}
		}
	}
}

// TestAccessesOutsideRegionsFail: an access that is not within one region is an error.
func TestAccessesOutsideRegionsFail(t *testing.T) {
	var memory [4]uint64
	all := unsafe.Pointer(&memory)
	at := uintptr(all)
	for _, test := range []struct {
		code string
		ok   bool
	}{
		{"498b4108 c3", true},           // mov rax, [r9 + 8]
		{"498b4109 c3", false},          // mov rax, [r9 + 9]
		{"498b41ff c3", false},          // mov rax, [r9 - 1]
		{"49894108 c3", true},           // mov [r9 + 8], rax
		{"49894110 c3", false},          // mov [r9 + 16], rax, where code only reads
		{"498b4110 c3", true},           // mov rax, [r9 + 16]
		{"f0490fc14110 c3", false},      // lock xadd [r9 + 16], rax
		{"c4c17a6f01 c3", true},         // vmovdqu xmm0, [r9]
		{"c4c17a6f4901 c3", false},      // vmovdqu xmm1, [r9 + 1]
		{"c4c17e6f01 c5f877 c3", false}, // vmovdqu ymm0, [r9]
	} {
		c := CPU{Regions: []Region{{at, 16, false}, {at + 16, 8, true}}}
		if _, err := c.Enter(inert(t, test.code), all); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.code, err)
		}
	}
}

// TestLockedAccessesAreAtomic: LOCK makes an access one step for other threads.
func TestLockedAccessesAreAtomic(t *testing.T) {
	const each = 10000
	var sum struct{ bytes, words, longs uint64 }
	for _, test := range []struct {
		code string // lock xadd [r9], …; ret
		sum  *uint64
		want uint64
	}{
		{"b801000000 f0410fc001 c3", &sum.bytes, 4 * each & 0xff},
		{"b801000000 f0410fc101 c3", &sum.words, 4 * each},
		{"b801000000 f0490fc101 c3", &sum.longs, 4 * each},
	} {
		at := inert(t, test.code)
		var threads sync.WaitGroup
		for range 4 {
			threads.Go(func() {
				var c CPU
				for range each {
					if _, err := c.Enter(at, unsafe.Pointer(test.sum)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		threads.Wait()
		if *test.sum != test.want {
			t.Errorf("%s: %d, want %d", test.code, *test.sum, test.want)
		}
	}
}
