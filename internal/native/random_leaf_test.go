package native_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/libdevice"
)

// Small functions of random kernels: compiled code has their instructions in the place of their calls. Some have what
// keeps them from that.

// leafForms are what the small functions take and return.
var leafForms = []struct {
	results, params []int // bits
	served          bool  // the function is one of libdevice
}{
	{results: []int{32}, params: []int{32}},
	{results: []int{32}, params: []int{32, 32}},
	{results: []int{64}, params: []int{64, 32}},
	{params: []int{32}},
	{results: []int{32}},
	{results: []int{32}, params: []int{64}},
	{results: []int{32}, params: []int{32}, served: true},
	{results: []int{32}, params: []int{32, 32}, served: true},
}

// servedNames returns the functions of libdevice written in Go with n parameters, all of 32 bits, as the result.
// Bessel functions of any order would take too long.
func servedNames(n int) (names []string) {
	for _, f := range libdevice.Functions() {
		if _, ok := f.Compiled(); ok && !slices.Contains(f.ParamBits(), 64) && len(f.Params) == n && f.Name != "__nv_jnf" && f.Name != "__nv_ynf" {
			names = append(names, f.Name)
		}
	}
	return names
}

// leaves makes the small functions. They may load from elsewhere.
func (g *mixGrower) leaves(loads bool) {
	for i := range leafForms {
		g.leaf(i, loads)
	}
}

func (g *mixGrower) leaf(n int, loads bool) {
	form := &leafForms[n]
	list := func(name string, all []int) string {
		var vars []string
		for i, bits := range all {
			vars = append(vars, fmt.Sprintf(".param .b%d %s%d", bits, name, i))
		}
		return strings.Join(vars, ", ")
	}
	if form.served {
		for _, name := range servedNames(len(form.params)) {
			fmt.Fprintf(&g.b, ".extern .func (%s) %s(%s);\n", list("result", form.results), name, list("param", form.params))
		}
		return
	}
	g.b.WriteString(".func ")
	if len(form.results) > 0 {
		fmt.Fprintf(&g.b, "(%s) ", list("result", form.results))
	}
	fmt.Fprintf(&g.b, "leaf%d(%s)\n{\n\t.reg .b32 %%x<4>;\n\t.reg .b64 %%y<3>;\n\t.reg .pred %%p;\n", n, list("param", form.params))
	x := func() string { return fmt.Sprintf("%%x%d", g.IntN(4)) }
	y := func() string { return fmt.Sprintf("%%y%d", g.IntN(3)) }
	for r := range 4 {
		g.plain("mov.u32 %%x%d, %s", r, among(g, "%tid.x", "%laneid", "%ctaid.x", "7", "0", "%warpid"))
	}
	for r := range 3 {
		g.plain("mov.u64 %%y%d, %d", r, g.IntN(1000))
	}
	g.plain("setp.lt.u32 %%p, %%x0, 5")
	g.plain("mov.u64 %%y2, elsewhere")
	for i, bits := range form.params {
		if bits == 32 {
			g.plain("ld.param.b32 %%arg%d, [param%[1]d]", i)
		} else {
			g.plain("ld.param.b64 %%warg%d, [param%[1]d]", i)
		}
	}
	source := func() string {
		if i := g.IntN(max(1, len(form.params))); i < len(form.params) && form.params[i] == 32 && g.IntN(2) == 0 {
			return fmt.Sprintf("%%arg%d", i)
		}
		return x()
	}
	for range 1 + g.IntN(8) {
		guard := among(g, "", "", "", "@%p ", "@!%p ")
		switch g.IntN(9) {
		case 0, 1:
			g.plain("%s%s %s, %s, %s", guard, among(g, "add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "min.s32"), x(), source(), source())
		case 2:
			g.plain("%smad.lo.u32 %s, %s, %s, %s", guard, x(), source(), source(), source())
		case 3:
			g.plain("setp.%s.u32 %%p, %s, %s", among(g, "lt", "gt", "eq"), source(), source())
		case 4:
			g.plain("%sadd.u64 %s, %s, %s", guard, y(), y(), y())
		case 5:
			g.plain("%sselp.b32 %s, %s, %s, %%p", guard, x(), source(), source())
		case 6:
			if !loads {
				continue
			}
			g.plain("and.b32 %%x0, %s, %d", source(), mixData-4)
			g.plain("cvt.u64.u32 %%y0, %%x0")
			g.plain("mov.u64 %%y2, elsewhere")
			g.plain("add.u64 %%y0, %%y0, %%y2")
			g.plain("%sld.global.u32 %s, [%%y0]", guard, x())
		case 7:
			g.plain("and.b32 %%x1, %s, %d", source(), mixShared-4)
			g.plain("%sld.shared.u32 %s, [%%x1]", guard, x())
		default:
			g.plain("%scvt.u64.u32 %s, %s", guard, y(), source())
		}
	}
	if g.IntN(8) == 0 { // not inlined
		g.plain(among(g, "bar.warp.sync -1", "st.global.u32 [elsewhere], %%x0", "div.u32 %%x0, %%x0, %%x1", "activemask.b32 %%x2"))
	}
	for i, bits := range form.results {
		if bits == 32 {
			g.plain("st.param.b32 [result%d], %s", i, among(g, x(), x(), source(), "77"))
		} else {
			g.plain("st.param.b64 [result%d], %s", i, among(g, y(), "%warg0"))
		}
	}
	g.plain("ret")
	g.b.WriteString("}\n")
	text := g.b.String() // registers of the parameters
	at := strings.LastIndex(text, "\t.reg .pred %p;\n")
	g.b.Reset()
	g.b.WriteString(text[:at] + "\t.reg .b32 %arg<3>;\n\t.reg .b64 %warg<3>;\n" + text[at:])
}

// callLeaf calls one of the small functions.
func (g *mixGrower) callLeaf() {
	n := g.IntN(len(leafForms))
	form := &leafForms[n]
	g.b.WriteString("\t{\n")
	var args, rets []string
	for i, bits := range form.params {
		g.plain(".param .b%d p%d", bits, i)
		args = append(args, fmt.Sprint("p", i))
	}
	for i, bits := range form.results {
		g.plain(".param .b%d r%d", bits, i)
		rets = append(rets, fmt.Sprint("r", i))
	}
	for i, bits := range form.params {
		if bits == 32 {
			g.plain("st.param.b32 [p%d], %s", i, among(g, g.r32(), g.r32(), "12"))
		} else {
			g.plain("st.param.b64 [p%d], %s", i, g.r64())
		}
		if g.IntN(6) == 0 {
			g.compute()
		}
	}
	guard := ""
	if g.IntN(8) == 0 {
		guard = fmt.Sprintf("@%s ", g.pred())
	}
	result := ""
	if len(rets) > 0 {
		result = fmt.Sprintf("(%s), ", strings.Join(rets, ", "))
	}
	name := fmt.Sprint("leaf", n)
	if form.served {
		name = among(g, servedNames(len(form.params))...)
	}
	g.plain("%scall %s%s, (%s)", guard, result, name, strings.Join(args, ", "))
	for i, bits := range form.results {
		if g.IntN(6) == 0 {
			g.compute()
		}
		if bits == 32 {
			g.plain("ld.param.b32 %s, [r%d]", g.r32(), i)
		} else {
			g.plain("ld.param.b64 %s, [r%d]", g.r64(), i)
		}
	}
	g.b.WriteString("\t}\n")
}
