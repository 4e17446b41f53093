package cuda

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// setMaxRegisters applies -maxrregcount; 0 is no limit.
func setMaxRegisters(o *Options, name, value string) error {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return &OptionError{fmt.Sprintf("%s %s: expected a number of registers", name, value)}
	}
	o.MaxRegisters = int(n)
	return nil
}

// unbounded matches the head of a kernel in PTX without directives for its launches.
var unbounded = regexp.MustCompile(`(?m)^((?:\.visible |\.weak )?\.entry [^()]*\([^()]*\)\n)\{`)

// limitRegisters limits the registers of kernels in PTX to n, except for those with launch bounds, which nvcc compiles
// by these.
func limitRegisters(ptx []byte, n int) []byte {
	if n == 0 || !bytes.Contains(ptx, []byte(".entry ")) {
		return ptx
	}
	return unbounded.ReplaceAll(ptx, []byte("${1}.maxnreg "+strconv.Itoa(n)+"\n{"))
}
