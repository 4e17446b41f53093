package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/tensorcase"
)

// mapField is a field of a tensor map, for tensormap.replace.
type mapField struct {
	name    string
	ordinal int // -1: it has no ordinal
	value   string
}

// mapFields are the fields of the map of a tensor of .u32 with its address in a register.
func mapFields(c *tensorcase.Case, address string) []mapField {
	number := strconv.Itoa
	all := []mapField{{"global_address", -1, address}, {"rank", -1, number(len(c.Sizes) - 1)}, {"elemtype", -1, "2"},
		{"interleave_layout", -1, "0"}, {"swizzle_mode", -1, map[int]string{0: "0", 32: "1"}[c.Swizzle]}, {"fill_mode", -1, "0"}}
	for d := range c.Sizes {
		all = append(all, mapField{"box_dim", d, number(c.Box[d])}, mapField{"global_dim", d, number(c.Sizes[d])}, mapField{"element_stride", d, number(c.Steps[d])})
	}
	for d, stride := range c.Strides {
		all = append(all, mapField{"global_stride", d, number(stride)})
	}
	return all
}

// replace sets the field of the map at an address.
func (m *mapField) replace(space, at string) string {
	size := "b32"
	value := m.value
	if m.name == "global_address" || m.name == "global_stride" {
		size = "b64"
	}
	if m.ordinal >= 0 {
		value = fmt.Sprintf("%d, %s", m.ordinal, value)
	}
	if space != "" {
		space = "." + space
	}
	return fmt.Sprintf("@%%p1 tensormap.replace.tile.%s%s.b1024.%s %s, %s;", m.name, space, size, at, value)
}

// tensorCase is a copy of part of a tensor with a number of dimensions: by steps of two in the second dimension, and
// over its edge.
func tensorCase(dims int, four, store bool) *tensorcase.Case {
	c := &tensorcase.Case{Type: "u32", Size: 4, Sizes: []int{12, 5, 4, 3, 2}[:dims], Strides: []int{64, 320, 1280, 3840}[:dims-1],
		Box: []int{8, 4, 2, 2, 1}[:dims], Steps: []int{1, 2, 1, 1, 1}[:dims], Coords: []int{-2, 3, 1, 2, 1}[:dims], Swizzle: 32, Atom: "16"}
	if four {
		c.Four, c.Box, c.Coords, c.Steps = true, []int{8, 1}, []int{-2, 3, 0, 9, 1}, []int{1, 1}
	}
	if store {
		c.Coords[0] = 7
	}
	return c
}

const sharedBytes = 4096 // size of shared memory, where the copies have their other side

// tensorTrials have a warp make a tensor map field by field in shared memory and publish it, and a thread copy by it:
// by the form, if it is a copy of boxes, or else to shared memory.
func tensorTrials(f form) []trial {
	// only the host makes their maps, or they need blocks of a cluster
	if f.has("im2col") || f.has("im2col_no_offs") || f.has("multicast::cluster") {
		return nil
	}
	dims, store := 2, f.has("bulk_group")
	for d := range 5 {
		if f.has(fmt.Sprintf("%dd", d+1)) {
			dims = d + 1
		}
	}
	c := tensorCase(dims, f.has("tile::gather4") || f.has("tile::scatter4"), store)
	in := randomBytes(f.text, max(c.Span(), sharedBytes))
	w := &kernelText{}
	w.tensorMap(f, c, store)
	coords := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Coords)), ", "), "[]")
	place := fmt.Sprintf("[%%rd2, {%s}]", coords)
	hint := ""
	if f.has("L2::cache_hint") {
		hint = ", %rd4"
	}
	before, want := make([]byte, sharedBytes), make([]byte, sharedBytes)
	if store {
		w.storeTensor(f, place, hint)
		before, want = f.storedTensor(c, in)
	} else {
		w.loadTensor(f, c, dims, place, hint)
		copy(want, in[:sharedBytes])
		c.Load(want, in, 0)
	}
	w.line("ret;")
	tr := perThread(w.String(), 32, nil)
	tr.src = strings.Replace(tr.src, "k(", "k(.param .u64 in, .param .u64 map, ", 1)
	tr.src = strings.Replace(tr.src, "sm_90", "sm_100a", 1)
	tr.buffers = [][]byte{in, make([]byte, 256), before}
	tr.check = bytesMatch(want)
	return []trial{tr}
}

// storeTensor copies from shared memory by the form.
func (w *kernelText) storeTensor(f form, place, hint string) {
	w.line("@%%p1 %s %s, [%%r2]%s;", f.text, place, hint)
	w.line("@%%p1 cp.async.bulk.commit_group;")
	w.line("@%%p1 cp.async.bulk.wait_group 0;")
}

