package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// hostMemory describes the memory of the program that contains an address; "" if there is no readable memory.
func hostMemory(addr uint64) string {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if what := mappedAs(lines.Text(), addr); what != "" {
			return fmt.Sprintf("the address is in memory of the host (%s), which the GPU does not see: copy it, or allocate it by cudaMallocManaged or cudaHostAlloc", what)
		}
	}
	return ""
}

// mappedAs describes the mapping in a line of /proc/PID/maps, such as "7f00-7f80 rw-p 00000000 00:00 0 [heap]"; "" if
// it does not contain the address, or is not readable.
func mappedAs(line string, addr uint64) string {
	var low, high, offset, inode uint64
	var access, device string
	if n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &low, &high, &access, &offset, &device, &inode); n != 6 || addr < low || addr >= high || access[0] != 'r' {
		return ""
	}
	name := ""
	if fields := strings.Fields(line); len(fields) > 5 {
		name = strings.Join(fields[5:], " ")
	}
	switch {
	case name == "[heap]":
		return "the heap"
	case name == "[stack]":
		return "the stack"
	case strings.HasPrefix(name, "/"):
		return "variables or code of " + name
	}
	return "mapped by malloc or mmap"
}
