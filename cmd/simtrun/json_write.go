package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/simtrun/simtrun/launch"
)

// writeJSON prints the object on one line. What may be large, the dumps and what
// kernels printed, is written piece by piece. An error in writing is w's, which
// keeps it.
func writeJSON(w io.Writer, r *runReport) {
	out := bufio.NewWriter(w)
	separator := byte('{')
	for _, field := range reflect.VisibleFields(reflect.TypeFor[runReport]()) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" {
			continue
		}
		out.WriteByte(separator)
		separator = ','
		out.Write(encoded(key))
		out.WriteByte(':')
		switch key {
		case "stdout":
			writePrinted(out, r.printed)
		case "dumps":
			writeDumps(out, r.dumped)
		default:
			out.Write(encoded(reflect.ValueOf(r).Elem().FieldByIndex(field.Index).Interface()))
		}
	}
	out.WriteString("}\n")
	out.Flush()
}

// writes reports whether err came from writing rather than from encoding.
func writes(err error) bool {
	return !is[*json.UnsupportedValueError](err) && !is[*json.UnsupportedTypeError](err) && !is[*json.MarshalerError](err)
}

// encoded is v in JSON.
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

// jsonString writes the inside of a JSON string. The bytes of a character may
// come in two writes.
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

// writeDumps writes the dumps as a list of dumpReport.
func writeDumps(out *bufio.Writer, dumps []launch.Dump) {
	out.WriteByte('[')
	for i := range dumps {
		d := &dumps[i]
		if i > 0 {
			out.WriteByte(',')
		}
		head := encoded(dumpReport{Name: d.Name, Type: d.Elem.String(), Count: d.Count})
		out.Write(bytes.TrimSuffix(head, []byte("null}"))) // Values come last
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
