package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/simtrun/simtrun/cuda"
)

// testEntry is an entry of a fat binary in tests.
type testEntry struct {
	kind  uint16
	arch  uint32
	flags uint64 // fatbinFlagLZ4 or fatbinFlagZstd compresses
	data  string
}

// writeFatbin writes a fat binary byte by byte, without the reader's types.
func writeFatbin(t testing.TB, entries ...testEntry) []byte {
	var body []byte
	le := binary.LittleEndian
	for _, e := range entries {
		data, compressed, decompressed := []byte(e.data), 0, 0
		switch e.flags {
		case fatbinFlagLZ4:
			to := make([]byte, lz4.CompressBlockBound(len(data)))
			n, err := lz4.CompressBlock(data, to, nil)
			if err != nil || n == 0 {
				t.Fatalf("lz4: %d bytes, %v", n, err)
			}
			compressed, decompressed, data = n, len(data), to[:n]
		case fatbinFlagZstd:
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			decompressed = len(data)
			data = w.EncodeAll(data, nil)
			compressed = len(data)
		}
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		body = le.AppendUint16(body, e.kind)
		body = le.AppendUint16(body, 0x101)
		body = le.AppendUint32(body, 72) // of the header: 64 and a name
		body = le.AppendUint64(body, uint64(len(data)))
		body = le.AppendUint32(body, uint32(compressed))
		body = le.AppendUint32(body, 0)
		body = le.AppendUint16(body, 0)
		body = le.AppendUint16(body, 8)
		body = le.AppendUint32(body, e.arch)
		body = le.AppendUint32(body, 64)
		body = le.AppendUint32(body, 4)
		body = le.AppendUint64(body, e.flags)
		body = le.AppendUint64(body, 0)
		body = le.AppendUint64(body, uint64(decompressed))
		body = append(body, "a.cu\x00\x00\x00\x00"...)
		body = append(body, data...)
	}
	var all []byte
	all = le.AppendUint32(all, fatbinMagic)
	all = le.AppendUint16(all, 1)
	all = le.AppendUint16(all, 16)
	all = le.AppendUint64(all, uint64(len(body)))
	return append(all, body...)
}

// somePTX returns a compressible text that contains its target.
func somePTX(arch int) string {
	return fmt.Sprintf(".version 8.0\n.target sm_%d\n.address_size 64\n", arch) + strings.Repeat("// a line that says the same\n", 30)
}

// ownPTX returns somePTX for an architecture-specific target.
func ownPTX(arch int) string {
	target := fmt.Sprintf("sm_%d", arch)
	return strings.Replace(somePTX(arch), target, target+"a", 1)
}

const cubin = "\x7fELF, and so on and on"

var fatbins = []struct {
	name    string
	entries []testEntry
	want    string // "" for an error
	err     string
}{
	{"plain", []testEntry{{1, 90, 0, somePTX(90)}}, somePTX(90), ""},
	{"ends with NUL", []testEntry{{1, 90, 0, somePTX(90) + "\x00\x00"}}, somePTX(90), ""},
	{"LZ4", []testEntry{{1, 90, fatbinFlagLZ4, somePTX(90) + "\x00"}}, somePTX(90), ""},
	{"zstd", []testEntry{{1, 90, fatbinFlagZstd, somePTX(90) + "\x00"}}, somePTX(90), ""},
	{"highest", []testEntry{{1, 50, 0, somePTX(50)}, {2, 100, 0, cubin}, {1, 90, fatbinFlagLZ4, somePTX(90)}, {1, 75, fatbinFlagZstd, somePTX(75)}}, somePTX(90), ""},
	{"of a kind that is not known", []testEntry{{77, 200, 0, "what is this"}, {1, 52, 0, somePTX(52)}}, somePTX(52), ""},
	{"newer than the GPU", []testEntry{{1, 100, 0, somePTX(100)}, {1, 80, 0, somePTX(80)}, {1, 120, 0, somePTX(120)}}, somePTX(80), ""},
	{"newer than the GPU alone", []testEntry{{1, 100, 0, somePTX(100)}, {2, 90, 0, cubin}}, "", "PTX for sm_[100] alone"},
	{"for this GPU alone goes before others", []testEntry{{1, 90, 0, somePTX(90)}, {1, 90, 0, ownPTX(90)}, {1, 80, 0, somePTX(80)}}, ownPTX(90), ""},
	{"for this GPU alone, in the other order", []testEntry{{1, 90, 0, ownPTX(90)}, {1, 90, 0, somePTX(90)}}, ownPTX(90), ""},
	{"for another GPU alone", []testEntry{{1, 89, 0, ownPTX(89)}, {1, 80, 0, somePTX(80)}, {1, 75, 0, somePTX(75)}}, somePTX(80), ""},
	{"machine code alone", []testEntry{{2, 80, 0, cubin}, {2, 90, 0, cubin}}, "", "machine code for [80 90]"},
	{"nothing", nil, "", "no PTX"},
}

