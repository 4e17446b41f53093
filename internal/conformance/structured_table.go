package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// tableLoad is a load from a table that all threads of the grid read, at a place that depends on the number of the
// thread: the number times stride plus first, modulo 2 to the 32.
type tableLoad struct {
	in            *pattern // a load from global memory
	dst           []int
	table         int // of tables
	mods          string
	stride, first uint32
	// masked says that the place is taken modulo a power of 2; otherwise lanes outside of the table do not load.
	masked bool
	way    int // in which the address is computed
}

const (
	tableBytes = 488 // no power of 2
	tableMask  = 256
)

var (
	tables    = []string{"global", "const", "param"}
	tableMods = map[string][]string{"global": {"ld.global", "ld.global", "ld", "ld.global.nc", "ld.volatile.global"}, "const": {"ld.const"}, "param": {"ld.param"}}
)

// tableData returns the contents of a table.
func tableData(table int) []byte { return randomBytes("table "+tables[table], tableBytes) }

// tablePatterns are loads from global memory of at most 16 bytes.
var tablePatterns = sync.OnceValue(func() (all []*pattern) {
	for _, group := range allPatterns() {
		for i := range group {
			p := &group[i]
			if p.op == "ld" && p.has("global") && p.space == globalScratch && p.access.elems*p.access.bytes <= 16 {
				all = append(all, p)
			}
		}
	}
	return all
})

// table makes a load from a table.
func (g *structuredGrower) table() *tableLoad {
	all := tablePatterns()
	x := &tableLoad{in: all[g.IntN(len(all))], table: g.IntN(len(tables)), masked: g.IntN(3) == 0, way: g.IntN(3)}
	if g.f != nil {
		x.table = g.IntN(2)
	}
	g.p.tables[x.table] = true
	mods := tableMods[tables[x.table]]
	x.mods = mods[g.IntN(len(mods))]
	for i, d := range x.in.dst {
		reg := chooseResult(d, x.dst, g.Rand)
		if len(x.in.dst) > 1 && g.IntN(8) == 0 && slices.ContainsFunc(x.dst, func(r int) bool { return r != sink }) || i+1 < len(x.in.dst) && g.IntN(16) == 0 {
			reg = sink
		}
		x.dst = append(x.dst, reg)
	}
	n := uint32(x.size())
	if x.masked {
		x.first, x.stride = g.Uint32(), g.Uint32()>>g.IntN(32)
		return x
	}
	x.stride = []uint32{0, n, n, -n, 2 * n, 3 * n, -(3 * n), 16 * n, 1 << 31}[g.IntN(9)]
	x.first = uint32(g.IntN(tableBytes)) / n * n
	return x
}

func (x *tableLoad) size() int { return x.in.access.elems * x.in.access.bytes }

// at returns the place of a thread in the table; false if the thread does not load.
func (x *tableLoad) at(thread int) (at int, loads bool) {
	place := uint32(thread)*x.stride + x.first
	if x.masked {
		return int(place & uint32(tableMask-x.size())), true
	}
	return int(place), place <= uint32(tableBytes-x.size())
}

// load executes the load on the lanes that are here.
func (w *walk) load(x *tableLoad) {
	data := tableData(x.table)
	for i := range w.lanes {
		l := &w.lanes[i]
		at, loads := x.at(i)
		if l.at != here || !loads {
			continue
		}
		values := x.in.access.execute(data[at:], nil, globalScratch, x.in.dst[0].width())
		for k, reg := range x.dst {
			if reg != sink {
				l.regs[reg] = values[k]
			}
		}
	}
}

// load writes the load.
func (w *structuredText) load(x *tableLoad) {
	name, guard, base := "table_"+tables[x.table], "", "%y"
	w.line("mov.b64 %%y, %s;", name)
	displacement := uint32(0)
	switch {
	case x.masked:
		w.line("mad.lo.u32 %%v, %%t, %d, %d;", x.stride, x.first)
		w.line("and.b32 %%v, %%v, %d;", tableMask-x.size())
	default:
		w.line("mad.lo.u32 %%v, %%t, %d, %d;", x.stride, x.first)
		w.line("setp.le.u32 %%l, %%v, %d;", tableBytes-x.size())
		guard = "@%l "
	}
	switch {
	case x.way == 0 && !x.masked && x.stride < 1<<16:
		displacement = x.first
		w.line("mad.wide.u32 %%y, %%t, %d, %%y;", x.stride)
	case x.way == 0 && !x.masked && x.stride != 1<<31:
		displacement = x.first
		w.line("mad.wide.s32 %%y, %%t, %d, %%y;", int32(x.stride))
	case x.way == 1:
		w.line("cvt.u64.u32 %%x, %%v;")
		w.line("add.u64 %%y, %%y, %%x;")
	default:
		w.line("mad.wide.u32 %%y, %%v, 1, %%y;")
	}
	var names []string
	for _, reg := range x.dst {
		if reg == sink {
			names = append(names, "_")
		} else {
			names = append(names, registers[reg].name)
		}
	}
	list := strings.Join(names, ", ")
	if len(names) > 1 {
		list = "{" + list + "}"
	}
	w.line("%s%s %s, [%s+%d];", guard, strings.Replace(x.in.text, "ld.global", x.mods, 1), list, base, displacement)
}

// declareTables declares the tables that the program reads, but the parameter.
func (p *Structured) declareTables() (text string) {
	for i, name := range tables {
		if p.tables[i] && name != "param" {
			data := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(tableData(i))), ", "), "[]")
			text += fmt.Sprintf(".%s .align 16 .b8 table_%[1]s[%d] = {%s};\n", name, tableBytes, data)
		}
	}
	return text
}

// params are the kernel's parameters, and the value of those after the buffers.
func (p *Structured) params() (text string, values []byte) {
	text = "(.param .u64 in, .param .u64 out"
	if p.tables[slices.Index(tables, "param")] {
		if values = tableData(slices.Index(tables, "param")); p.narrow { // after 8 bytes of pointers
			values = append(make([]byte, 8), values...)
		}
		return fmt.Sprintf("%s, .param .align 16 .b8 table_param[%d])", text, tableBytes), values
	}
	return text + ")", nil
}
