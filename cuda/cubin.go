package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"slices"
)

// cubinSection is the section with the PTX of a cubin that Cubin makes. The driver library knows the name, too.
const cubinSection = ".simtrun.ptx"

// Symbol is a function or a variable that a cubin defines or refers to.
type Symbol struct {
	Name      string
	Function  bool
	Undefined bool
	Weak      bool
	// Data is the initial value of a variable in global or constant memory; addresses in it are 0.
	Data []byte
}

// Cubin returns a cubin for a GPU of an architecture (90), with PTX instead of machine code. simtrun's driver library
// loads it; NVIDIA's does not find code in it. Linkers need the symbols to find the files that define them, and
// OpenMP's runtime to learn how kernels are launched.
func Cubin(ptx []byte, arch int, symbols ...Symbol) []byte {
	return newCubin(ptx, arch, elf.ET_EXEC, symbols)
}

// RelocatableCubin returns a cubin with code to be linked with other files, like that of ptxas -c.
func RelocatableCubin(ptx []byte, arch int, symbols ...Symbol) []byte {
	return newCubin(ptx, arch, elf.ET_REL, symbols)
}

// PTXOfCubin returns the PTX in a file that Cubin or RelocatableCubin has made.
func PTXOfCubin(file []byte) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	section := f.Section(cubinSection)
	if section == nil {
		return nil, errors.New("it has no PTX, only machine code")
	}
	text, err := section.Data()
	return bytes.TrimRight(text, "\x00"), err
}

func newCubin(ptx []byte, arch int, kind elf.Type, symbols []Symbol) []byte {
	w := newELF(kind, arch)
	w.section(cubinSection, elf.SHT_PROGBITS, append(bytes.Clone(ptx), 0), elf.Section64{Addralign: 1})
	if len(symbols) > 0 {
		w.symbols(symbols)
	}
	return w.end()
}

// elfWriter writes a GPU's ELF file, with the section table at the end.
type elfWriter struct {
	header elf.Header64
	file   bytes.Buffer
	names  bytes.Buffer // of sections
	table  []elf.Section64
}

func newELF(kind elf.Type, arch int) *elfWriter {
	const machineCUDA, abiCUDA, is64Bit = 190, 51, 0x400
	w := &elfWriter{table: []elf.Section64{{}}}
	w.header = elf.Header64{
		Type: uint16(kind), Machine: machineCUDA, Version: uint32(elf.EV_CURRENT), Flags: uint32(arch)<<16 | is64Bit | uint32(arch),
		Ehsize: uint16(binary.Size(w.header)), Shentsize: uint16(binary.Size(elf.Section64{})),
	}
	copy(w.header.Ident[:], elf.ELFMAG)
	ident := w.header.Ident[:]
	ident[elf.EI_CLASS], ident[elf.EI_DATA], ident[elf.EI_VERSION], ident[elf.EI_OSABI] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT), abiCUDA
	w.write(w.header)
	w.names.WriteByte(0)
	return w
}

func (w *elfWriter) write(v any) { binary.Write(&w.file, binary.LittleEndian, v) } // writing to a buffer cannot fail

// pad aligns the end of the file to 8 bytes.
func (w *elfWriter) pad() { w.file.Write(make([]byte, -w.file.Len()&7)) }

// section adds a section; s has the fields that do not follow from the contents.
func (w *elfWriter) section(name string, kind elf.SectionType, contents []byte, s elf.Section64) {
	w.pad()
	s.Name, s.Type, s.Off, s.Size = uint32(w.names.Len()), uint32(kind), uint64(w.file.Len()), uint64(len(contents))
	w.names.WriteString(name + "\x00")
	w.file.Write(contents)
	w.table = append(w.table, s)
}

// symbols adds symbols, and the values of variables. Symbols of functions refer to the first section, which has the
// PTX.
func (w *elfWriter) symbols(all []Symbol) {
	var data, table, names bytes.Buffer
	names.WriteByte(0)
	binary.Write(&table, binary.LittleEndian, elf.Sym64{})
	for _, s := range all {
		symbol := elf.Sym64{Name: uint32(names.Len()), Info: symbolInfo(s)}
		names.WriteString(s.Name + "\x00")
		switch {
		case s.Undefined:
			symbol.Shndx = uint16(elf.SHN_UNDEF)
		case s.Function:
			symbol.Shndx = 1
		default:
			data.Write(make([]byte, -data.Len()&15))
			symbol.Shndx, symbol.Value, symbol.Size = uint16(len(w.table)), uint64(data.Len()), uint64(len(s.Data))
			data.Write(s.Data)
		}
		binary.Write(&table, binary.LittleEndian, symbol)
	}
	w.section(".nv.global.init", elf.SHT_PROGBITS, data.Bytes(), elf.Section64{Addralign: 8})
	w.section(".symtab", elf.SHT_SYMTAB, table.Bytes(), elf.Section64{
		Link: uint32(len(w.table)) + 1, Info: 1, Addralign: 8, Entsize: uint64(binary.Size(elf.Sym64{})), // Link is the section after it, Info the first global symbol
	})
	w.section(".strtab", elf.SHT_STRTAB, names.Bytes(), elf.Section64{Addralign: 1})
}

// symbolInfo returns a symbol's binding and type.
func symbolInfo(s Symbol) byte {
	binding, kind := elf.STB_GLOBAL, elf.STT_OBJECT
	if s.Weak {
		binding = elf.STB_WEAK
	}
	if s.Function {
		kind = elf.STT_FUNC
	}
	return elf.ST_INFO(binding, kind)
}

// end returns the complete file.
func (w *elfWriter) end() []byte {
	const names = ".shstrtab"
	w.section(names, elf.SHT_STRTAB, slices.Concat(w.names.Bytes(), []byte(names+"\x00")), elf.Section64{Addralign: 1})
	w.pad()
	w.header.Shoff, w.header.Shnum, w.header.Shstrndx = uint64(w.file.Len()), uint16(len(w.table)), uint16(len(w.table)-1)
	w.write(w.table)
	file := w.file.Bytes()
	var header bytes.Buffer
	binary.Write(&header, binary.LittleEndian, w.header)
	copy(file, header.Bytes())
	return file
}
