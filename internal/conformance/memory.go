package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

var memoryMakers = map[string]trialMaker{
	"ld":       loads,
	"st":       stores,
	"atom":     atomics,
	"red":      atomics,
	"membar":   ordering,
	"fence":    ordering,
	"prefetch": prefetches,
	"multimem": multicast,
	"ldu":      loads,
}

// chunk is the size in bytes of one lane's share of a variable, the widest vector.
const chunk = 32

// shareOf returns the number of the share that a lane uses, which is never its own.
func shareOf(lane int) int { return (lane*7 + 3) % 32 }

// access is a parsed load or store form.
type access struct {
	form
	typ   string
	elems int
	bytes int // of one element
}

func parseAccess(f form) access {
	a := access{form: f, typ: f.types[0], elems: 1}
	if v := f.oneOf("v2", "v4", "v8"); v != "" {
		a.elems = int(v[1] - '0')
	}
	a.bytes = typeBits[a.typ] / 8
	return a
}

// spaces returns the spaces of the form's address: three for a generic one.
func (a *access) spaces() []string {
	if s := a.oneOf("global", "shared", "local", "const", "param"); s != "" {
		return []string{s}
	}
	return []string{"global", "shared", "local"}
}

func (a *access) generic() bool { return a.oneOf("global", "shared", "local", "const", "param") == "" }

// widths returns the possible widths of the elements' registers: any that is wide enough, except for floats.
func (a *access) widths() []int {
	own := max(typeBits[a.typ], 16)
	if isFloat(a.typ) {
		return []int{own}
	}
	var w []int
	for _, bits := range []int{16, 32, 64} {
		if bits >= own {
			w = append(w, bits)
		}
	}
	return w
}

// list returns the registers of the elements, in braces if they are a vector.
func (a *access) list() string {
	var names []string
	for i := range a.elems {
		names = append(names, "%v"+strconv.Itoa(i))
	}
	text := strings.Join(names, ", ")
	if a.elems > 1 {
		return "{" + text + "}"
	}
	return text
}

func randomBytes(seed string, n int) []byte {
	r := rand.New(rand.NewPCG(2, hash(seed)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// element returns element i of a lane's share, in the form's type in a register.
func (a *access) element(share []byte, i, width int) uint64 {
	v := uint64(0)
	for k := range a.bytes {
		v |= uint64(share[i*a.bytes+k]) << (8 * k)
	}
	return extended(a.typ, width, v)
}

// lanePointers sets %own and %out to the addresses of the lane's share of in and of its outBytes of out.
func lanePointers(w *kernelText, outBytes int) {
	w.line(".reg .b64 %%in, %%out, %%own, %%mine;")
	w.line(".reg .b32 %%i, %%t;")
	w.line("mov.u32 %%i, %%tid.x;")
	w.line("ld.param.u64 %%in, [in];")
	w.line("ld.param.u64 %%out, [out];")
	w.line("mad.wide.u32 %%own, %%i, %d, %%in;", chunk)
	w.line("mad.wide.u32 %%out, %%i, %d, %%out;", outBytes)
}

// variable opens a kernel with lanePointers and a variable of 32 shares in the space, which holds data if it is
// constant. %mine is the address of the share that the lane will access.
func variable(space string, data []byte, generic bool, outBytes int) string {
	var module, body, param string
	w := &kernelText{}
	switch space {
	case "const":
		module = ".const .align 32 .b8 v[1024] = {" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(data)), ", "), "[]") + "};\n"
	case "shared":
		body = "\t.shared .align 32 .b8 v[1024];\n"
	case "local":
		body = "\t.local .align 32 .b8 v[32];\n"
	case "param":
		param = ", .param .align 32 .b8 v[1024]"
	}
	lanePointers(w, outBytes)
	switch space {
	case "global":
		w.line("mov.u64 %%mine, %%in;")
	case "param":
		w.line("mov.b64 %%mine, v;")
	default:
		w.line("mov.u64 %%mine, v;")
	}
	if generic && space != "global" {
		w.line("cvta.%s.u64 %%mine, %%mine;", space)
	}
	if space != "local" {
		w.line("mad.lo.u32 %%i, %%i, 7, 3;")
		w.line("and.b32 %%i, %%i, 31;")
		w.line("mad.wide.u32 %%mine, %%i, %d, %%mine;", chunk)
	}
	return header + module + ".visible .entry k(.param .u64 in, .param .u64 out" + param + ")\n{\n" + body + w.String()
}

