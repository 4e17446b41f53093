package launch

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// npyFile is a .npy file as numpy.lib.format describes it: the magic, the
// version, the length of the header in 2 bytes (4 from version 2 on), the
// header, the elements.
func npyFile(version byte, header, data string) string {
	size := string([]byte{byte(len(header)), byte(len(header) >> 8)})
	if version > 1 {
		size += "\x00\x00"
	}
	return "\x93NUMPY" + string([]byte{version, 0}) + size + header + data
}

// decodeNpy returns the elements of a .npy file.
func decodeNpy(src []byte) ([]byte, Elem, error) {
	start, size, e, err := npyLayout(bytes.NewReader(src), int64(len(src)))
	return src[start:][:size], e, err
}

// failureOf returns the failure of e for mem.
func failureOf(t *testing.T, e *expectation, mem []byte) *Failure {
	t.Helper()
	f, err := e.check(t.Context(), mem)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNpyHeaderIsPadded counts the bytes of a header: 10 before the text, 58 of text,
// a newline, and blanks up to 128, the next multiple of 64. 118 is 0x76.
func TestNpyHeaderIsPadded(t *testing.T) {
	const text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + text + strings.Repeat(" ", 128-10-len(text)-1) + "\n" + "\x00\x00\x80\x3f\x00\x00\x00\x40"
	got := string(encodeNpy(F32, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(want) != 128+8 {
		t.Errorf("%d bytes", len(want))
	}
}

// TestNpyRoundTrip also compares the names of the types with NumPy's documentation.
func TestNpyRoundTrip(t *testing.T) {
	names := map[Elem]string{U8: "|u1", S8: "|i1", U16: "<u2", S16: "<i2", U32: "<u4", S32: "<i4", U64: "<u8", S64: "<i8", F16: "<f2", F32: "<f4", F64: "<f8"}
	for e := U8; e < numElems; e++ {
		if npyTypeOf(e) != names[e] {
			t.Errorf("%s is %q, want %q", e, npyTypeOf(e), names[e])
		}
		if names[e] == "" {
			continue
		}
		data := make([]byte, 3*e.Bytes())
		for i := range data {
			data[i] = byte(i)
		}
		file := encodeNpy(e, data)
		if len(file)%64 != len(data)%64 {
			t.Errorf("%s: the elements start at byte %d", e, len(file)-len(data))
		}
		got, elem, err := decodeNpy(file)
		if diff := cmp.Diff(data, got); diff != "" || elem != e || err != nil {
			t.Errorf("%s: %s, %v\n%s", e, elem, err, diff)
		}
	}
}

func TestNpyFilesAreDecoded(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		elem       Elem
		data       string
	}{
		{"scalar", npyFile(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (), }\n", "ab"), S16, "ab"},
		{"rank 2", npyFile(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", "abcdef"), U8, "abcdef"},
		{"version 2", npyFile(2, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }\n", "ab"), F16, "ab"},
		{"version 3", npyFile(3, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }\n", "ab"), F16, "ab"},
		{"keys in another order", npyFile(1, `{"shape":(4L,),"fortran_order":False,"descr":"|b1"}`, "\x00\x01\x01\x00"), U8, "\x00\x01\x01\x00"},
		{"one dimension has no order", npyFile(1, "{'descr': '<u2', 'fortran_order': True, 'shape': (2,), }\n", "abcd"), U16, "abcd"},
		{"bytes have no order", npyFile(1, "{'descr': '>i1', 'fortran_order': False, 'shape': (1,), }\n", "a"), S8, "a"},
		{"a second array after it", npyFile(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }\n", "ab\x93NUMPY"), U16, "ab"},
	} {
		data, elem, err := decodeNpy([]byte(tt.file))
		if string(data) != tt.data || elem != tt.elem || err != nil {
			t.Errorf("%s: %q of %s, %v", tt.name, data, elem, err)
		}
	}
}

func TestWrongNpyFilesAreExplained(t *testing.T) {
	header := func(descr, fortran, shape string) string {
		return npyFile(1, "{'descr': "+descr+", 'fortran_order': "+fortran+", 'shape': "+shape+", }\n", "abcdefgh")
	}
	for _, tt := range []struct{ file, want string }{
		{"", "it is not a NumPy array"},
		{"PK\x03\x04 an .npz", "it is not a NumPy array"},
		{"\x93NUMPY\x01", "it is not a NumPy array"},
		{"\x93NUMPY\x04\x00\x00\x00\x00\x00", "version 4.0 of NumPy's format; 1.0, 2.0 and 3.0 are read"},
		{"\x93NUMPY\x01\x00\x08\x00{'desc", "it ends within its header of 8 bytes"},
		{header("'>f4'", "False", "(2,)"), "its elements are big-endian (>f4); save it with astype('<f4')"},
		{header("'<f4'", "True", "(2, 1)"), "its elements are in Fortran order; save it with numpy.ascontiguousarray"},
		{header("'|O'", "False", "(2,)"), "its elements are Python objects"},
		{header("'<V2'", "False", "(2,)"), "as NumPy saves bf16; write them with tofile"},
		{header("'<c8'", "False", "(1,)"), "its elements are of type <c8; save it as one of u1 i1"},
		{header("'<M8[ns]'", "False", "(1,)"), "its elements are of type <M8[ns]"},
		{header("[('a', '<f4')]", "False", "(1,)"), "its elements are structures"},
		{header("'<f4'", "False", "(3,)"), "its header gives 3 elements of f32, but 8 bytes follow it"},
		{header("'<f4'", "False", "(0, 3)"), "its shape (0, 3) has no elements"},
		{header("'<f4'", "False", "(4294967296, 4294967296)"), "its shape (4294967296, 4294967296) is too large"},
		{header("'<f4'", "False", "(99999999999999999999,)"), "is too large"},
		{header("'<f4'", "No", "(2,)"), "its header lacks fortran_order or shape"},
		{header("'<f4'", "False", "2"), "its header lacks fortran_order or shape"},
		{npyFile(1, "{}", ""), "its header has no descr"},
	} {
		_, _, err := decodeNpy([]byte(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.file, err, tt.want)
		}
	}
}

// TestNpyFilesAreContent uses a .npy file as the content of a buffer, as an expected value, and as an aggregate's
// bytes; the buffer gets its type.
func TestNpyFilesAreContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	file := npyFile(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n", "\x01\x00\x02\x00\x03\x00\xff\xff")
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := planOf(t, kArgs, "buffer b = @"+path+"\nbuffer raw = list:u8:1,0,2,0,3,0,255,255\nsymbol table = @"+path+
		"\ndump b\nexpect b[3] == -1\nexpect b == @"+path+"\nexpect raw == @"+path)
	if err != nil {
		t.Fatal(err)
	}
	if d := p.dumps[0]; d.elem != S16 || d.count != 4 {
		t.Errorf("%d elements of %s", d.count, d.elem)
	}
	mem := []byte{1, 0, 2, 0, 3, 0, 0xff, 0xff}
	for i := range p.expects {
		if f := failureOf(t, &p.expects[i], mem); f != nil {
			t.Errorf("%+v", f)
		}
	}
	table := make([]byte, 8)
	if err := p.symbols[0].content.fill(t.Context(), table); err != nil || hex.EncodeToString(table) != "010002000300ffff" {
		t.Errorf("symbol: %x, %v", table, err)
	}
	mem[7] = 0
	want := []Mismatch{{"raw", 3, "255", "-1"}}
	if diff := cmp.Diff(want, failureOf(t, &p.expects[2], mem).Mismatches); diff != "" {
		t.Error(diff)
	}
}

func TestSaveWritesNpyByName(t *testing.T) {
	p, err := planOf(t, kArgs, "buffer b = list:s16:1,-1\nsave b = b.npy\nsave b = b.bin")
	if err != nil {
		t.Fatal(err)
	}
	mem := []byte{1, 0, 0xff, 0xff}
	if data, elem, err := decodeNpy(p.saves[0].encode(mem)); elem != S16 || err != nil || !cmp.Equal(data, mem) {
		t.Errorf("%v of %s, %v", data, elem, err)
	}
	if got := p.saves[1].encode(mem); !cmp.Equal(got, mem) {
		t.Errorf("raw: %v", got)
	}
	odd := filepath.Join(t.TempDir(), "odd")
	if err := os.WriteFile(odd, []byte("abcde"), 0o666); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"buffer b = zeros:2:bf16\nsave b = b.npy": "run.sim:2:6: NumPy has no type for the bf16 of b; without .npy the file has the raw bytes",
		"buffer b = @" + odd + "\nsave b = b.npy": "run.sim:2:6: the 5 bytes of b are not a whole number of u32; without .npy the file has the raw bytes",
	} {
		_, err := planOf(t, kArgs, script)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
