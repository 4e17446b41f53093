package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/launch"
)

// dumpRow is the number of elements in a line of a dump.
const dumpRow = 16

// WriteDump writes a short dump in one line, a longer one in rows that begin
// with an index.
func WriteDump(w io.Writer, d *launch.Dump) {
	head := fmt.Sprintf("%s[0:%d] %s =", d.Name, d.Count, d.Elem)
	if d.Count <= dumpRow {
		fmt.Fprintf(w, "%s%s\n", head, rowText(d, 0))
		return
	}
	fmt.Fprintln(w, head)
	width := len(fmt.Sprint((d.Count - 1) / dumpRow * dumpRow))
	for i := int64(0); i < d.Count; i += dumpRow {
		fmt.Fprintf(w, "  %*d:%s\n", width, i, rowText(d, i))
	}
}

func rowText(d *launch.Dump, first int64) string {
	var b strings.Builder
	for i := first; i < min(first+dumpRow, d.Count); i++ {
		b.WriteByte(' ')
		b.WriteString(d.Elem.Text(d.Bits(i)))
	}
	return b.String()
}

// dumpJSON has integers with all their digits, and floating-point values as the shortest numbers that parse to the
// same value, or as the strings nan, inf and -inf, which have no number in JSON.
type dumpJSON struct {
	Name   string            `json:"name"`
	Type   string            `json:"type"`
	Count  int64             `json:"count"`
	Values []json.RawMessage `json:"values"`
}

// writeDumps writes dumps as a JSON list of dumpJSON, element by element.
func writeDumps(out *bufio.Writer, dumps []launch.Dump) {
	out.WriteByte('[')
	for i := range dumps {
		d := &dumps[i]
		if i > 0 {
			out.WriteByte(',')
		}
		head := encoded(dumpJSON{Name: d.Name, Type: d.Elem.String(), Count: d.Count})
		out.Write(bytes.TrimSuffix(head, []byte("null}"))) // Values comes last
		out.WriteByte('[')
		for k := range d.Count {
			if k > 0 {
				out.WriteByte(',')
			}
			writeElement(out, d.Elem.Text(d.Bits(k)))
		}
		out.WriteString("]}")
	}
	out.WriteByte(']')
}

// writeElement writes an element as a number if JSON has one for it.
func writeElement(out *bufio.Writer, text string) {
	if c := text[len(text)-1]; c >= '0' && c <= '9' {
		out.WriteString(text)
		return
	}
	out.WriteByte('"')
	out.WriteString(text)
	out.WriteByte('"')
}
