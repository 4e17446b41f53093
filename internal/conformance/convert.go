package conformance

import (
	"fmt"
	"math/big"
	"strings"
)

var conversionMakers = map[string]trialMaker{
	"cvt":      conversions,
	"cvta":     addressConversions,
	"isspacep": spaceTests,
}

// conversions tries cvt with registers of the types' own widths, and integers
// in wider ones.
func conversions(f form) []trial {
	if f.has("pack") {
		return packConversion(f)
	}
	to, from := f.types[0], f.types[1]
	if f.has("rs") {
		return randomConversions(f)
	}
	if isBytes(to) || isBytes(from) || to == "tf32" {
		return narrowConversions(f)
	}
	if half, pair := halfOf(to); pair {
		return trials(specimen{form: f, dst: operands(to), src: operands(from, from), eval: func(s []uint64) []uint64 {
			return one(converted(f, half, from, s[1]) | converted(f, half, from, s[0])<<16)
		}})
	}
	var all []trial
	for _, widths := range [][2]int{{0, 0}, {64, 0}, {0, 64}, {32, 32}, {8, 0}, {0, 8}} {
		d, s := operand{to, widths[0]}, operand{from, widths[1]}
		if !d.legal() || !s.legal() {
			continue
		}
		all = append(all, specimen{form: f, dst: []operand{d}, src: []operand{s},
			eval: func(s []uint64) []uint64 { return one(extended(to, d.width(), converted(f, to, from, s[0]))) }}.trial())
	}
	return all
}

// legal reports whether the register can hold the type: floats take their own
// width only.
func (o operand) legal() bool {
	return o.reg == 0 || o.reg >= typeBits[o.typ] && !isFloat(o.typ)
}

// extended is a result in a wider register.
func extended(typ string, width int, v uint64) uint64 {
	if typ[0] == 's' {
		return truncate(uint64(signExtend(v, typeBits[typ])), width)
	}
	return v
}

// converted is cvt of a value.
func converted(f form, to, from string, v uint64) uint64 {
	mode := roundingOf(f)
	switch {
	case !isFloat(to) && !isFloat(from):
		if f.has("sat") {
			return clamp(number(from, v), to)
		}
		return wrap(number(from, v), typeBits[to])
	case !isFloat(from):
		return formatOf(to).finish(f, formatOf(to).round(exactInt(number(from, v)), mode))
	}
	of := formatOf(from)
	if f.has("ftz") && of == single && to != "f16" { // an H100 does not flush when converting to .f16
		v = of.flush(v)
	}
	switch {
	case !isFloat(to):
		return toInteger(to, of, v, mode)
	case to == from && typeBits[to] > 16 && len(f.mods) == 2:
		return v // moved
	}
	return formatOf(to).finish(f, toFloat(f, formatOf(to), of, v, mode))
}

// toInteger clamps to the range of the type. NaN becomes 0 unless one of the types has 64 bits.
func toInteger(to string, of floatFormat, v uint64, mode rounding) uint64 {
	switch {
	case of.isNaN(v) && (of == double || typeBits[to] == 64):
		return 1 << (typeBits[to] - 1)
	case of.isNaN(v):
		return 0
	case of.isInf(v):
		huge := new(big.Int).Lsh(big.NewInt(1), 200)
		if of.negative(v) {
			huge.Neg(huge)
		}
		return clamp(huge, to)
	}
	return clamp(of.integer(v, mode), to)
}

func toFloat(f form, to, of floatFormat, v uint64, mode rounding) uint64 {
	switch {
	case of.isNaN(v) && to == double && f.has("ftz"):
		return quietOf(of, []uint64{of.nan()})
	case of.isNaN(v) && of == brain && to == single:
		return v << 16
	case of.isNaN(v) && to == double:
		return quietOf(of, []uint64{v})
	case of.isNaN(v) && of == double && to != brain: // the upper bits of the payload stay
		return truncate(quietOf(of, []uint64{v})>>(of.mantissa-to.mantissa), to.bits-1)&^to.infinity() | to.infinity() | v>>(of.bits-to.bits)&to.sign()
	case of.isNaN(v):
		return to.nan()
	case of.isInf(v):
		sign := uint64(0)
		if of.negative(v) {
			sign = to.sign()
		}
		return sign | to.infinity()
	case f.oneOf("rni", "rzi", "rmi", "rpi") != "":
		return to.round(of.exact(of.integralFloat(v, mode)), toNearest)
	}
	return to.round(of.exact(v), mode)
}

// finish flushes and clamps the result of a conversion to a float.
func (ff floatFormat) finish(f form, v uint64) uint64 {
	if f.has("ftz") && ff == single {
		v = ff.flush(v)
	}
	switch {
	case f.has("sat"):
		return ff.saturate(v)
	case f.has("relu") && !ff.isNaN(v) && ff.negative(v):
		return 0
	case f.has("satfinite") && ff.isInf(v):
		return v - 1 // the largest number of its sign
	}
	return v
}

