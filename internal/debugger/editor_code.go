package debugger

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// Instruction is an instruction of PTX as a disassembler shows it.
type Instruction struct {
	Address  uint64
	Text     string
	Function string // if it is the first of one, or of a label the label; "" for others
	Pos      isa.Pos
	Exists   bool // otherwise there is no instruction at the address
}

// Instructions returns n instructions, the first of them offset instructions after an address. Where there is none, one
// that does not exist stands in its place.
func (d *Debugger) Instructions(addr uint64, offset, n int) []Instruction {
	all := make([]Instruction, 0, n)
	for i := range n {
		to := int64(addr) + int64(offset) + int64(i)
		one := Instruction{Address: uint64(max(to, 0)), Text: "(no instruction)"}
		if at, ok := d.codeAtAddress(one.Address); ok && to >= 0 {
			fn := d.fns[at.fn]
			one.Text, one.Exists, one.Pos = source.Text(fn, at.pc), true, d.pos(at)
			if at.pc == 0 {
				one.Function = cxx.Short(fn.Name)
			}
			one.Function = strings.TrimSpace(strings.Join(append([]string{one.Function}, source.LabelsAt(fn, at.pc)...), " "))
		}
		all = append(all, one)
	}
	return all
}

// Memory is a place in memory: a space and an address in it, which for shared and local memory are those of a lane.
type Memory struct {
	Space string
	Addr  uint64
	In    View
}

// Read returns up to n bytes that can be read at an offset from a place in memory.
func (d *Debugger) Read(m Memory, offset int64, n int) (data []byte, err error) {
	addr := m.Addr + uint64(offset)
	from := func(s *scope) {
		most := sort.Search(n+1, func(i int) bool { _, ok := s.bytesAt(m.Space, m.In.Lane, addr, i); return !ok }) - 1
		if most > 0 {
			data, _ = s.bytesAt(m.Space, m.In.Lane, addr, most)
			data = slices.Clone(data)
		}
	}
	if m.Space != "shared" && m.Space != "local" {
		from(d.nowhere())
		return data, nil
	}
	err = d.In(m.In, func() error {
		s, err := d.scopeHere()
		if err == nil {
			from(s)
		}
		return err
	})
	return data, err
}

// Write changes bytes of memory, one after the other, as set does.
func (d *Debugger) Write(m Memory, offset int64, data []byte) error {
	if _, under := d.Focus(); !under {
		return errEnded
	}
	view := m.In
	if m.Space != "shared" && m.Space != "local" {
		view, _ = d.Focus()
	}
	view.Only = m.Space == "local"
	return d.In(view, func() error {
		return d.silently(func() error {
			for i, b := range data {
				if err := d.setCommand(&call{args: fmt.Sprintf("%s.u8:%d = %d", m.Space, m.Addr+uint64(offset)+uint64(i), b)}); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// SourceNames returns the names of the sources of the launches, and of the launch's code.
func (d *Debugger) SourceNames() []string {
	names := slices.Sorted(maps.Keys(d.cfg.Sources))
	for _, name := range d.allFiles() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Source returns the lines of a source by its name; none if they are not known.
func (d *Debugger) Source(name string) []string {
	if lines := d.sourceLines(name); len(lines) > 0 {
		return lines
	}
	for fn := range d.fns {
		if lines := d.linesOf(fn, name); len(lines) > 0 {
			return lines
		}
	}
	return nil
}