// storedTensor returns the tensor's memory before and after the form copies in to it.
func (f form) storedTensor(c *tensorcase.Case, in []byte) (before, after []byte) {
	before = make([]byte, c.Span())
	if f.has("reduce") {
		before = randomBytes("before "+f.text, c.Span())
	}
	after = bytes.Clone(before)
	c.Reduce(after, in, 0, func(old, by []byte) {
		binary.LittleEndian.PutUint32(old, f.reduced(binary.LittleEndian.Uint32(old), binary.LittleEndian.Uint32(by)))
	})
	return before, after
}

// loadTensor copies to shared memory, by the form if it is a copy, and then to out.
func (w *kernelText) loadTensor(f form, c *tensorcase.Case, dims int, place, hint string) {
	load, loadHint := fmt.Sprintf("cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes", dims), ""
	if c.Four {
		load = strings.Replace(load, ".tile", ".tile::gather4", 1)
	}
	switch {
	case f.op != "cp":
	case f.has("prefetch"):
		w.line("@%%p1 %s %s%s;", f.text, place, hint)
	default:
		load, loadHint = f.text, hint
	}
	w.line("@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %d;", c.Bytes())
	w.line("@%%p1 %s [%%r2], %s, [bar]%s;", load, place, loadHint)
	w.line("WAIT: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0;")
	w.line("@!%%p2 bra WAIT;")
	w.copyShared("st.global.u32 [%%rd5], %%r5;", "ld.shared.u32 %%r5, [%%r4];", "%%rd3", "B")
}

// reduced returns the new value of an element of type .u32.
func (f form) reduced(old, by uint32) uint32 {
	switch f.oneOf("add", "min", "max", "inc", "dec", "and", "or", "xor") {
	case "add":
		return old + by
	case "min":
		return min(old, by)
	case "max":
		return max(old, by)
	case "inc":
		if old >= by {
			return 0
		}
		return old + 1
	case "dec":
		if old == 0 || old > by {
			return by
		}
		return old - 1
	case "and":
		return old & by
	case "or":
		return old | by
	case "xor":
		return old ^ by
	}
	return by // a plain copy
}

// tensorMap writes the code that makes the map of a case, with its address in %rd2, and fills shared memory.
func (w *kernelText) tensorMap(f form, c *tensorcase.Case, store bool) {
	w.line(".shared .align 1024 .b8 s[4096];")
	w.line(".shared .align 128 .b8 m[128];")
	w.line(".shared .align 8 .b64 bar;")
	w.line("ld.param.u64 %%rd1, [in];")
	w.line("ld.param.u64 %%rd2, [map];")
	w.line("ld.param.u64 %%rd3, [out];")
	w.line("mov.u64 %%rd4, 0;")
	w.line("setp.eq.u32 %%p1, %%r0, 0;")
	w.line("@%%p1 mbarrier.init.shared.b64 [bar], 1;")
	w.line("mov.u32 %%r2, s;")
	w.line("mov.u32 %%r3, m;")
	w.copyShared("st.shared.u32 [%%r4], %%r5;", "ld.global.u32 %%r5, [%%rd5];", "%%rd1", "A")
	w.line("mad.lo.u32 %%r4, %%r0, 4, %%r3;")
	w.line("st.shared.u32 [%%r4], 0;")
	w.line("fence.proxy.async;")
	w.line("bar.sync 0;")
	address := "%rd1"
	if store {
		address = "%rd3"
	}
	inGlobal := f.op == "tensormap" && f.has("replace") && !f.has("shared") // the form's map
	fields := mapFields(c, address)
	if f.has("swizzle_atomicity") {
		fields = append(fields, mapField{"swizzle_atomicity", -1, "0"})
	}
	var late []mapField
	for _, field := range fields {
		if inGlobal && f.has(field.name) {
			late = append(late, field)
			continue
		}
		w.line("%s", field.replace("shared::cta", "[%r3]"))
	}
	w.line("bar.sync 0;")
	publish := "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
	if f.has("cp_fenceproxy") {
		publish = f.text
	}
	w.line("%s [%%rd2], [%%r3], 128;", publish)
	for _, field := range late {
		w.line("%s", field.replace(f.oneOf("global"), "[%rd2]"))
	}
	w.line("fence.proxy.tensormap::generic.release.gpu;")
	w.line("fence.proxy.tensormap::generic.acquire.gpu [%%rd2], 128;")
}

// copyShared copies the words of shared memory, each lane every 32nd, between %r4 and %rd5 in a loop with a label.
func (w *kernelText) copyShared(store, load, global, label string) {
	w.line("mad.lo.u32 %%r4, %%r0, 4, %%r2;")
	w.line("mad.wide.u32 %%rd5, %%r0, 4, " + global + ";")
	w.line("mov.u32 %%r6, 0;")
	w.line(label + ":")
	w.line(load)
	w.line(store)
	w.line("add.u32 %%r4, %%r4, 128;")
	w.line("add.u64 %%rd5, %%rd5, 128;")
	w.line("add.u32 %%r6, %%r6, 128;")
	w.line("setp.lt.u32 %%p2, %%r6, 4096;")
	w.line("@%%p2 bra " + label + ";")
}
