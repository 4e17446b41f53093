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
	a := &assembler{labels: make(map[string]uint64)}
	for i, f := range d.Funcs {
		for _, l := range f.Labels {
			a.labels[l.Name] = uint64(i+1)<<pcBits + uint64(l.PC)
		}
	}
	return a
}

var sizes = map[string]int{".b8": 1, ".b16": 2, ".b32": 4, ".b64": 8, ".u8": 1, ".u16": 2, ".u32": 4, ".u64": 8}

// bytes returns the bytes of a section: directives with numbers, labels, and names of sections, which stand for their
// starts.
func (a *assembler) bytes(text string) []byte {
	out := make([]byte, 0, len(text)/3)
	for size := 0; ; {
		if size == 1 {
			out, text = appendBytes(out, text)
		}
		word, rest := cutWord(text)
		if word == "" {
			return out
		}
		text = rest
		if n, ok := sizes[word]; ok {
			size = n
			continue
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], a.valueOf(word))
		out = append(out, b[:size]...)
	}
}

// appendBytes appends the decimal numbers of one byte that a text begins with, and returns the text after them. Most of
// a section are such numbers, and .b8 before each or some of them.
func appendBytes(out []byte, text string) ([]byte, string) {
	at := 0 // before what has not been taken yet
	for i := 0; i < len(text); {
		c := text[i]
		if isBlank[c] {
			i++
			continue
		}
		if c == '.' && strings.HasPrefix(text[i:], ".b8") && i+3 < len(text) && isBlank[text[i+3]] {
			i += 3
			at = i
			continue
		}
		n, from := 0, i
		for i < len(text) && i-from < 4 && text[i] >= '0' && text[i] <= '9' {
			n = n*10 + int(text[i]-'0')
			i++
		}
		octal := c == '0' && i-from > 1
		if i == from || octal || n > 255 || i < len(text) && !isBlank[text[i]] {
			break
		}
		out = append(out, byte(n))
		at = i
	}
	return out, text[at:]
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
		out, text = appendBytes(out, text)
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
