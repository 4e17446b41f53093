package occupancy

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// Compiled is the output of ptxas -v for a kernel.
type Compiled struct {
	Kernel    string // "" if the line names none
	Target    string // such as sm_90
	Registers int
	Static    int64 // bytes of static shared memory
	Barriers  int
}

var (
	compilingLine = regexp.MustCompile(`Compiling entry function '([^']+)' for '([^']+)'`)
	usedLine      = regexp.MustCompile(`\bUsed (\d+) registers\b(.*)`)
	barriersUsed  = regexp.MustCompile(`\bused (\d+) barriers\b`)
	sharedUsed    = regexp.MustCompile(`\b(\d+)(?:\+(\d+))? bytes smem\b`)
)

// ParsePTXAS parses the output of ptxas -v, or nvcc -Xptxas -v: lines such as
//
//	ptxas info    : Compiling entry function 'k' for 'sm_90'
//	ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]
//
// It ignores the rest.
func ParsePTXAS(text string) []Compiled {
	var all []Compiled
	var kernel, target string
	for line := range strings.Lines(text) {
		if m := compilingLine.FindStringSubmatch(line); m != nil {
			kernel, target = m[1], m[2]
		}
		m := usedLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		c := Compiled{Kernel: kernel, Target: target}
		c.Registers, _ = strconv.Atoi(m[1]) // a number too large for an int is later refused as too many
		if b := barriersUsed.FindStringSubmatch(m[2]); b != nil {
			c.Barriers, _ = strconv.Atoi(b[1])
		}
		if s := sharedUsed.FindStringSubmatch(m[2]); s != nil {
			c.Static, _ = strconv.ParseInt(s[1], 10, 64)
			system, _ := strconv.ParseInt("0"+s[2], 10, 64)
			c.Static += system
		}
		all = append(all, c)
		kernel, target = "", ""
	}
	return all
}

// Find returns the entry for a kernel: the one with its name, or the only one if that has no name, or if name is "".
func Find(all []Compiled, name string) (Compiled, error) {
	var names []string
	for _, c := range all {
		names = append(names, c.Kernel)
	}
	if found := cxx.Find(names, name); len(found) == 1 && found[0] != "" {
		return all[slices.Index(names, found[0])], nil
	}
	switch {
	case len(all) == 0:
		return Compiled{}, fmt.Errorf("no line as in: Used 40 registers, 4096 bytes smem; ptxas -v prints one for each kernel")
	case len(all) == 1 && (name == "" || all[0].Kernel == ""):
		return all[0], nil
	case name == "":
		return Compiled{}, fmt.Errorf("it has %d kernels; --kernel says which: %s", len(all), strings.Join(names, ", "))
	}
	return Compiled{}, isa.Unknown("kernel", name, names)
}
