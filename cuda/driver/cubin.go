package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"
)

// machineCode is the error for a cubin with machine code.
const machineCode = noBinary("the image is machine code of a GPU (a cubin); simtrun runs PTX, which compilers make with -arch=compute_NN or clang's --cuda-device-only -S")

// cubinPTX returns the PTX of a cubin made by simtrun (cuda.Cubin), with PTX in place of machine code. Like machine
// code, it runs only on GPUs of the same major version.
func cubinPTX(image unsafe.Pointer, target int) ([]byte, error) {
	const machineCUDA, mostBytes = 190, 1 << 31
	var h elf.Header64
	if _, err := binary.Decode(unsafe.Slice((*byte)(image), binary.Size(h)), binary.LittleEndian, &h); err != nil {
		return nil, err
	}
	if h.Ident[elf.EI_CLASS] != byte(elf.ELFCLASS64) || h.Machine != machineCUDA || h.Shentsize != 64 || h.Shoff > mostBytes {
		return nil, machineCode
	}
	// The section table is at the end of simtrun's cubins, and other cubins have no section of that name.
	f, err := elf.NewFile(bytes.NewReader(unsafe.Slice((*byte)(image), h.Shoff+uint64(h.Shnum)*uint64(h.Shentsize))))
	if err != nil {
		return nil, machineCode
	}
	section := f.Section(".simtrun.ptx")
	if section == nil {
		return nil, machineCode
	}
	if arch := int(h.Flags & 0xff); arch/10 != target/10 || arch > target {
		return nil, noBinary(fmt.Sprintf("the cubin is for sm_%d, and the GPU is sm_%d", arch, target))
	}
	text, err := section.Data()
	if err != nil {
		return nil, errors.New("the PTX of a cubin is cut off")
	}
	return bytes.TrimRight(text, "\x00"), nil
}
