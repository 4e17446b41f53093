package debugger

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/memory"
)

// spaceNames are the state spaces that can be read, by name.
var spaceNames = []string{"global", "shared", "local", "const", "param"}

// checkMemory reports what is wrong with a state space, or with the type of an
// element in it, which may be left out.
func checkMemory(space, typ string) error {
	if !slices.Contains(spaceNames, space) {
		return isa.Unknown("state space", space, spaceNames)
	}
	t := isa.TypeByName(typ)
	if typ != "" && (t.Bytes() == 0 || t.Bytes() > 8) {
		return fmt.Errorf("no type %q of an element in memory; there are u8 to u64, s8 to s64, f16, f32 and f64", typ)
	}
	return nil
}

// bytesAt is size bytes of a state space as a lane sees it, to be read and
// written; false if they are not all there.
func (s *scope) bytesAt(space string, lane int, addr uint64, size int) ([]byte, bool) {
	var data []byte
	switch {
	case space == "param":
		data = s.d.launch().Params
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

// window is the space and address in it that a generic address stands for, if it
// is in the window of one.
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

// load is a little-endian number of up to 8 bytes.
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

// param is a parameter of the kernel, if it is a single number.
func (d *Debugger) param(name string) (value, bool) {
	if len(d.fns) == 0 {
		return value{}, false
	}
	kernel := d.fns[0]
	offsets, size := kernel.ParamLayout()
	if size > int64(len(d.launch().Params)) {
		return value{}, false
	}
	for i, p := range kernel.Params {
		t := shownAs(p.Type)
		if p.Name == name && p.Size() == int64(t.Bytes()) {
			return uniform(t, load(d.launch().Params[offsets[i]:][:t.Bytes()])), true
		}
	}
	return value{}, false
}

// regionText is an address as name+offset, or as it is.
func (d *Debugger) regionText(addr uint64) string {
	r := d.pointsTo(addr)
	switch {
	case r == nil:
		return fmt.Sprintf("0x%x", addr)
	case addr == r.Base:
		return r.Name
	}
	return fmt.Sprintf("%s+%d", r.Name, addr-r.Base)
}

// pointsTo is the region that an address is in or, as pointers at the end of a
// loop are, just past; nil if there is none.
func (d *Debugger) pointsTo(addr uint64) *memory.Region {
	if r := d.program.Machine.Region(addr); r != nil {
		return r
	}
	return d.program.Machine.Region(addr - 1)
}

// valueNames are the names that expressions can have.
func (d *Debugger) valueNames() []string {
	var names []string
	if s, err := d.scopeHere(); err == nil && s.frame != divergence.NoFrame {
		for _, r := range s.fn().Regs {
			names = append(names, r.Name)
		}
	}
	if len(d.fns) > 0 {
		for _, p := range d.fns[0].Params {
			names = append(names, p.Name)
		}
	}
	for i := range d.objects {
		names = append(names, d.objects[i].name)
	}
	return names
}
