package cuda

import (
	"bytes"
	"regexp"
	"strconv"
)

// LLVM computes some variables from several values: "int z = 7 - w" is 7, w and a subtraction. DWARF for PTX cannot
// compute with registers, and LLVM then stops within the expression: z would be 7. Comments in the code have the whole
// expression.

var (
	// truncatedValue matches, in a comment, an expression of several values that begins with a constant: its operations
	// and the constant.
	truncatedValue = regexp.MustCompile(`<- \[([^\]]*\bDW_OP_LLVM_arg 1\b[^\]]*)\] (-?\d+),`)
	rangeLabel     = regexp.MustCompile(`^(?:\.b64 )?(\$L__(?:tmp|func_begin)\d+)`)
	byteOfList     = regexp.MustCompile(`^\.b8 \d+(?:\s+// ?(\S*))?`)
)

// noOperation is a line with DW_OP_nop.
const noOperation = ".b8 150\n"

// truncated has the expressions that LLVM has written in part.
type truncated struct {
	// first has a key for each of them: the label at which the range of the expression begins, a space, and the first
	// constant. Expressions for a part of a variable have no label in the key.
	first map[string]bool
	label string // the latest label before the line that is read
}

// withoutTruncated removes truncated expressions from the location lists of PTX. Their variables then have no location,
// like those that are optimised out. A constant that one truncated part of a variable has is removed from all parts.
func withoutTruncated(code, sections []byte) []byte {
	t := truncated{first: make(map[string]bool)}
	if bytes.Contains(code, []byte(", DW_OP_LLVM_arg 1")) {
		t.collect(code)
	}
	if len(t.first) == 0 {
		return sections
	}
	begin := bytes.Index(sections, []byte("\t.section\t.debug_loc\n"))
	if begin < 0 {
		return sections
	}
	end := len(sections)
	if n := bytes.IndexByte(sections[begin:], '}'); n >= 0 {
		end = begin + n
	}
	out := append([]byte(nil), sections[:begin]...)
	return append(t.rewrite(out, sections[begin:end]), sections[end:]...)
}

// collect reads the comments of code.
func (t *truncated) collect(code []byte) {
	for line := range bytes.Lines(code) {
		if m := rangeLabel.FindSubmatch(line); m != nil {
			t.label = string(m[1])
		}
		m := truncatedValue.FindSubmatch(line)
		if m != nil {
			t.first[t.key(m[2], bytes.Contains(m[1], []byte("DW_OP_LLVM_fragment")))] = true
		}
	}
}

// rewrite appends location lists to out. Bytes of truncated expressions become operations that do nothing.
func (t *truncated) rewrite(out, lists []byte) []byte {
	var expression [][]byte // its lines, or those since the last DW_OP_piece
	flush := func(piece bool) {
		drop := t.isTruncated(expression, piece)
		for _, line := range expression {
			if drop {
				line = []byte(noOperation)
			}
			out = append(out, line...)
		}
		expression = nil
	}
	ranged, sizes := false, 0 // a label that begins a range was read; bytes of the size that follow
	for line := range bytes.Lines(lists) {
		m := byteOfList.FindSubmatch(line)
		switch {
		case m == nil: // a label, or a bound
			flush(false)
			if l := rangeLabel.FindSubmatch(line); l != nil && !ranged {
				t.label, ranged = string(l[1]), true
			}
			sizes = 2
			out = append(out, line...)
		case sizes > 0 || len(expression) == 0 && len(m[1]) == 0: // or the rest of the size of a part
			sizes, ranged = max(0, sizes-1), false
			out = append(out, line...)
		case string(m[1]) == "DW_OP_piece":
			flush(true)
			out = append(out, line...)
			sizes = 1 // of the piece
		default:
			expression = append(expression, line)
		}
	}
	flush(false)
	return out
}

// isTruncated reports whether the lines of an expression begin with a constant that is the beginning of a computation.
func (t *truncated) isTruncated(lines [][]byte, piece bool) bool {
	if len(lines) == 0 {
		return false
	}
	op := byteOfList.FindSubmatch(lines[0])[1]
	constant, isLiteral := bytes.CutPrefix(op, []byte("DW_OP_lit"))
	if !isLiteral {
		if len(lines) < 2 || !bytes.HasPrefix(op, []byte("DW_OP_const")) {
			return false
		}
		constant = byteOfList.FindSubmatch(lines[1])[1]
	} else if len(lines) > 1 && bytes.Contains(lines[1], []byte("DW_OP_not")) {
		constant = []byte("-1")
	}
	return t.first[t.key(constant, piece)]
}

// key returns the key of a number, which may be written with or without a sign.
//
//go:noinline
func (t *truncated) key(constant []byte, part bool) string {
	number := string(constant)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		number = strconv.FormatUint(uint64(n), 10)
	}
	if part {
		return " " + number
	}
	return t.label + " " + number
}
