package cuda

import "encoding/binary"

// fatBinary is a fat binary in which there is PTX for one architecture (90) alone: a header, that of the entry, and the text, which ends in a
// zero. The layout is that which nvcc's output shows.
func fatBinary(ptx []byte, arch int) []byte {
	const headerSize, entrySize, kindPTX, is64Bit, isLinux = 16, 64, 1, 0x1, 0x10
	const alignment = 8
	size := (len(ptx) + 1 + alignment - 1) / alignment * alignment
	file := make([]byte, headerSize+entrySize+size)
	order := binary.LittleEndian
	order.PutUint32(file, 0xba55ed50)
	order.PutUint16(file[4:], 1) // the version of the format
	order.PutUint16(file[6:], headerSize)
	order.PutUint64(file[8:], uint64(entrySize+size))
	entry := file[headerSize:]
	order.PutUint16(entry, kindPTX)
	order.PutUint16(entry[2:], 0x101) // the version of the entry
	order.PutUint32(entry[4:], entrySize)
	order.PutUint64(entry[8:], uint64(size))
	order.PutUint32(entry[28:], uint32(arch))
	order.PutUint64(entry[40:], is64Bit|isLinux)
	copy(entry[entrySize:], ptx)
	return file
}
