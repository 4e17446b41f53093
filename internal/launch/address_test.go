package launch

import (
	"context"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

const placed = `
.global .u32 first = 1;
.const .u32 c = 2;
.global .u64 pointer = f;
.func f();
.func f() { ret; }
.func g() { ret; }
.entry k(.param .u64 p) { ret; }
`

// TestAddressDirectivesPlaceObjects checks that buffers, variables and functions are at the addresses in directives,
// and others elsewhere, where there is room; a variable that is set to zeros is zero.
func TestAddressDirectivesPlaceObjects(t *testing.T) {
	src := placed + `
//sim:buffer  b = list:u32:7,8
//sim:buffer  other = zeros:4:u8
//sim:arg     p = b
//sim:symbol  first = zeros:1:u32
//sim:address b = 0x7f0000000020
//sim:address first = 0x110000000
//sim:address c = 0x8000100
//sim:address f = 0x5000100
`
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	header, err := ParseHeader("k.s", "", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(mod, header)
	if err != nil {
		t.Fatal(err)
	}
	ready, err := p.Prepare(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[string]uint64)
	for _, b := range ready.Buffers {
		at[b.Name] = b.Base
		switch b.Name {
		case "pointer":
			if b.Data[0] != 0 || b.Data[1] != 1 || b.Data[3] != 5 {
				t.Errorf("the address of f is %x", b.Data)
			}
		case "first":
			if b.Data[0] != 0 {
				t.Error("first is not zero")
			}
		}
	}
	if at["b"] != 0x7f0000000020 || at["first"] != 0x110000000 || at["c"] != 0x8000100 || at["other"] == 0 {
		t.Errorf("%x", at)
	}
}

// TestUnusableAddressesAreRefused checks the errors for addresses that cannot be used.
func TestUnusableAddressesAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"address b = here":                                     `"here" is not an address`,
		"address nothing = 0x110000000":                        "no buffer nothing",
		"address first = 0x110000000 heap":                     "first is not a buffer",
		"address b = 0x110000001":                              "is not a multiple of 16",
		"address c = 0x110000000":                              "is not within the memory for it",
		"address f = 0x5000101":                                "cannot be the address of a function",
		"address first = 0x110000000\naddress b = 0x110000000": "overlaps first",
		"address b = 0x110000000\naddress b = 0x110000000":     "address b is at",
	} {
		_, err := func() (*Prepared, error) {
			mod, err := asm.Parse("k.s", []byte(placed))
			if err != nil {
				t.Fatal(err)
			}
			script, err := ParseScript("s", []byte("buffer b = zeros:2:u32\narg p = b\n"+line), nil)
			if err != nil {
				return nil, err
			}
			p, err := NewPlan(mod, script)
			if err != nil {
				return nil, err
			}
			return p.Prepare(context.Background())
		}()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
