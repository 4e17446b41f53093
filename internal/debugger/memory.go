package debugger

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/memory"
)

// spaceNames are the names of the readable state spaces.
var spaceNames = []string{"global", "shared", "local", "const", "param"}

// checkMemory checks the names of a state space and of an element type, which may be "".
func checkMemory(space, typ string) error {
	if !slices.Contains(spaceNames, space) {
		return isa.Unknown("state space", space, spaceNames)
	}
	t := isa.TypeByName(typ)
	if typ != "" && (t.Bytes() == 0 || t.Bytes() > 8) {
		return errorf("no type %q of an element in memory; there are u8 to u64, s8 to s64, f16, f32 and f64", typ)
	}
	return nil
}

// bytesAt returns size bytes of a state space as a lane sees it, for reading and writing; ok is false if not all of
// them exist.
func (s *scope) bytesAt(space string, lane int, addr uint64, size int) ([]byte, bool) {
	var data []byte
	switch {
	case space == "param":
		data = s.d.params()
	case space == returnedSpace:
		if s.active>>lane&1 == 0 {
			return nil, false
		}
		data = s.w.Returned(s.frame, s.pc-1, lane)
	case space == "shared" && s.frame != divergence.NoFrame:
		data = s.w.Shared().Data
		if peer, offset, ok := s.w.Peer(addr); ok {
			data, addr = peer.Data, offset
		}
	case space == "local" && s.frame != divergence.NoFrame:
		data = s.w.Local(lane)
	case space == "shared" || space == "local":
		return nil, false
	default:
		if window, in, ok := s.window(addr); ok && space == "global" {
			return s.bytesAt(window, lane, in, size)
		}
		r := s.d.program.Machine.Region(addr)
		if r == nil {
			return nil, false
		}
		data, addr = r.Data, addr-r.Base
	}
	if addr > uint64(len(data)) || uint64(size) > uint64(len(data))-addr {
		return nil, false
	}
	return data[addr:][:size], true
}

// window converts a generic address to a space and an address in it, if it is in the window of a space.
//
//go:noinline
func (s *scope) window(addr uint64) (space string, in uint64, ok bool) {
	base := addr / isa.WindowBytes * isa.WindowBytes
	switch base {
	case isa.SharedWindow, isa.SharedWindow + isa.WindowBytes:
		base, space = isa.SharedWindow, "shared"
	case isa.LocalWindow:
		space = "local"
	case isa.ParamWindow:
		space = "param"
	}
	return space, addr - base, space != ""
}

// load reads a little-endian number of up to 8 bytes.
func load(data []byte) uint64 {
	var word [8]byte
	copy(word[:], data)
	return binary.LittleEndian.Uint64(word[:])
}

// store writes the low bytes of a number.
func store(data []byte, bits uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(data, word[:])
}

// isParam reports whether a name is that of a parameter, in PTX or in the source.
func isParam(v *isa.Var, name string) bool { return v.Name == name || v.Source() == name && name != "" }

// params returns the bytes of the kernel's parameters, which set changes for the launch that is under way.
func (d *Debugger) params() []byte {
	if d.session != nil {
		if w, err := d.warp(); err == nil {
			return w.Params()
		}
	}
	return d.launch().Params
}

// param returns a parameter of the kernel, if it is a single number.
func (d *Debugger) param(name string) (value, bool) {
	if len(d.fns) == 0 {
		return value{}, false
	}
	kernel := d.fns[0]
	offsets, size := kernel.ParamLayout()
	params := d.params()
	if size > int64(len(params)) {
		return value{}, false
	}
	for i, p := range kernel.Params {
		t := shownAs(p.Type)
		if isParam(p, name) && p.Size() == int64(t.Bytes()) {
			return uniform(t, load(params[offsets[i]:][:t.Bytes()])), true
		}
	}
	return value{}, false
}

// regionText returns an address as name+offset, or as a number.
func (d *Debugger) regionText(addr uint64) string {
	r := d.pointsTo(addr)
	switch {
	case r == nil:
		return fmt.Sprintf("0x%x", addr)
	case addr == r.Base:
		return r.Shown()
	}
	return fmt.Sprintf("%s+%d", r.Shown(), addr-r.Base)
}

// pointsTo returns the region that contains an address or ends at it, because pointers at the end of a loop point
// there; nil if there is none.
func (d *Debugger) pointsTo(addr uint64) *memory.Region {
	if r := d.program.Machine.Region(addr); r != nil {
		return r
	}
	return d.program.Machine.Region(addr - 1)
}

// valueNames returns the names that expressions can use.
func (d *Debugger) valueNames() []string {
	var names []string
	if s, err := d.scopeHere(); err == nil && s.frame != divergence.NoFrame {
		for _, v := range s.variables() {
			names = append(names, v.Name)
		}
		for _, r := range s.fn().Regs {
			names = append(names, r.Name)
		}
	}
	if len(d.fns) > 0 {
		for _, p := range d.fns[0].Params {
			names = append(names, p.Shown())
		}
	}
	for i := range d.objects {
		if name := cxx.Variable(d.objects[i].name); !strings.Contains(name, "$") { // not what a compiler made
			names = append(names, name)
		}
	}
	return append(names, slices.Sorted(maps.Keys(d.variables))...)
}

// sameMemory reports whether two spaces share their addresses.
//
//go:noinline
func sameMemory(a, b string) bool {
	common := func(space string) string {
		if space == "const" {
			return "global"
		}
		return space
	}
	return common(a) == common(b)
}
