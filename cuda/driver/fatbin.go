package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A fat binary is a header and entries, each for a target. The layout follows compilers' output.
type (
	fatbinHeader struct {
		Magic         uint32
		Version, Size uint16 // Size is that of the header
		Bytes         uint64 // of the entries
	}
	fatbinEntry struct {
		Kind, Version uint16
		Header        uint32 // bytes of the entry's header
		Bytes         uint64 // of the entry's data, padded
		Compressed    uint32 // bytes of the data, if compressed
		_             uint32
		Minor, Major  uint16 // of the PTX ISA, or of the cubin's format
		Arch          uint32 // such as 90
		NameAt, NameN uint32
		Flags         uint64
		_             uint64
		Decompressed  uint64 // bytes
	}
)

// Kinds of entries, and flags.
const (
	fatbinKindPTX  = 1
	fatbinKindELF  = 2
	fatbinFlagLZ4  = 0x2000
	fatbinFlagZstd = 0x8000
)

// mostPTX is the largest size that a text may claim to have.
const mostPTX = 1 << 30

// fatbinPTX returns the PTX of a fat binary for the highest target that is not above target, such as 90.
func fatbinPTX(image unsafe.Pointer, target int) ([]byte, error) {
	h := (*fatbinHeader)(image)
	all := unsafe.Slice((*byte)(image), uint64(h.Size)+h.Bytes)
	return readFatbin(all, target)
}

func readFatbin(all []byte, target int) ([]byte, error) {
	var h fatbinHeader
	if _, err := binary.Decode(all, binary.LittleEndian, &h); err != nil || int(h.Size) > len(all) || int(h.Size) < binary.Size(h) {
		return nil, errors.New("the header of a fat binary is cut off")
	}
	if uint64(len(all)-int(h.Size)) < h.Bytes {
		return nil, errors.New("a fat binary is cut off")
	}
	var fitting []fatbinImage
	var others, newer []uint32 // targets of machine code, and of PTX that the GPU does not run
	for rest := all[h.Size:][:h.Bytes]; len(rest) > 0; {
		var e fatbinEntry
		if _, err := binary.Decode(rest, binary.LittleEndian, &e); err != nil || int(e.Header) < binary.Size(e) || uint64(e.Header) > uint64(len(rest)) || e.Bytes > uint64(len(rest))-uint64(e.Header) {
			return nil, errors.New("an entry of a fat binary is cut off")
		}
		switch data := rest[e.Header:][:e.Bytes]; {
		case e.Kind == fatbinKindPTX && int(e.Arch) > target:
			newer = append(newer, e.Arch)
		case e.Kind == fatbinKindPTX:
			fitting = append(fitting, fatbinImage{e, data})
		case e.Kind == fatbinKindELF:
			others = append(others, e.Arch)
		}
		rest = rest[uint64(e.Header)+e.Bytes:]
	}
	switch {
	case fitting == nil && newer != nil:
		return nil, noBinary(fmt.Sprintf("the fat binary has PTX for sm_%v alone, and the GPU is sm_%d", newer, target))
	case fitting == nil:
		return nil, noBinary(fmt.Sprintf("the fat binary has no PTX, only machine code for %v; simtrun runs PTX, which compilers add with -gencode arch=compute_NN,code=compute_NN", others))
	}
	return bestImage(fitting, target)
}

// fatbinImage is an entry and its data.
type fatbinImage struct {
	fatbinEntry
	data []byte
}

// bestImage returns the PTX for the highest target among entries whose architecture is not above target. PTX for
// sm_90a, which only that GPU runs, is preferred to PTX for sm_90 there and skipped on other GPUs. If all are skipped,
// it returns the highest.
func bestImage(fitting []fatbinImage, target int) (best []byte, err error) {
	slices.SortStableFunc(fitting, func(a, b fatbinImage) int { return int(b.Arch) - int(a.Arch) })
	var bestLetter string
	found := false
	for i, e := range fitting {
		if found && e.Arch < fitting[i-1].Arch {
			break
		}
		text, err := e.text(e.data)
		if err != nil {
			return nil, err
		}
		number, letter := targetOf(text)
		if is := runs(number, letter, target); i == 0 || is && (!found || letter > bestLetter) {
			best, bestLetter, found = text, letter, found || is
		}
	}
	return best, nil
}

// text returns the text of an entry.
func (e *fatbinEntry) text(data []byte) ([]byte, error) {
	if e.Flags&(fatbinFlagLZ4|fatbinFlagZstd) != 0 {
		if uint64(e.Compressed) > uint64(len(data)) || e.Decompressed > mostPTX {
			return nil, errors.New("compressed PTX of a fat binary is cut off")
		}
		var err error
		if data, err = e.decompress(data[:e.Compressed]); err != nil {
			return nil, fmt.Errorf("compressed PTX of a fat binary: %w", err)
		}
		if uint64(len(data)) != e.Decompressed {
			return nil, fmt.Errorf("compressed PTX of a fat binary: %d bytes, and it should have %d", len(data), e.Decompressed)
		}
	}
	if n := bytes.IndexByte(data, 0); n >= 0 {
		data = data[:n]
	}
	return data, nil
}

func (e *fatbinEntry) decompress(data []byte) ([]byte, error) {
	if e.Flags&fatbinFlagLZ4 != 0 {
		if e.Decompressed > mostLZ4*uint64(len(data)) {
			return nil, errors.New("more bytes than there can be")
		}
		to := make([]byte, e.Decompressed)
		n, err := lz4.UncompressBlock(data, to)
		return to[:max(n, 0)], err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(e.Decompressed, mostWindow)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

// mostLZ4 is a bound for the bytes that one byte of LZ4 expands to; mostWindow is the largest window of zstd in
// bytes.
const (
	mostLZ4    = 256
	mostWindow = 128 << 20
)
