package cuda

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/sorted"
)

// architectures are the architectures of CUDA 12.8.
var architectures = []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120}

// newestPlain is the newest architecture without a letter that every clang from version 16 on knows; clang 14 and 15
// know oldClangArch.
const (
	newestPlain  = 90
	oldClangArch = 86
)

// oldestArch is the first architecture of CUDA 12; code for older ones is compiled for it.
const oldestArch = 50

// firstClang maps architectures newer than newestPlain, or with a letter, to the first version of clang that knows
// them.
var firstClang = map[string]int{
	"sm_90": 16, "sm_90a": 18, "sm_100": 20, "sm_100a": 20, "sm_101": 20, "sm_101a": 20, "sm_120": 20, "sm_120a": 20,
	"sm_103": 21, "sm_103a": 21, "sm_121": 21, "sm_121a": 21, "sm_88": 22, "sm_110": 22, "sm_110a": 22,
}

// archNumber returns 90 for sm_90 and sm_90a, and 0 for text that does not name an architecture.
func archNumber(arch string) int {
	number, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "af"))
	return number
}

// compareArchs orders architectures by age, and one with a letter after the same one without.
func compareArchs(a, b string) int {
	if n, m := archNumber(a), archNumber(b); n != m {
		return n - m
	}
	return strings.Compare(a, b)
}

// knows reports whether the compiler has an architecture. For architectures that are not in firstClang it asks clang.
func (c *Compiler) knows(arch string) bool {
	if number := archNumber(arch); arch == fmt.Sprintf("sm_%d", number) && slices.Contains(architectures, number) && number <= newestPlain {
		return c.Version >= firstClang["sm_90"] || number <= oldClangArch
	}
	known, found := c.known[arch]
	if !found {
		known = exec.Command(c.Path, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch="+arch, "-E", os.DevNull).Run() == nil
		if c.known == nil {
			c.known = make(map[string]bool)
		}
		c.known[arch] = known
	}
	return known
}

// archs returns the architectures that a command line names, without duplicates, the oldest first.
func (o *Options) archs() []string {
	all := slices.Clone(o.Archs)
	if len(all) == 0 {
		all = []string{o.Arch}
	}
	for i, arch := range all {
		if archNumber(arch) < oldestArch {
			all[i] = fmt.Sprintf("sm_%d", oldestArch)
		}
	}
	sorted.By(all, compareArchs)
	return slices.Compact(all)
}

// targets returns the architectures for which device code is compiled, the oldest first. It leaves out architectures
// that the compiler does not know, with a note, as long as the compiler knows one of the list.
func (c *Compiler) targets(o *Options, messages io.Writer) ([]string, error) {
	var known, unknown []string
	for _, arch := range o.archs() {
		if c.knows(arch) {
			known = append(known, arch)
		} else {
			unknown = append(unknown, arch)
		}
	}
	switch {
	case len(known) == 0:
		return nil, &OptionError{"-arch=" + unknown[len(unknown)-1] + ": " + c.lacks(unknown[len(unknown)-1])}
	case len(unknown) > 0 && messages != nil:
		if _, err := fmt.Fprintf(messages, "simtrun cc: no code for %s: %s\n", strings.Join(unknown, ", "), c.lacks(unknown[0])); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// archList returns the value of __CUDA_ARCH_LIST__, which libraries use in names that host and device code share. Newer
// versions of clang define it, but with different values for the compilations of one source.
func (c *Compiler) archList(o *Options) string {
	targets, err := c.targets(o, nil)
	if err != nil {
		targets = o.archs()
	}
	var numbers []string
	for _, arch := range targets {
		numbers = append(numbers, fmt.Sprintf("%d0", archNumber(arch)))
	}
	return strings.Join(slices.Compact(numbers), ",")
}

// lacks says which version of clang has an architecture that this one does not know.
func (c *Compiler) lacks(arch string) string {
	first := firstClang[arch]
	if first <= c.Version {
		return fmt.Sprintf("%s (clang %d) does not know it", c.Path, c.Version)
	}
	advice := "install one"
	if i := slices.IndexFunc(TestedClangs, func(version int) bool { return version >= first }); i >= 0 {
		advice = fmt.Sprintf("install clang-%d", TestedClangs[i])
	}
	return fmt.Sprintf("%s is clang %d, and clang %d or newer is needed; %s, or name one by SIMTRUN_CLANG", c.Path, c.Version, first, advice)
}

// ArchOf returns the architecture of code for GPUs of a compute capability such as 9, 0. If only such GPUs run it
// (alone), it is the one with their architecture-specific instructions: sm_90a.
func ArchOf(capability [2]int, alone bool) string {
	number := 10*capability[0] + capability[1]
	arch := fmt.Sprintf("sm_%d", number)
	if alone && number >= newestPlain {
		arch += "a"
	}
	return arch
}

// ArchFor returns ArchOf or, if the compiler does not know that, the newest older architecture that it knows, and a
// note.
func (c *Compiler) ArchFor(capability [2]int, alone bool) (arch, note string) {
	wanted, plain := ArchOf(capability, alone), ArchOf(capability, false)
	for _, arch := range []string{wanted, plain} {
		if c.knows(arch) {
			return arch, ""
		}
	}
	for _, older := range slices.Backward(architectures) {
		if arch := fmt.Sprintf("sm_%d", older); older < archNumber(plain) && c.knows(arch) {
			return arch, fmt.Sprintf("the code is compiled for %s, and the GPU is %s: %s", arch, plain, c.lacks(plain))
		}
	}
	return fmt.Sprintf("sm_%d", oldestArch), ""
}

// firstPTX maps architectures newer than sm_101 to the first version of PTX that has them: 87 is 8.7.
var firstPTX = map[int]int{120: 87, 103: 88, 121: 88, 88: 90, 110: 90}

// ptxFeature returns clang's name of the version of PTX to generate: one that this version of clang certainly has, and
// new enough for the architecture.
func (c *Compiler) ptxFeature(arch string) string {
	version := 75
	switch {
	case c.Version >= 20:
		version = 86
	case c.Version == 19:
		version = 85
	case c.Version == 18:
		version = 83
	case c.Version >= 16:
		version = 78
	}
	return fmt.Sprintf("+ptx%d", max(version, firstPTX[archNumber(arch)]))
}
