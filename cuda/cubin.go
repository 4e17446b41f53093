package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
)

// cubinSection is the section with the PTX of a cubin that Cubin makes. The driver library knows the name, too.
const cubinSection = ".simtrun.ptx"

// Cubin is an object file of the kind in which machine code for a GPU of an architecture (90) comes, with PTX in the place of the code.
// simtrun's driver library loads it; NVIDIA's finds no code in it.
func Cubin(ptx []byte, arch int) []byte {
	const machineCUDA, abiCUDA, is64Bit = 190, 51, 0x400
	const headerSize, sectionSize = 64, 64
	names := "\x00" + cubinSection + "\x00.shstrtab\x00"
	contents := append(bytes.Clone(ptx), 0)
	textAt := uint64(headerSize)
	namesAt := textAt + uint64(len(contents))
	tableAt := (namesAt + uint64(len(names)) + 7) / 8 * 8
	h := elf.Header64{
		Type: uint16(elf.ET_EXEC), Machine: machineCUDA, Version: uint32(elf.EV_CURRENT), Flags: uint32(arch)<<16 | is64Bit | uint32(arch),
		Shoff: tableAt, Ehsize: headerSize, Shentsize: sectionSize, Shnum: 3, Shstrndx: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION], h.Ident[elf.EI_OSABI] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT), abiCUDA
	var file bytes.Buffer
	write := func(v any) { binary.Write(&file, binary.LittleEndian, v) } // a buffer takes all
	write(h)
	file.Write(contents)
	io.WriteString(&file, names)
	file.Write(make([]byte, int(tableAt)-file.Len()))
	write([]elf.Section64{
		{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: textAt, Size: uint64(len(contents)), Addralign: 1},
		{Name: uint32(2 + len(cubinSection)), Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names)), Addralign: 1},
	})
	return file.Bytes()
}