// fill copies the lane's share of in to the variable, byte by byte.
func fill(w *kernelText, space string) {
	if space != "shared" && space != "local" {
		return
	}
	w.line(".reg .b64 %%fill;")
	w.line("mov.u64 %%fill, v;")
	if space == "shared" {
		w.line("mov.u32 %%i, %%tid.x;")
		w.line("mad.wide.u32 %%fill, %%i, %d, %%fill;", chunk)
	}
	for b := range chunk {
		w.line("ld.global.u8 %%t, [%%own+%d];", b)
		w.line("st.%s.u8 [%%fill+%d], %%t;", space, b)
	}
	w.line("bar.sync 0;")
}

// loads fills a variable and loads from it, into registers of every width.
func loads(f form) []trial {
	if f.has(longType) {
		return longLoads(f)
	}
	a := parseAccess(f)
	var all []trial
	for _, space := range a.spaces() {
		for _, width := range a.widths() {
			all = append(all, a.load(space, width, ""))
		}
		if space == "param" { // at a place known when the kernel is loaded
			all = append(all, a.load(space, a.widths()[0], "v+64"))
		}
	}
	return all
}

func (a *access) load(space string, width int, at string) trial {
	data := randomBytes(fmt.Sprint(a.typ, width), 32*chunk)
	out := make([]byte, 32*8*a.elems)
	w := &kernelText{}
	fill(w, space)
	w.line(".reg .b%d %%v<%d>;", width, a.elems)
	from := at
	if at == "" {
		from = "%mine"
	}
	w.line("%s %s, [%s];", a.text, a.list(), from)
	want := make([]byte, 0, len(out))
	for i := range a.elems {
		w.line("st.global.b%d [%%out+%d], %%v%d;", width, 8*i, i)
	}
	for lane := range 32 {
		share := shareOf(lane)
		switch {
		case at != "":
			share = 64 / chunk
		case space == "local":
			share = lane
		}
		for i := range a.elems {
			want = binary.LittleEndian.AppendUint64(want, a.element(data[share*chunk:], i, width))
		}
	}
	tr := trial{src: variable(space, data, a.generic(), 8*a.elems) + w.String() + "\tret;\n}\n",
		buffers: [][]byte{data, out}, check: bytesMatch(want)}
	if space == "param" {
		tr.params = alignedParam(2, data)
	}
	return tr
}

// alignedParam returns data as a parameter aligned to 32 bytes after n pointers.
func alignedParam(n int, data []byte) []byte {
	return append(make([]byte, (32-8*n%32)%32), data...)
}

// stores writes registers to a variable and reads its bytes back.
func stores(f form) []trial {
	if f.has("bulk") {
		return partialCopies(f)
	}
	if f.has(longType) {
		return longStores(f)
	}
	a := parseAccess(f)
	var all []trial
	for _, space := range a.spaces() {
		for _, width := range a.widths() {
			if space == "param" {
				all = append(all, a.storeArgument(width), a.storeResult(width))
			} else {
				all = append(all, a.store(space, width))
			}
		}
	}
	return all
}

// sources loads the stored values from the lane's share of in.
func (a *access) sources(w *kernelText, width int) {
	w.line(".reg .b%d %%v<%d>;", width, a.elems)
	for i := range a.elems {
		w.line("ld.global.b%d %%v%d, [%%own+%d];", width, i, i*width/8%chunk)
	}
}

// stored returns the bytes that a lane with this share of in stores.
func (a *access) stored(share []byte, width int) []byte {
	var out []byte
	for i := range a.elems {
		at := i * width / 8 % chunk
		out = append(out, share[at:at+a.bytes]...)
	}
	return out
}

