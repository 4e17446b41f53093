package debuginfo

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// A position in the code of a module is an address for package dwarf: the number of the function in the module, from 1,
// above the PC. The address of a variable of PTX is its number in symbols, above symbolBase.
const (
	pcBits     = 32
	symbolBase = 1 << 63
)

// assembler makes the bytes of sections from their text.
type assembler struct {
	labels  map[string]uint64
	symbols []string // variables of PTX that the sections name
}

func newAssembler(d *isa.Debug) *assembler {
	n := 0
	for _, f := range d.Funcs {
		n += len(f.Labels)
	}
	a := &assembler{labels: make(map[string]uint64, n)}
	for i, f := range d.Funcs {
		for _, l := range f.Labels {
			a.labels[l.Name] = uint64(i+1)<<pcBits + uint64(l.PC)
		}
	}
	return a
}

var sizes = map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8, ".u8": 1, ".u16": 2, ".u32": 4, ".u64": 8}

// bytes returns the bytes of a section: directives with numbers, labels, and names of sections, which stand for their
// starts. A label in the section stands for its offset there; sections that refer to it come later.
func (a *assembler) bytes(text string) []byte {
	out := make([]byte, 0, len(text)/3)
	for size := 0; ; {
		out, text, size = appendNumbers(out, text, size)
		word, rest := cutWord(text)
		if word == "" {
			return out
		}
		text = rest
		if n, ok := sizes[word]; ok {
			size = n
			continue
		}
		if label, ok := strings.CutSuffix(word, ":"); ok {
			a.labels[label] = uint64(len(out))
			continue
		}
		out = appendNumber(out, a.valueOf(word), size)
	}
}

// appendNumber appends the low bytes of a number.
func appendNumber(out []byte, n uint64, size int) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return append(out, b[:size]...)
}

// appendNumbers appends the decimal numbers that a text begins with, of a size in bytes that directives such as .b32
// change. It returns the text after them and the last size. Most of a section are such numbers.
func appendNumbers(out []byte, text string, size int) ([]byte, string, int) {
	at := 0 // before what has not been taken yet
	for i := 0; i < len(text); at = i {
		for i < len(text) && isBlank[text[i]] {
			i++
		}
		if from := i; size == 1 {
			if out, i = appendBytes(out, text, i); i > from {
				continue
			}
		}
		if n, length := sizeAt(text[i:]); length > 0 {
			size = n
			i += length
			continue
		}
		n, from := uint64(0), i
		for i < len(text) && i-from <= mostDigits && text[i] >= '0' && text[i] <= '9' {
			n = n*10 + uint64(text[i]-'0')
			i++
		}
		length := i - from
		if octal := length > 1 && text[from] == '0'; octal || length == 0 || length > mostDigits || i < len(text) && !isBlank[text[i]] {
			break
		}
		if size == 1 {
			out = append(out, byte(n))
		} else {
			out = appendNumber(out, n, size)
		}
	}
	return out, text[at:], size
}

// appendBytes appends the bytes that are written from an index of a text on, each with a comma or the end of the line
// after it and nothing else between two, as most of a section is. It returns the index of what is written otherwise.
func appendBytes(out []byte, text string, i int) ([]byte, int) {
	for i+4 <= len(text) { // at most three digits and the character after them
		c := text[i : i+4]
		n, d, e := c[0]-'0', c[1]-'0', c[2]-'0'
		switch {
		case n > 9:
			return out, i
		case endsByte(c[1]):
			i += 2
		case n == 0 || d > 9:
			return out, i
		case endsByte(c[2]):
			n = n*10 + d
			i += 3
		case e <= 9 && endsByte(c[3]):
			n = n*100 + d*10 + e
			i += 4
		default:
			return out, i
		}
		out = append(out, n)
	}
	return out, i
}

// endsByte reports whether a character ends a number, and another may follow at once.
func endsByte(c byte) bool { return c == ',' || c == '\n' }

// mostDigits is how many digits every decimal number of 64 bits may have.
const mostDigits = 19

// sizeAt returns the size in bytes that .b8, .b16, .b32 or .b64 at the start of a text means, and the directive's
// length; 0 if there is none.
func sizeAt(text string) (size, length int) {
	if len(text) < 4 || text[0] != '.' || text[1] != 'b' {
		return 0, 0
	}
	if text[2] == '8' && isBlank[text[3]] {
		return 1, 3
	}
	if len(text) == 4 || !isBlank[text[4]] {
		return 0, 0
	}
	switch text[2:4] {
	case "16":
		return 2, 4
	case "32":
		return 4, 4
	case "64":
		return 8, 4
	}
	return 0, 0
}

// String returns the text that section .debug_str has at a label with or without an offset, as in
// "$L__info_string0+24"; "" if there is none.
func String(d *isa.Debug, label string) string {
	label, offset, _ := strings.Cut(label, "+")
	text := " " + d.Sections[".debug_str"]
	at := strings.Index(text, label+":")
	if label == "" || at < 0 || !isBlank[text[at-1]] {
		return ""
	}
	text = text[at+len(label)+1:]
	from, _ := strconv.Atoi(offset)
	for out := []byte(nil); ; {
		out, text, _ = appendNumbers(out, text, 1)
		if from < len(out) {
			if n := bytes.IndexByte(out[from:], 0); n >= 0 {
				return string(out[from:][:n])
			}
		}
		word, rest := cutWord(text)
		if !strings.HasSuffix(word, ":") { // another label may stand in between
			return ""
		}
		text = rest
	}
}

// cutWord cuts the first word off a text; it is "" at the end. A comment ends with its line.
func cutWord(text string) (word, rest string) {
	from := 0
	for from < len(text) && (isBlank[text[from]] || strings.HasPrefix(text[from:], "//")) {
		if !isBlank[text[from]] {
			if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
				from += n
			} else {
				from = len(text)
			}
			continue
		}
		from++
	}
	to := from
	for to < len(text) && !isBlank[text[to]] && !strings.HasPrefix(text[to:], "//") {
		to++
	}
	return text[from:to], text[to:]
}

// isBlank is true for characters between words.
var isBlank = [256]bool{',': true, ' ': true, '\t': true, '\n': true, '\r': true, '{': true, '}': true}

// valueOf returns the value of a word of a section: a number, a label, the start of a section, the address of a
// variable, or a sum or difference of these.
func (a *assembler) valueOf(word string) uint64 {
	if word != "" && (word[0] >= '0' && word[0] <= '9' || word[0] == '-') { // not a name
		if n, err := strconv.ParseUint(word, 0, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseInt(word, 0, 64); err == nil {
			return uint64(n)
		}
	}
	if at := strings.LastIndexAny(word, "+-"); at > 0 {
		before, after := a.valueOf(word[:at]), a.valueOf(word[at+1:])
		if word[at] == '-' {
			return before - after
		}
		return before + after
	}
	n, known := a.labels[word]
	if known || word == "" || word[0] == '.' {
		return n
	}
	n = symbolBase + uint64(len(a.symbols))
	a.symbols, a.labels[word] = append(a.symbols, word), n
	return n
}