func TestFatbinGivesBestImage(t *testing.T) {
	for _, test := range fatbins {
		t.Run(test.name, func(t *testing.T) {
			all := writeFatbin(t, test.entries...)
			check := func(how string, text []byte, err error) {
				t.Helper()
				if string(text) != test.want || (err != nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Errorf("%s: %q, %v; want %q, %s", how, text, err, test.want, test.err)
				}
				if _, is := errors.AsType[noBinary](err); err != nil && !is {
					t.Errorf("%s: %v is not known for an image without PTX", how, err)
				}
			}
			text, err := readFatbin(all, 90)
			check("alone", text, err)
			text, err = readFatbin(append(slices.Clone(all), "what lies behind it"...), 90)
			check("with bytes behind it", text, err)

			// Programs pass the fat binary, or a wrapper that points to it.
			text, err = ptxOf(unsafe.Pointer(unsafe.SliceData(all)), 90)
			check("its address", text, err)
			wrapper := struct {
				magic, version uint32
				data, file     unsafe.Pointer
			}{magic: wrapperMagic, version: 1, data: unsafe.Pointer(unsafe.SliceData(all))}
			text, err = ptxOf(unsafe.Pointer(&wrapper), 90)
			check("a wrapper", text, err)
			runtime.KeepAlive(all)
		})
	}
}

// TestCutFatbinsAreRefused truncates fat binaries at each byte.
func TestCutFatbinsAreRefused(t *testing.T) {
	for _, test := range fatbins {
		all := writeFatbin(t, test.entries...)
		for n := range all {
			if text, err := readFatbin(slices.Clip(all[:n]), 90); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %q", test.name, n, len(all), text)
			}
		}
	}
}

// TestInvalidFatbinsAreRefused sets fields of a header to invalid values.
func TestInvalidFatbinsAreRefused(t *testing.T) {
	const header, entry = 0, 16
	for _, test := range []struct {
		name  string
		flags uint64
		at    int
		size  int
		value uint64
	}{
		{"no header", 0, header + 6, 2, 0},
		{"header too short", 0, header + 6, 2, 15},
		{"header past the end", 0, header + 6, 2, 0xffff},
		{"bytes past the end", 0, header + 8, 8, 1 << 40},
		{"all bytes", 0, header + 8, 8, 1<<64 - 1},
		{"entry without a header", 0, entry + 4, 4, 0},
		{"entry's header too short", 0, entry + 4, 4, 63},
		{"entry's header past the end", 0, entry + 4, 4, 1<<32 - 1},
		{"data past the end", 0, entry + 8, 8, 1 << 20},
		{"data that overflow", 0, entry + 8, 8, 1<<64 - 8},
		{"data of the next entry missing", 0, entry + 8, 8, 8},
		{"LZ4 of more bytes than there are", fatbinFlagLZ4, entry + 16, 4, 1 << 20},
		{"LZ4 of fewer bytes", fatbinFlagLZ4, entry + 16, 4, 20},
		{"LZ4 of no bytes", fatbinFlagLZ4, entry + 16, 4, 0},
		{"LZ4 to fewer bytes", fatbinFlagLZ4, entry + 56, 8, 20},
		{"LZ4 to more bytes", fatbinFlagLZ4, entry + 56, 8, 2000},
		{"LZ4 to far too many bytes", fatbinFlagLZ4, entry + 56, 8, 1 << 29},
		{"LZ4 to all bytes", fatbinFlagLZ4, entry + 56, 8, 1<<64 - 1},
		{"zstd of fewer bytes", fatbinFlagZstd, entry + 16, 4, 20},
		{"zstd of no bytes", fatbinFlagZstd, entry + 16, 4, 0},
		{"zstd to fewer bytes", fatbinFlagZstd, entry + 56, 8, 20},
		{"zstd to more bytes", fatbinFlagZstd, entry + 56, 8, 1 << 29},
	} {
		all := writeFatbin(t, testEntry{fatbinKindPTX, 90, test.flags, somePTX(90)})
		var value [8]byte
		binary.LittleEndian.PutUint64(value[:], test.value)
		copy(all[test.at:][:test.size], value[:])
		if text, err := readFatbin(all, 90); err == nil {
			t.Errorf("%s: %q", test.name, text)
		}
	}
}

