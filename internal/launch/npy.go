package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// NumPy's array files (NEP 1, and numpy.lib.format for versions 2.0 and 3.0):
// the magic, a version, the length of a header, the header, which is a Python
// dictionary, and the elements.
const (
	npySuffix = ".npy"
	npyMagic  = "\x93NUMPY"
	npyAlign  = 64 // bytes; the elements are aligned to it
)

// npyTypes are NumPy's names of the element types, without the byte order. It
// has none for bf16.
var npyTypes = map[string]Elem{
	"u1": U8, "i1": S8, "u2": U16, "i2": S16, "u4": U32, "i4": S32, "u8": U64, "i8": S64,
	"f2": F16, "f4": F32, "f8": F64, "b1": U8,
}

// npyTypeOf returns NumPy's name of e with its byte order; "" if NumPy has no such type.
func npyTypeOf(e Elem) string {
	switch {
	case e == BF16:
		return ""
	case e.Bytes() == 1:
		return map[Elem]string{U8: "|u1", S8: "|i1"}[e]
	}
	kind := "u"
	switch {
	case e.isFloat():
		kind = "f"
	case e.isSigned():
		kind = "i"
	}
	return "<" + kind + strconv.Itoa(e.Bytes())
}

// encodeNpy returns a one-dimensional .npy file with data.
func encodeNpy(e Elem, data []byte) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", npyTypeOf(e), len(data)/e.Bytes())
	const before = len(npyMagic) + 2 + 2 // the version and the length
	total := (before + len(text) + len("\n") + npyAlign - 1) / npyAlign * npyAlign
	text += strings.Repeat(" ", total-before-len(text)-len("\n")) + "\n"
	out := append(make([]byte, 0, total+len(data)), npyMagic+"\x01\x00"...)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(append(out, text...), data...)
}

// npyLayout finds the elements in a .npy file of has bytes, which in reads from the start. The array may have any
// shape in C order. Content after it, such as a second array, is ignored.
func npyLayout(in io.Reader, has int64) (start, size int64, e Elem, err error) {
	header, start, err := readNpyHeader(in, has)
	if err != nil {
		return 0, 0, 0, err
	}
	if e, err = npyElem(header); err != nil {
		return 0, 0, 0, err
	}
	count, err := npyCount(header)
	if err != nil {
		return 0, 0, 0, err
	}
	if size = count * int64(e.Bytes()); size > has-start {
		return 0, 0, 0, fmt.Errorf("its header gives %d elements of %s, but %d bytes follow it", count, e, has-start)
	}
	return start, size, e, nil
}

// maxNpyHeader limits the size of a header, which usually has about 100 bytes.
const maxNpyHeader = 1 << 20

// readNpyHeader reads the header of a file of has bytes, and returns the offset of its end.
func readNpyHeader(in io.Reader, has int64) (header string, end int64, err error) {
	head := make([]byte, len(npyMagic)+2+4)
	n, _ := io.ReadFull(in, head[:len(npyMagic)+2+2])
	if n < len(npyMagic)+2+2 || string(head[:len(npyMagic)]) != npyMagic {
		return "", 0, errors.New("it is not a NumPy array: it does not begin with \\x93NUMPY")
	}
	version, size := head[len(npyMagic):][:2], head[len(npyMagic)+2:]
	length, end := int64(binary.LittleEndian.Uint16(size)), int64(n)
	switch major := version[0]; {
	case major == 2 || major == 3:
		more, _ := io.ReadFull(in, size[2:])
		length, end = int64(binary.LittleEndian.Uint32(size)), end+int64(more)
	case major != 1:
		return "", 0, fmt.Errorf("version %d.%d of NumPy's format; 1.0, 2.0 and 3.0 are read", major, version[1])
	}
	switch {
	case length > has-end:
		return "", 0, fmt.Errorf("it ends within its header of %d bytes", length)
	case length > maxNpyHeader:
		return "", 0, fmt.Errorf("its header has %d bytes; at most %d are read", length, maxNpyHeader)
	}
	text := make([]byte, length)
	_, err = io.ReadFull(in, text)
	return string(text), end + length, err
}

// Entries of the header, a Python dictionary with keys in any order.
var (
	npyDescr   = regexp.MustCompile(`['"]descr['"]\s*:\s*(?:['"]([^'"]*)['"]|\[)`)
	npyFortran = regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`['"]shape['"]\s*:\s*\(([0-9L,\s]*)\)`)
)

// npyElem returns the element type in a header.
func npyElem(header string) (Elem, error) {
	m := npyDescr.FindStringSubmatch(header)
	switch {
	case m == nil:
		return 0, errors.New("its header has no descr, which is the type of the elements")
	case m[1] == "":
		return 0, errors.New("its elements are structures; save each field as an array of its own")
	}
	order, name := m[1][:1], m[1][1:]
	e := npyTypes[name]
	switch {
	case strings.HasPrefix(name, "O"):
		return 0, errors.New("its elements are Python objects, not numbers; save it with a dtype such as '<f4'")
	case strings.HasPrefix(name, "V"):
		return 0, fmt.Errorf("its elements are of type %s, untyped bytes, as NumPy saves bf16; write them with tofile and read that file as raw bytes", m[1])
	case e == 0:
		return 0, fmt.Errorf("its elements are of type %s; save it as one of u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8", m[1])
	case order == ">" && e.Bytes() > 1:
		return 0, fmt.Errorf("its elements are big-endian (%s); save it with astype('<%s')", m[1], name)
	}
	return e, nil
}

// npyCount returns the number of elements of the shape in a header.
func npyCount(header string) (int64, error) {
	order, shape := npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if order == nil || shape == nil {
		return 0, errors.New("its header lacks fortran_order or shape")
	}
	extents := strings.FieldsFunc(shape[1], func(r rune) bool { return !unicode.IsDigit(r) })
	if order[1] == "True" && len(extents) > 1 {
		return 0, errors.New("its elements are in Fortran order; save it with numpy.ascontiguousarray")
	}
	count := int64(1)
	for _, text := range extents {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > 0 && count > maxBufferBytes/n {
			return 0, fmt.Errorf("its shape (%s) is too large; a buffer has at most %d bytes", shape[1], int64(maxBufferBytes))
		}
		count *= n
	}
	if count == 0 {
		return 0, fmt.Errorf("its shape (%s) has no elements", shape[1])
	}
	return count, nil
}