// packConversion is cvt.pack: two numbers clamped side by side, and if they are
// bytes the low half of the third source above them.
func packConversion(f form) []trial {
	to, from := f.types[0], f.types[1]
	bits := typeBits[to]
	src := operands(from, from)
	if bits == 8 {
		src = append(src, operand{typ: "b32"})
	}
	return trials(specimen{form: f, dst: operands("b32"), src: src, eval: func(s []uint64) []uint64 {
		d := clamp(number(from, s[1]), to) | clamp(number(from, s[0]), to)<<bits
		if bits == 8 {
			d |= s[2] << 16
		}
		return one(truncate(d, 32))
	}})
}

// place is a variable of a state space with an address.
type place struct {
	space, module, body string
	address             string // loads the address within the space into %a
}

// places have variables of 1024 bytes, except local memory, where the variable has the 32 bytes of one thread.
func places(bits int) map[string]place {
	mov := fmt.Sprintf("mov.u%d %%a, v;", bits)
	return map[string]place{
		"global": {"global", ".global .align 32 .b8 v[1024];\n", "", mov},
		"const":  {"const", ".const .align 32 .b8 v[1024];\n", "", mov},
		"shared": {"shared", "", "\t.shared .align 32 .b8 v[1024];\n", mov},
		"local":  {"local", "", "\t.local .align 32 .b8 v[32];\n", mov},
		"param":  {"param", "", "", fmt.Sprintf("mov.b%d %%a, in;", bits)},
	}
}

// addressConversions convert an address to the generic one and back, by the two directions of cvta, and load through
// the generic address a value that was stored through the other.
func addressConversions(f form) []trial {
	space := f.oneOf("global", "shared", "local", "const", "param")
	if f.has("shared::cluster") { // it includes the block's own shared memory
		space = "shared"
	}
	bits := typeBits[f.types[0]]
	p := places(bits)[space]
	there := strings.Replace(f.text, ".to", "", 1)
	back := strings.Replace(there, "cvta", "cvta.to", 1)
	store, load := "st."+space+".u32 [%a+4], 77;", "ld.u32 %t, [%g+4];"
	switch space {
	case "const":
		store, load = "", "ld.u32 %t, [%g+4];\n\tadd.u32 %t, %t, 77;"
	case "param": // half of the pointer in
		store, load = "", "ld.u32 %t, [%g+4];\n\tld.param.u32 %i, [in+4];\n\tsub.u32 %t, %t, %i;\n\tadd.u32 %t, %t, 77;"
		if bits == 32 {
			load = strings.ReplaceAll(load, "+4", "")
		}
	}
	src := strings.Replace(header, "64", fmt.Sprint(bits), 1) + p.module +
		fmt.Sprintf(".visible .entry k(.param .u%d in, .param .u%[1]d out)\n{\n", bits) + p.body +
		fmt.Sprintf("\t.reg .b%d %%a, %%g, %%back, %%out;\n\t.reg .b32 %%t, %%i;\n\t.reg .pred %%p;\n", bits) +
		"\t" + strings.Join([]string{p.address, store, there + " %g, %a;", back + " %back, %g;", load,
		fmt.Sprintf("setp.eq.u%d %%p, %%a, %%back;", bits), "selp.u32 %t, %t, 0, %p;",
		"mov.u32 %i, %tid.x;", "shl.b32 %i, %i, 2;"}, "\n\t") + "\n" +
		fmt.Sprintf("\tld.param.u%d %%out, [out];\n", bits)
	if bits == 64 {
		src += "\tcvt.u64.u32 %back, %i;\n\tadd.u64 %out, %out, %back;\n"
	} else {
		src += "\tadd.u32 %out, %out, %i;\n"
	}
	src += "\tst.global.u32 [%out], %t;\n\tret;\n}\n"
	return []trial{{src: src, buffers: [][]byte{make([]byte, 4), make([]byte, 128)}, check: wordsMatch(func(int) uint32 { return 77 })}}
}

// spaceTests ask of a generic address in each space whether it is in the one
// of the form.
func spaceTests(f form) []trial {
	asked := f.oneOf("global", "shared", "local", "const")
	if f.has("shared::cluster") { // it includes the block's own shared memory
		asked = "shared"
	}
	var all []trial
	spaces := []string{"global", "shared", "local"}
	if asked == "const" {
		spaces = append(spaces, asked)
	}
	for _, space := range spaces {
		p := places(64)[space]
		src := header + p.module + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + p.body +
			"\t.reg .b64 %a, %g, %out;\n\t.reg .b32 %t, %i;\n\t.reg .pred %p;\n\t" + p.address + "\n" +
			"\tcvta." + space + ".u64 %g, %a;\n\t" + f.text + " %p, %g;\n\tselp.u32 %t, 1, 2, %p;\n" +
			"\tmov.u32 %i, %tid.x;\n\tld.param.u64 %out, [out];\n\tmad.wide.u32 %out, %i, 4, %out;\n\tst.global.u32 [%out], %t;\n\tret;\n}\n"
		want := uint32(2 - b2i(space == asked))
		all = append(all, trial{src: src, buffers: [][]byte{nil, make([]byte, 128)}, check: wordsMatch(func(int) uint32 { return want })})
	}
	return all
}
