package main

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
)

// loaded is a program or library, with the functions in its file. Addresses are those of the file.
type loaded struct {
	file    string
	symbols []elf.Symbol // functions, by address
	debug   *dwarf.Data  // nil without debug information
}

// frame is a call that is open: of a function, or of one that was inlined.
type frame struct {
	name   string // of the function; "" if it is not known
	offset uint64 // in the function; in the file if the function is not known
	binary string // file of the program or library
	file   string // of the source; "" without debug information
	line   int    // 0 without debug information
}

// openBinary reads a file. The file may be missing, or have no symbols: then its functions are unknown.
func openBinary(file string) *loaded {
	if b := dev.binaries[file]; b != nil {
		return b
	}
	b := &loaded{file: file}
	dev.binaries[file] = b
	f, err := elf.Open(file)
	if err != nil {
		return b
	}
	defer f.Close()
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range slices.Concat(static, dynamic) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			b.symbols = append(b.symbols, s)
		}
	}
	slices.SortStableFunc(b.symbols, func(a, b elf.Symbol) int {
		return int(min(max(int64(a.Value-b.Value), -1), 1))
	})
	b.debug, _ = f.DWARF()
	return b
}

// frames returns the calls that are open at an address, the innermost first: at least one.
func (b *loaded) frames(at uintptr) []frame {
	outer := frame{binary: b.file, offset: uint64(at) + 1}
	after, _ := slices.BinarySearchFunc(b.symbols, uint64(at)+1, func(s elf.Symbol, at uint64) int {
		if s.Value < at {
			return -1
		}
		return 1
	})
	if after > 0 {
		if s := &b.symbols[after-1]; s.Size == 0 || uint64(at) < s.Value+s.Size {
			outer.name, outer.offset = cxx.Short(s.Name), uint64(at)-s.Value+1
		}
	}
	if b.debug == nil {
		return []frame{outer}
	}
	return b.inlined(uint64(at), outer)
}

// inlined returns the frames of a function at an address, from the one that was inlined last.
func (b *loaded) inlined(at uint64, outer frame) []frame {
	r := b.debug.Reader()
	unit, err := r.SeekPC(at)
	if err != nil {
		return []frame{outer}
	}
	lines, err := b.debug.LineReader(unit)
	if err != nil || lines == nil {
		return []frame{outer}
	}
	var entry dwarf.LineEntry
	if lines.SeekPC(at, &entry) != nil || entry.File == nil {
		return []frame{outer}
	}
	files, file, line := lines.Files(), entry.File.Name, entry.Line
	var all []frame
	for _, call := range b.inlinedAt(r, at) {
		f := outer
		f.name, f.file, f.line = b.nameOf(call), sourceName(unit, file), line
		all = append(all, f)
		from, _ := call.Val(dwarf.AttrCallFile).(int64)
		n, _ := call.Val(dwarf.AttrCallLine).(int64)
		if file, line = "", int(n); from >= 0 && from < int64(len(files)) && files[from] != nil {
			file = files[from].Name
		}
	}
	outer.file, outer.line = sourceName(unit, file), line
	return append(all, outer)
}

// sourceName returns the name of a source file of a unit. debug/dwarf puts the folder of the compilation before names
// of DWARF 5 that are absolute already.
func sourceName(unit *dwarf.Entry, file string) string {
	folder, _ := unit.Val(dwarf.AttrCompDir).(string)
	name, ok := strings.CutPrefix(file, folder)
	if !ok || !filepath.IsAbs(name) {
		return file
	}
	if name == unit.Val(dwarf.AttrName) {
		return name
	}
	if _, err := os.Stat(file); err != nil {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return file
}

// inlinedAt returns the inlined calls of the unit that r has read the entry of, the innermost first.
func (b *loaded) inlinedAt(r *dwarf.Reader, at uint64) (calls []*dwarf.Entry) {
	for depth := 0; ; {
		e, err := r.Next()
		if err != nil || e == nil {
			return calls
		}
		switch e.Tag {
		case 0:
			if depth--; depth < 0 {
				return calls
			}
			continue
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock:
			if !b.contains(e, at) {
				break
			}
			if e.Tag == dwarf.TagInlinedSubroutine {
				calls = slices.Insert(calls, 0, e)
			}
			if e.Children {
				depth++
			}
			continue
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType: // have functions within
			if e.Children {
				depth++
			}
			continue
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}

func (b *loaded) contains(e *dwarf.Entry, at uint64) bool {
	ranges, err := b.debug.Ranges(e)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= at && at < r[1] })
}

// nameOf returns the name of an inlined function, which is that of its origin.
func (b *loaded) nameOf(e *dwarf.Entry) string {
	for range 4 { // an origin may have an origin, or be the definition of a declaration
		if name, ok := e.Val(dwarf.AttrLinkageName).(string); ok {
			return cxx.Short(name)
		}
		if name, ok := e.Val(dwarf.AttrName).(string); ok {
			return name
		}
		from, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if from, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		r := b.debug.Reader()
		r.Seek(from)
		var err error
		if e, err = r.Next(); err != nil || e == nil {
			return ""
		}
	}
	return ""
}

// sourceLine returns a line of a source file without the space around it; "" if it cannot be read.
func sourceLine(file string, line int) string {
	f, err := os.Open(file)
	if err != nil || line == 0 {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if n == line {
			return strings.TrimSpace(lines.Text())
		}
	}
	return ""
}

// shortened returns a path relative to the working folder if it is below that.
func shortened(file string) string {
	if here, err := os.Getwd(); err == nil {
		if name, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(name) {
			return name
		}
	}
	return file
}