// TestForeignImagesAreRefused checks the errors for images that are not fat binaries.
func TestForeignImagesAreRefused(t *testing.T) {
	for _, test := range []struct{ image, want, err string }{
		{somePTX(90), somePTX(90), ""},
		{"\n// a comment\n" + somePTX(90), "\n// a comment\n" + somePTX(90), ""},
		{"\x7fELF\x02\x01", "", "machine code"},
		{"nonsense", "", "neither PTX nor a fat binary"},
		{"", "", "neither PTX nor a fat binary"},
	} {
		image := append([]byte(test.image), make([]byte, 16)...)
		text, err := ptxOf(unsafe.Pointer(unsafe.SliceData(image)), 90)
		if string(text) != test.want || (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %q, %v", test.image, text, err)
		}
	}
}

// TestTruncatedImagesAreDetected checks that truncated fat binaries and cubins are detected, and that nothing after
// their ends is read.
func TestTruncatedImagesAreDetected(t *testing.T) {
	for name, whole := range map[string][]byte{
		"text":       []byte(somePTX(90)),
		"fat binary": writeFatbin(t, testEntry{1, 90, 0, somePTX(90)}),
		"cubin":      cuda.Cubin([]byte(somePTX(90)), 90),
	} {
		for n := range len(whole) + 1 {
			at, err := wholeImage(slices.Clip(whole[:n]))
			if cut := name != "text" && n >= 4 && n < len(whole); cut != (err != nil) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(whole), err)
			}
			if n == len(whole) {
				if text, err := ptxOf(at, 90); err != nil || string(text) != somePTX(90) {
					t.Errorf("%s: %q, %v", name, text, err)
				}
			}
		}
	}
}

// FuzzReadFatbin reads arbitrary bytes: it never panics, and never returns a text that is not in the input or exceeds
// the limit.
func FuzzReadFatbin(f *testing.F) {
	for _, test := range fatbins {
		f.Add(writeFatbin(f, test.entries...))
	}
	f.Fuzz(func(t *testing.T, all []byte) {
		before := slices.Clone(all)
		text, err := readFatbin(slices.Clip(all), 90)
		if err != nil && text != nil {
			t.Errorf("%q with %v", text, err)
		}
		if !bytes.Equal(all, before) {
			t.Error("the image has changed")
		}
		if bytes.IndexByte(text, 0) >= 0 {
			t.Errorf("%q has a NUL", text)
		}
		// Bytes after the fat binary have no effect.
		again, err2 := readFatbin(append(slices.Clone(all), "behind"...), 90)
		if err == nil && (err2 != nil || !bytes.Equal(text, again)) {
			t.Errorf("%q, with more bytes behind it %q, %v", text, again, err2)
		}
	})
}
