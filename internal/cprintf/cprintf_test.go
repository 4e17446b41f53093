package cprintf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// formatted returns the output of printf for a format and packed values; a value of 8 bytes in texts is the address
// of a string.
func formatted(format string, data []byte, texts map[uint64]string) (string, error) {
	v := Values{Data: data, Text: func(addr uint64, limit int) ([]byte, error) {
		text, ok := texts[addr]
		if !ok {
			return nil, fmt.Errorf("no string at 0x%x", addr)
		}
		if limit >= 0 && limit < len(text) {
			text = text[:limit]
		}
		return []byte(text), nil
	}}
	pieces, err := v.Conversions([]byte(format))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	w := bufio.NewWriter(&out)
	for i := range pieces {
		pieces[i].Write(w)
	}
	w.Flush()
	return out.String(), nil
}

// TestPrintfMatchesGlibc: output is the same as glibc's; table.c next to the table explains its lines.
func TestPrintfMatchesGlibc(t *testing.T) {
	file, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, line := range strings.Split(strings.TrimSuffix(string(file), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		var data []byte
		texts := make(map[uint64]string)
		for value := range strings.SplitSeq(fields[1], " ") {
			bits, _ := strconv.ParseUint(value[1:], 16, 64)
			switch value[0] {
			case 'w':
				data = binary.LittleEndian.AppendUint32(data, uint32(bits))
			case 's':
				bits = 0x1000
				texts[bits] = value[1:]
				fallthrough
			default:
				data = binary.LittleEndian.AppendUint64(data, bits)
			}
		}
		got, err := formatted(fields[0], data, texts)
		if "["+got+"]" != fields[2] || err != nil {
			t.Errorf("line %d: %s of %s: [%s] %v, want %s", i+1, fields[0], fields[1], got, err, fields[2])
			if wrong++; wrong == 20 {
				t.FailNow()
			}
		}
	}
}

// TestUndefinedFormatsAreRefused: formats that C leaves undefined, or device code does not support, cause an error that
// says so.
func TestUndefinedFormatsAreRefused(t *testing.T) {
	for format, want := range map[string]string{
		"abc%":           `printf: % ends the format, without a conversion`,
		"%5":             `printf: %5 ends the format, without a conversion`,
		"%l":             `printf: %l ends the format, without a conversion`,
		"%y":             `printf: "%y" is not a directive`,
		"%5 d":           `printf: "%5 " is not a directive`,
		"%.-5d":          `printf: "%.-" is not a directive`,
		"%n":             `printf: "%n": device code has no %n`,
		"%1$d":           `printf: "%1$": values that are named by position are not for device code`,
		"%ls":            `printf: "%ls": wide characters are not for device code`,
		"%lc":            `printf: "%lc": wide characters are not for device code`,
		"%hhhd":          `printf: "%hhhd" has no such size`,
		"%2147483648d":   `printf: %2147483648…: the number does not fit an int`,
		"%.99999999999d": `printf: %.9999999999…: the number does not fit an int`,
		"%d%d%d":         `printf: the format needs more values than were passed`,
		"%s":             `no string at 0x200000001`,
	} {
		got, err := formatted(format, []byte{1, 0, 0, 0, 2, 0, 0, 0}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", format, got, err, want)
		}
	}
}

// FuzzPrintf: no format and no values make printf panic, and each directive takes as many values as it needs or none.
func FuzzPrintf(f *testing.F) {
	f.Add("%+-08.3f|%s|%#x%c%%", []byte("0123456789abcdef0123456789abcdef"))
	f.Add("%*.*a%lld%p", []byte{5, 0, 0, 0, 255, 255, 255, 255, 9, 9, 9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, format string, data []byte) {
		v := Values{Data: data, Text: func(uint64, int) ([]byte, error) { return []byte("text"), nil }}
		pieces, err := v.Conversions([]byte(format))
		if err != nil {
			return
		}
		if v.at > len(data) || v.Count > 3*len(pieces) {
			t.Errorf("%q: %d values, up to byte %d of %d", format, v.Count, v.at, len(data))
		}
		w := bufio.NewWriter(io.Discard)
		for i := range pieces {
			c := &pieces[i]
			c.width, c.precision = min(c.width, 5000), min(c.precision, 5000) // limits the time
			c.Write(w)
		}
	})
}
