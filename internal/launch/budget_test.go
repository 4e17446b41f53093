package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/memory"
)

// allocated returns how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestExpectationsHoldNothing checks that expected contents are generated, or read, in pieces.
func TestExpectationsHoldNothing(t *testing.T) {
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "zeros.bin")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, size)
	bytes := allocated(func() {
		p, err := planOf(t, kArgs, "buffer b = zeros:67108864:u8\nexpect b == fill:67108864:u8:0 type=u16\nexpect b == @"+path+"\nsymbol table = zeros:4:s16")
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.expects {
			if f := failureOf(t, &p.expects[i], mem); f != nil {
				t.Errorf("%+v", f)
			}
		}
	})
	if bytes > 8<<20 {
		t.Errorf("%d bytes were allocated for contents of %d", bytes, size)
	}
}

// TestFilesAreMeasured checks that a file of the wrong size is refused without being read.
func TestFilesAreMeasured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse.bin")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 3<<30); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"buffer b = zeros:4:u32\nexpect b == @" + path:                      "16 bytes of b are compared with 3221225472",
		"symbol table = @" + path:                                           "3221225472 bytes; table has 8",
		"symbol table = bytes:@" + path:                                     "3221225472 bytes; table has 8",
		"arg agg = bytes:@" + path:                                          "3221225472 bytes; parameter agg, .b8[16], has 16",
		"memory 1G\nbuffer b = @" + path:                                    "buffer b needs 3221225472 bytes of host memory, but only 1073741824 of --memory 1G are left",
		"memory 100M\nbuffer b = zeros:60:u8\nbuffer c = zeros:99999970:u8": "",
	} {
		var err error
		bytes := allocated(func() { _, err = planOf(t, kArgs, script) })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
		if bytes > 8<<20 {
			t.Errorf("%s: %d bytes were allocated", script, bytes)
		}
	}
}

// TestPiecesCompareAcrossTypes compares 8-byte elements with 2-byte ones over several pieces. One element on each side
// of a boundary differs.
func TestPiecesCompareAcrossTypes(t *testing.T) {
	p, err := planOf(t, kArgs, "buffer b = iota:100000:u64\nexpect b == iota:100000:u64 type=u16")
	if err != nil {
		t.Fatal(err)
	}
	mem := make([]byte, 800000)
	for i := range 100000 {
		U64.store(mem[8*i:], uint64(i))
	}
	e := &p.expects[0]
	if f := failureOf(t, e, mem); f != nil {
		t.Errorf("%+v", f)
	}
	mem[partSize-2], mem[partSize] = 7, 7
	const border = partSize / 2 // element of 2 bytes; its value is partSize/8, 0x8000
	want := []Mismatch{{"b", border - 1, "7", "0"}, {"b", border, "32775", "32768"}}
	if diff := cmp.Diff(want, failureOf(t, e, mem).Mismatches); diff != "" {
		t.Error(diff)
	}
}

func TestSizesParseWithUnits(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4000000": 4000000, "512M": 512 << 20, "16G": 16 << 30, "16GiB": 16 << 30, "2kb": 2048, "1T": 1 << 40, "7B": 7,
		"": 0, "G": 0, "0": 0, "-1": 0, "12Q": 0, "1GG": 0, "1iB": 0, "9999999T": 0, "1.5G": 0,
	} {
		got, err := ParseSize(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s = %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestPrintedTextKeepsToBudget checks that text is kept until the budget is used up.
func TestPrintedTextKeepsToBudget(t *testing.T) {
	p := &Printed{budget: memory.NewBudget(3 * printedChunk)}
	text := strings.Repeat("0123456789", printedChunk/4)
	n, err := p.Write([]byte(text))
	if n != len(text) || err != nil || p.String() != text {
		t.Fatalf("%d bytes of %d, %v", n, len(text), err)
	}
	if n, err := p.Write([]byte(text)); err == nil || p.String() != text+text[:n] {
		t.Errorf("%d more bytes fit, %v", n, err)
	}
}
