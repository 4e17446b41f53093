package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/simtrun/simtrun/memory"
)

// mostFile is the largest size in bytes of a file that the driver reads for a program. Inputs of assemblers are much
// smaller.
const mostFile = 1 << 30

// budget returns the bytes of host memory that the device may use in all.
func (d *device) budget() uint64 {
	if limit := d.opts.Machine.Memory; limit > 0 {
		return uint64(limit)
	}
	return memory.DefaultBudget
}

// unused returns the bytes of the budget that allocations leave.
func (d *device) unused() uint64 {
	left := d.budget()
	for _, n := range d.used {
		left -= min(left, n)
	}
	return left
}

// tooLarge is the error for a file that has no end, or is larger than the memory for it.
type tooLarge struct {
	name string
	most int64 // bytes
}

func (t *tooLarge) Error() string {
	if t.most == mostFile {
		return fmt.Sprintf("%s has more than %d bytes, the limit for files", t.name, t.most)
	}
	return fmt.Sprintf("%s has more than the %d bytes that SIMTRUN_MEMORY leaves", t.name, t.most)
}

// readFile returns the contents of a file that a program names.
func readFile(name string) (data []byte, r result) {
	most := int64(min(dev.unused(), mostFile))
	var err error
	waitAside(func() { data, err = readAtMost(name, most) }) // a pipe may have no writer yet
	switch {
	case err == nil:
		return data, success
	case errors.Is(err, fs.ErrNotExist):
		return nil, errorFileNotFound
	}
	dev.outlet.say("%v", err)
	if _, ok := errors.AsType[*tooLarge](err); ok {
		return nil, errorOutOfMemory
	}
	return nil, errorInvalidSource
}

// readAtMost returns the contents of a file with at most most bytes.
func readAtMost(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &tooLarge{name, most}
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &tooLarge{name, most}
	}
	return data, err
}
