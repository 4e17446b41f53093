package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a version of the PTX ISA: 78 is 7.8.
type Version int

// LatestVersion is the latest version with forms that simtrun knows.
const LatestVersion Version = 92

// versions are the minor versions of each major version (PTX ISA 13, release history).
var versions = [...]struct{ last Version }{1: {15}, 2: {23}, 3: {32}, 4: {43}, 5: {50}, 6: {65}, 7: {78}, 8: {88}, 9: {LatestVersion}}

// ParseVersion reads a version such as "7.8". It returns false if PTX up to LatestVersion has no such version; versions
// newer than that are accepted.
func ParseVersion(text string) (v Version, ok bool) {
	major, minor, dotted := strings.Cut(text, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if !dotted || err != nil || err2 != nil || a < 1 || b < 0 || b > 9 || len(minor) != 1 {
		return 0, false
	}
	v = Version(10*a + b)
	return v, v > LatestVersion || a < len(versions) && v <= versions[a].last
}

// String returns the version as written in .version.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v/10, v%10) }

// Arch is an architecture that .target names: sm_90a is {90, 'a'}.
type Arch struct {
	SM int
	// Suffix is 'a' for features of one architecture alone, 'f' for features of a family, and 0 for features that all
	// later architectures have too.
	Suffix byte
}

// targets are the architectures of PTX by the version that introduced them (PTX ISA 13, release history), and LLVM's
// sm_21.
var targets = map[Version]string{
	10: "sm_10 sm_11", 12: "sm_12 sm_13", 20: "sm_20 sm_21", 30: "sm_30", 31: "sm_35", 40: "sm_32 sm_50", 41: "sm_37 sm_52", 42: "sm_53", 50: "sm_60 sm_61 sm_62",
	60: "sm_70", 61: "sm_72", 63: "sm_75", 70: "sm_80", 71: "sm_86", 74: "sm_87", 78: "sm_89 sm_90", 80: "sm_90a", 86: "sm_100 sm_100a sm_101 sm_101a", 87: "sm_120 sm_120a",
	88: "sm_100f sm_101f sm_103 sm_103a sm_103f sm_120f sm_121 sm_121a sm_121f", 90: "sm_88 sm_110 sm_110a sm_110f",
}

// introduced maps each architecture to the version that introduced it.
var introduced = func() map[string]Version {
	m := make(map[string]Version)
	for v, names := range targets {
		for name := range strings.FieldsSeq(names) {
			m[name] = v
		}
	}
	return m
}()

// Introduced returns the version that introduced an architecture, such as "sm_90a"; false if PTX up to LatestVersion
// has no such architecture.
func Introduced(name string) (Version, bool) {
	v, ok := introduced[name]
	return v, ok
}

// ParseArch reads a name such as "sm_90a". It returns false if the name has another form.
func ParseArch(name string) (t Arch, ok bool) {
	digits, ok := strings.CutPrefix(name, "sm_")
	if last := len(digits) - 1; last > 0 && (digits[last] == 'a' || digits[last] == 'f') {
		t.Suffix, digits = digits[last], digits[:last]
	}
	var err error
	if t.SM, err = strconv.Atoi(digits); err != nil || !ok {
		return Arch{}, false
	}
	if t.SM == 101 {
		t.SM = 110 // its name from PTX 9.0 on
	}
	return t, true
}

// String returns the architecture as written in .target.
func (t Arch) String() string {
	if t.Suffix == 0 {
		return fmt.Sprintf("sm_%d", t.SM)
	}
	return fmt.Sprintf("sm_%d%c", t.SM, t.Suffix)
}

// has reports whether code for t may use features that were introduced for another architecture (PTX ISA 11.1.2).
func (t Arch) has(of Arch) bool {
	switch of.Suffix {
	case 'a':
		return t == of
	case 'f':
		return t.Suffix != 0 && t.SM/10 == of.SM/10 && t.SM >= of.SM
	}
	return t.SM >= of.SM
}

// text says which targets have the features that t introduced.
func (t Arch) text() string {
	switch t.Suffix {
	case 'a':
		return t.String()
	case 'f':
		return fmt.Sprintf("sm_%da, sm_%d%c or higher in the family", t.SM, t.SM, t.Suffix)
	}
	return t.String() + " or higher"
}

// Need is the version of PTX and the targets that a form needs.
type Need struct {
	Version Version
	// Targets are lists of alternatives: in each list at least one target must have the form.
	Targets [][]Arch
}

// and adds the need of another rule.
func (n *Need) and(version Version, targets []Arch) {
	n.Version = max(n.Version, version)
	if len(targets) > 0 && !slices.ContainsFunc(n.Targets, func(known []Arch) bool { return slices.Equal(known, targets) }) {
		n.Targets = append(n.Targets, targets)
	}
}

// Add adds the need of another form.
func (n *Need) Add(other Need) {
	n.Version = max(n.Version, other.Version)
	for _, targets := range other.Targets {
		n.and(other.Version, targets)
	}
}

// allows reports whether a target has the form; the zero Arch has every form.
func (n *Need) allows(t Arch) bool {
	return !slices.ContainsFunc(n.Targets, func(any []Arch) bool {
		return !slices.ContainsFunc(any, func(of Arch) bool { return t.has(of) })
	})
}

// Unmet returns the part of an error message that names the version and target that the form needs and a module of
// version v and target t does not have; "" if it has both. If v is 0 or t.SM is 0, the module has no such directive,
// and that need is not checked.
func (n *Need) Unmet(v Version, t Arch) string {
	var needs, has []string
	if v != 0 && v < n.Version {
		needs, has = append(needs, ".version "+n.Version.String()), append(has, ".version "+v.String())
	}
	if t.SM != 0 && !n.allows(t) {
		needs, has = append(needs, ".target "+n.targetText(t)), append(has, ".target "+t.String())
	}
	if len(needs) == 0 {
		return ""
	}
	return fmt.Sprintf("needs %s; this file has %s", strings.Join(needs, " and "), strings.Join(has, " and "))
}

// targetText names the targets of the last list without t. The last list is that of the most specific rule.
func (n *Need) targetText(t Arch) string {
	for _, any := range slices.Backward(n.Targets) {
		if slices.ContainsFunc(any, func(of Arch) bool { return t.has(of) }) {
			continue
		}
		var texts []string
		for _, of := range any {
			texts = append(texts, of.text())
		}
		return strings.Join(texts, ", or ")
	}
	return ""
}