func (a *access) store(space string, width int) trial {
	data := randomBytes(fmt.Sprint(a.typ, width), 32*chunk)
	out := randomBytes("before", 32*chunk) // random, so that an extra byte is visible
	want := append([]byte{}, out...)
	w := &kernelText{}
	src := variable(space, nil, a.generic(), chunk)
	a.sources(w, width)
	switch space {
	case "global": // into out, at another lane's share
		w.line("sub.u64 %%mine, %%mine, %%in;")
		w.line("ld.param.u64 %%in, [out];")
		w.line("add.u64 %%mine, %%mine, %%in;")
		w.line("%s [%%mine], %s;", a.text, a.list())
	default:
		w.line("%s [%%mine], %s;", a.text, a.list())
		w.line("bar.sync 0;")
		reader := a.form.oneOf("shared", "local")
		if reader != "" {
			reader = "." + reader
		}
		for b := range a.elems * a.bytes {
			w.line("ld%s.u8 %%t, [%%mine+%d];", reader, b)
			w.line("st.global.u8 [%%out+%d], %%t;", b)
		}
	}
	for lane := range 32 {
		at := lane
		if space == "global" {
			at = shareOf(lane)
		}
		copy(want[at*chunk:], a.stored(data[lane*chunk:], width))
	}
	return trial{src: src + w.String() + "\tret;\n}\n", buffers: [][]byte{data, out}, check: bytesMatch(want)}
}

// storeArgument stores into an argument of a call; the callee copies it to memory.
func (a *access) storeArgument(width int) trial {
	w := &kernelText{}
	a.sources(w, width)
	w.line("{ .param .align 32 .b8 p0[32]; .param .b64 p1;")
	w.line("%s [p0], %s;", a.text, a.list())
	w.line("st.param.b64 [p1], %%out;")
	w.line("call copy, (p0, p1); }")
	callee := "\t.reg .b64 %to;\n\t.reg .b32 %t;\n\tld.param.u64 %to, [to];\n" + a.copyBytes("ld.param.u8 %%t, [p+%d];", "st.global.u8 [%%to+%d], %%t;")
	return a.callTrial(".func copy(.param .align 32 .b8 p[32], .param .b64 to)\n{\n"+callee+"\tret;\n}\n", w.String(), width)
}

// storeResult stores into the result of a function; the caller copies it.
func (a *access) storeResult(width int) trial {
	callee := &kernelText{}
	callee.line(".reg .b64 %%own;")
	callee.line("ld.param.u64 %%own, [from];")
	a.sources(callee, width)
	callee.line("%s [r], %s;", a.text, a.list())
	w := &kernelText{}
	w.line("{ .param .align 32 .b8 r0[32]; .param .b64 p0;")
	w.line("st.param.b64 [p0], %%own;")
	w.line("call (r0), make, (p0);")
	w.WriteString(a.copyBytes("ld.param.u8 %%t, [r0+%d];", "st.global.u8 [%%out+%d], %%t;"))
	w.line("}")
	return a.callTrial(".func (.param .align 32 .b8 r[32]) make(.param .b64 from)\n{\n"+callee.String()+"\tret;\n}\n", w.String(), width)
}

func (a *access) copyBytes(load, store string) string {
	w := &kernelText{}
	for b := range a.elems * a.bytes {
		w.line(load, b)
		w.line(store, b)
	}
	return w.String()
}

func (a *access) callTrial(callee, body string, width int) trial {
	data := randomBytes(fmt.Sprint(a.typ, width), 32*chunk)
	want := make([]byte, 32*chunk)
	for lane := range 32 {
		copy(want[lane*chunk:], a.stored(data[lane*chunk:], width))
	}
	w := &kernelText{}
	lanePointers(w, chunk)
	src := header + callee + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" + w.String() + body + "\tret;\n}\n"
	return trial{src: src, buffers: [][]byte{data, make([]byte, 32*chunk)}, check: bytesMatch(want)}
}

// ordering puts a fence, which must not change the result, between two stores and a load.
func ordering(f form) []trial {
	return []trial{perThread(f.text+";\n\tadd.u32 %r1, %r0, 5;", 32, func(i int) uint32 { return uint32(i) + 5 })}
}

func prefetches(f form) []trial {
	return []trial{perThread(f.text+" [%out];\n\tadd.u32 %r1, %r0, 5;", 32, func(i int) uint32 { return uint32(i) + 5 })}
}
