package source

import (
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// nameByMangling gives the parameters of a kernel that was compiled, which compilers call by its name and a number, the
// names param_0, param_1 and so on, and the types that a mangled C++ name has.
func nameByMangling(fn *isa.Func, named []isa.Named) {
	if cxx.Name(fn.Name) == fn.Name && fn.Debug == nil {
		return
	}
	types := cxx.Parameters(fn.Name)
	for i, v := range fn.Params {
		if short := "param_" + strconv.Itoa(i); strings.HasSuffix(v.Name, "_"+short) {
			named[i].Name = short
		}
		if len(types) == len(fn.Params) {
			named[i].Type = types[i]
		}
	}
}
