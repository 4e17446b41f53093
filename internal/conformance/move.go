package conformance

import (
	"fmt"
	"slices"
)

// moves is mov between registers; .b32 and .b64 from and into vectors too.
func moves(f form) []trial {
	if f.has(longType) {
		return longMoves(f)
	}
	typ := f.types[0]
	same := func(s []uint64) []uint64 { return s }
	if n := f.oneOf("v2", "v4", "v8"); n != "" {
		src := repeated(typ, int(n[1]-'0'))
		return trials(specimen{form: f, dst: src, src: src, args: vectorOf("d", len(src)) + ", " + vectorOf("s", len(src)), eval: same})
	}
	all := trials(specimen{form: f, dst: operands(typ), src: operands(typ), eval: same})
	if typ != "b32" && typ != "b64" {
		return all
	}
	for _, n := range []int{2, 4} {
		part := typeBits[typ] / n
		parts := slices.Repeat([]operand{{typ: fmt.Sprint("b", part), reg: part}}, n)
		all = append(all, trials(
			specimen{form: f, dst: operands(typ), src: parts, args: "$d0, " + vectorOf("s", n), eval: func(s []uint64) []uint64 {
				d := uint64(0)
				for i, v := range s {
					d |= v << (part * i)
				}
				return one(d)
			}},
			specimen{form: f, dst: parts, src: operands(typ), args: vectorOf("d", n) + ", $s0", eval: func(s []uint64) []uint64 {
				var d []uint64
				for i := range n {
					d = append(d, truncate(s[0]>>(part*i), part))
				}
				return d
			}})...)
	}
	return all
}

// vectorOf returns {$d0, $d1, …}.
func vectorOf(letter string, n int) string {
	text := "{"
	for i := range n {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint("$", letter, i)
	}
	return text + "}"
}
