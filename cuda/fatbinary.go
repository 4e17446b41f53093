package cuda

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// image is the PTX of a source for one architecture, such as sm_90a.
type image struct {
	arch string
	ptx  []byte
}

// images compiles the device code of a source for all architectures that the options name at the same time. The oldest
// is first.
func (c *Compiler) images(ctx context.Context, file string, o *Options, messages io.Writer) ([]image, error) {
	targets, err := c.targets(o, messages)
	if err != nil {
		return nil, err
	}
	all, said, errs := make([]image, len(targets)), make([]bytes.Buffer, len(targets)), make([]error, len(targets))
	slots := make(chan struct{}, runtime.NumCPU())
	var wait sync.WaitGroup
	for i, arch := range targets {
		wait.Go(func() {
			slots <- struct{}{}
			all[i].arch = arch
			all[i].ptx, errs[i] = c.ptxFor(ctx, file, o, arch, &said[i])
			<-slots
		})
	}
	wait.Wait()
	// errors are usually the same for all targets
	if failed := slices.IndexFunc(errs, func(err error) bool { return err != nil }); failed >= 0 {
		_, writeError := messages.Write(said[failed].Bytes())
		return nil, cmp.Or(errs[failed], writeError)
	}
	shown := make(map[string]bool)
	for i := range said {
		text := strings.ReplaceAll(said[i].String(), targets[i], "")
		if shown[text] && !o.Verbose {
			continue
		}
		shown[text] = true
		if _, err := messages.Write(said[i].Bytes()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// embedded returns images as data for host code: text that ends in a NUL, as the driver reads it, or a fat binary if
// there are several.
func embedded(images []image) []byte {
	if len(images) == 1 {
		return slices.Concat(images[0].ptx, []byte{0})
	}
	return fatBinary(images)
}

// fatBinary returns a fat binary: a header and, for each image, a header and its text, which ends in a zero. The layout
// is that of nvcc's output.
func fatBinary(images []image) []byte {
	const headerSize, entrySize, kindPTX, is64Bit, isLinux = 16, 64, 1, 0x1, 0x10
	const alignment = 8
	file := make([]byte, headerSize)
	order := binary.LittleEndian
	for _, image := range images {
		size := (len(image.ptx) + 1 + alignment - 1) / alignment * alignment
		entry := make([]byte, entrySize+size)
		order.PutUint16(entry, kindPTX)
		order.PutUint16(entry[2:], 0x101) // the version of the entry
		order.PutUint32(entry[4:], entrySize)
		order.PutUint64(entry[8:], uint64(size))
		order.PutUint32(entry[28:], uint32(archNumber(image.arch)))
		order.PutUint64(entry[40:], is64Bit|isLinux)
		copy(entry[entrySize:], image.ptx)
		file = append(file, entry...)
	}
	order.PutUint32(file, 0xba55ed50)
	order.PutUint16(file[4:], 1) // the version of the format
	order.PutUint16(file[6:], headerSize)
	order.PutUint64(file[8:], uint64(len(file)-headerSize))
	return file
}
