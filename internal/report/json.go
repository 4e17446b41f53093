package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/launch"
)

// WriteJSON writes the object of a run on one line; the command ended with err (nil for success) and an exit status.
// Large parts, the dumps and the kernels' output, are written in pieces.
func WriteJSON(w io.Writer, r *Run, err error, exit int) {
	out := bufio.NewWriter(w)
	o := object(r, err, exit)
	separator := byte('{')
	for _, field := range reflect.VisibleFields(reflect.TypeFor[runJSON]()) {
		key := field.Tag.Get("json")
		out.WriteByte(separator)
		separator = ','
		out.Write(encoded(key))
		out.WriteByte(':')
		switch key {
		case "stdout":
			writePrinted(out, r.Printed)
		case "dumps":
			writeDumps(out, r.dumps())
		default:
			out.Write(encoded(reflect.ValueOf(o).Elem().FieldByIndex(field.Index).Interface()))
		}
	}
	out.WriteString("}\n")
	out.Flush()
}

func (r *Run) dumps() []launch.Dump {
	if r.Result == nil {
		return nil
	}
	return r.Result.Dumps
}

// encoded returns v in JSON.
func encoded(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// writePrinted writes text as one string.
func writePrinted(out *bufio.Writer, text *launch.Printed) {
	s := &jsonString{out: out}
	out.WriteByte('"')
	text.WriteTo(s)
	s.write(s.rest)
	out.WriteByte('"')
}

// jsonString writes the inside of a JSON string. The bytes of a character may be split between two writes.
type jsonString struct {
	out  *bufio.Writer
	rest []byte // the start of a character
}

func (s *jsonString) Write(text []byte) (int, error) {
	whole := append(s.rest, text...)
	end := len(whole)
	for n := 1; n < utf8.UTFMax && n <= len(whole); n++ {
		if from := len(whole) - n; utf8.RuneStart(whole[from]) {
			if !utf8.FullRune(whole[from:]) {
				end = from
			}
			break
		}
	}
	s.write(whole[:end])
	s.rest = bytes.Clone(whole[end:])
	return len(text), nil
}

func (s *jsonString) write(text []byte) {
	quoted := encoded(string(text))
	s.out.Write(quoted[1 : len(quoted)-1])
}
