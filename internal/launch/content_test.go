package launch

import (
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/memory"
)

// bytesOf returns an INIT's bytes in hexadecimal.
func bytesOf(t *testing.T, l *Layer, text string) string {
	t.Helper()
	c, err := l.parseContent(text)
	if err == nil {
		err = c.measure(memory.NewBudget(0))
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	mem := make([]byte, c.size())
	if err := c.fill(t.Context(), mem); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return hex.EncodeToString(mem)
}

func TestContentBecomesBytes(t *testing.T) {
	for text, want := range map[string]string{
		"zeros:3:u16":             "000000000000",
		"fill:2:s32:-2":           "fefffffffeffffff",
		"fill:2:f32:1.5":          "0000c03f0000c03f",
		"fill:1:bf16:1":           "803f",
		"iota:4:u8":               "00010203",
		"iota:4:u8:254":           "feff0001", // wraps around
		"iota:3:u16:1:-1":         "01000000ffff",
		"iota:3:s64:-1:2":         "ffffffffffffffff01000000000000000300000000000000",
		"iota:3:f32:0:0.5":        "000000000000003f0000803f",
		"iota:2:f16:1":            "003c0040",
		"list:u8:1,2,0xff":        "0102ff",
		"list:s16:-1; 2":          "ffff0200",
		"list:f64:0.1":            "9a9999999999b93f",
		"list:f32:nan,-inf,-0":    "ffffff7f000080ff00000080",
		"rand:2:u64:1234567":      "85fc08fb17d09e59a50f545884f0732c", // see TestRandReference
		"rand:2:u8:1234567":       "592c",
		"rand:2:u32:1234567":      "17d09e5984f0732c",
		"rand:4:s8:1:5:6":         "05050505",
		"rand:1:u8:1234567:0:100": "23", // 0x599e… / 2^64 * 100 = 35.007
	} {
		if got := bytesOf(t, NewFlags(), text); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
}

// TestRandomFloatsStayInLimits checks many values of each type: that they are inside the limits, that their mean is in
// the middle, and the first against a value computed by hand.
func TestRandomFloatsStayInLimits(t *testing.T) {
	for text, limits := range map[string][2]float64{
		"rand:5000:f32:7":              {0, 1},
		"rand:5000:f64:7":              {0, 1},
		"rand:5000:f16:7:-1:1":         {-1, 1},
		"rand:5000:bf16:7:0:1":         {0, 1},
		"rand:5000:f32:7:100:101":      {100, 101},
		"rand:5000:f32:7:-1e30:-1e29":  {-1e30, -1e29},
		"rand:5000:f64:7:1:1.00000001": {1, 1.00000001},
	} {
		c, err := NewFlags().parseContent(text)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := range c.count {
			v := c.elem.float(c.at(i))
			if v < limits[0] || v >= limits[1] {
				t.Fatalf("%s: element %d is %v", text, i, v)
			}
			sum += (v - limits[0]) / (limits[1] - limits[0])
		}
		if mean := sum / float64(c.count); math.Abs(mean-0.5) > 0.03 {
			t.Errorf("%s: the mean is at %v of the range", text, mean)
		}
	}
	c, _ := NewFlags().parseContent("rand:1:f32:1234567")
	// 6457827717110365317 >> 40 = 5873360, and 5873360 / 2^24 is exact.
	if got, want := F32.float(c.at(0)), 5873360.0/(1<<24); got != want {
		t.Errorf("first f32 is %v, want %v", got, want)
	}
}

func TestWrongContentIsExplained(t *testing.T) {
	for text, want := range map[string]string{
		"zeros:4":                   "expected zeros:N:TYPE",
		"zeros:4:u32:1":             "expected zeros:N:TYPE",
		"zeros:0:u32":               "a count is a number from 1",
		"zeros:-1:u32":              "a count is a number from 1",
		"zeros:99999999999999:u32":  "a count is a number from 1",
		"zeros:2000000000:f64":      "a buffer has at most 4294967296",
		"zeros:4:f31":               `no element type "f31"; there are u8, s8`,
		"zeros:4:quux":              "there are u8, s8, u16",
		"fill:4:u32":                "expected fill:N:TYPE:VALUE",
		"fill:4:u8:256":             "takes 0 to 255",
		"iota:4:u8:1:2:3":           "expected iota:",
		"rand:4:f32":                "expected rand:",
		"rand:4:f32:x":              "seed:",
		"rand:4:f32:1:1:1":          "there are none",
		"rand:4:f32:1:nan:1":        "there are none",
		"rand:4:f64:1:-1e308:1e308": "there are none",
		"rand:4:s32:1:3:-3":         "there are none",
		"list:u8":                   "expected list:TYPE",
		"list:u8:":                  "expected list:TYPE",
		"list:u8:1,2,999":           "value 2: 999 is out of range",
		"random:4:f32:1":            `no contents "random"; did you mean rand?`,
		"@":                         "no file name",
		"@x.npy:4":                  "an offset and a length are for files of raw bytes, not for .npy",
	} {
		_, err := NewFlags().parseContent(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestFileContentTakesOffsetAndLength(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a:b.bin") // the name may have colons
	if err := os.WriteFile(path, []byte{0, 1, 2, 3, 4, 5}, 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"@" + path:          "000102030405",
		"@" + path + ":2":   "02030405",
		"@" + path + ":2:3": "020304",
	} {
		if got := bytesOf(t, NewFlags(), text); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
	for suffix, want := range map[string]string{
		":7":   "has no byte 7",
		":6":   "no bytes",
		":4:3": "has 2 bytes from offset 4, not 3",
		":4:0": "no bytes",
		".bin": "no such file",
	} {
		c, err := NewFlags().parseContent("@" + path + suffix)
		if err == nil {
			err = c.measure(memory.NewBudget(0))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", suffix, err, want)
		}
	}
}

// TestHeaderReadsOnlyItsFolder tries to read files outside the folder in several ways.
func TestHeaderReadsOnlyItsFolder(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "src")
	outside := filepath.Join(dir, "secret")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(folder, "data"), 0o777),
		os.WriteFile(outside, []byte("x"), 0o666),
		os.WriteFile(filepath.Join(folder, "data", "in"), []byte{7}, 0o666),
		os.Symlink(outside, filepath.Join(folder, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	l := &Layer{source: header, folder: folder}
	if got := bytesOf(t, l, "@data/in"); got != "07" {
		t.Errorf("@data/in = %s", got)
	}
	for _, path := range []string{"../secret", outside, "data/../../secret", "link"} {
		c, err := l.parseContent("@" + path)
		if err == nil {
			err = c.measure(memory.NewBudget(0))
		}
		if err == nil || !strings.Contains(err.Error(), "outside the source's folder") {
			t.Errorf("@%s: error %v", path, err)
		}
	}
	c, err := l.parseContent("@data")
	if err == nil {
		err = c.measure(memory.NewBudget(0))
	}
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("@data: error %v", err)
	}
}
