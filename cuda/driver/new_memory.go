package main

import (
	"bytes"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/simtrun/simtrun/memory"
)

// fresh is the content of new memory. It is not zero, because programs that rely on zeros fail on GPUs.
const fresh = 0xab

// freshMemory is a kind of new memory.
type freshMemory struct {
	content []byte // is repeated; its length divides freshBytes
	// file returns the descriptor of a memory file with freshBytes bytes of the content, or -1 if that is not possible.
	file func() int
}

func newFresh(content []byte) *freshMemory {
	return &freshMemory{content, sync.OnceValue(func() int {
		fd, err := unix.MemfdCreate("simtrun", unix.MFD_CLOEXEC)
		if err != nil {
			return -1
		}
		if n, err := unix.Write(fd, bytes.Repeat(content, freshBytes/len(content))); n != freshBytes || err != nil {
			unix.Close(fd)
			return -1
		}
		return fd
	})}
}

// plain is the usual kind. writable is that of memory that the host can write without a call, if unwritten values are
// checked: the check sees from the content what the host has written. unwritten is that of shadows.
var plain, writable, unwritten = newFresh([]byte{fresh}), newFresh(memory.Fresh()), newFresh([]byte{0xff})

// freshBytes is the size of the file. Memory needs one mapping for each freshBytes, and a process can have 65,530.
const freshBytes = 2 << 20

// pages maps n bytes of new memory. They are copy-on-write pages of the file, so that unused memory costs neither
// time nor memory. Use unix.Munmap to unmap them.
func (f *freshMemory) pages(n uint64) ([]byte, error) {
	all, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	fd := f.file()
	base, page := uintptr(unsafe.Pointer(unsafe.SliceData(all))), uint64(unix.Getpagesize())
	for at := uint64(0); at < n; at += freshBytes {
		size := (min(freshBytes, n-at) + page - 1) / page * page
		if fd >= 0 {
			_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, base+uintptr(at), uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED, uintptr(fd), 0)
			if errno == 0 {
				continue
			}
		}
		fill(all[at:], f.content)
		break
	}
	return all, nil
}
