package isa

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a version of the PTX ISA: 78 is 7.8.
type Version int

// LatestVersion is the latest version of which simtrun knows forms.
const LatestVersion Version = 92

// versions are the minor versions of each major version (PTX ISA 13, release history).
var versions = [...]struct{ last Version }{1: {15}, 2: {23}, 3: {32}, 4: {43}, 5: {50}, 6: {65}, 7: {78}, 8: {88}, 9: {LatestVersion}}

// ParseVersion reads "7.8". It is false for what is no version of PTX up to the latest that simtrun knows; newer
// versions are read too.
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

// String is the version as .version has it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v/10, v%10) }

// Arch is an architecture that .target names: sm_90a is {90, 'a'}.
type Arch struct {
	SM int
	// Suffix is 'a' for features of one architecture alone, 'f' for those of a family, and 0 for those that all
	// later architectures have too.
	Suffix byte
}

// targets are the architectures of PTX by the version that introduced them (PTX ISA 13, release history). sm_21 is
// a target of LLVM.
var targets = map[Version]string{
	10: "sm_10 sm_11", 12: "sm_12 sm_13", 20: "sm_20 sm_21", 30: "sm_30", 31: "sm_35", 40: "sm_32 sm_50", 41: "sm_37 sm_52", 42: "sm_53", 50: "sm_60 sm_61 sm_62",
	60: "sm_70", 61: "sm_72", 63: "sm_75", 70: "sm_80", 71: "sm_86", 74: "sm_87", 78: "sm_89 sm_90", 80: "sm_90a", 86: "sm_100 sm_100a sm_101 sm_101a", 87: "sm_120 sm_120a",
	88: "sm_100f sm_101f sm_103 sm_103a sm_103f sm_120f sm_121 sm_121a sm_121f", 90: "sm_88 sm_110 sm_110a sm_110f",
}

// introduced is the version that introduced each architecture.
var introduced = func() map[string]Version {
	m := make(map[string]Version)
	for v, names := range targets {
		for name := range strings.FieldsSeq(names) {
			m[name] = v
		}
	}
	return m
}()

// Introduced is the version that introduced the architecture of that name, "sm_90a"; false if PTX has none up to
// LatestVersion.
func Introduced(name string) (Version, bool) {
	v, ok := introduced[name]
	return v, ok
}

// ParseArch reads "sm_90a". It is false for what is no such name.
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

// String is the architecture as .target has it.
func (t Arch) String() string {
	if t.Suffix == 0 {
		return fmt.Sprintf("sm_%d", t.SM)
	}
	return fmt.Sprintf("sm_%d%c", t.SM, t.Suffix)
}

// has reports whether code for t may use what was introduced for another architecture (PTX ISA 11.1.2).
func (t Arch) has(of Arch) bool {
	switch of.Suffix {
	case 'a':
		return t == of
	case 'f':
		return t.Suffix != 0 && t.SM/10 == of.SM/10 && t.SM >= of.SM
	}
	return t.SM >= of.SM
}

// text says which targets have what t introduced.
func (t Arch) text() string {
	switch t.Suffix {
	case 'a':
		return t.String()
	case 'f':
		return fmt.Sprintf("sm_%da, sm_%d%c or higher in the family", t.SM, t.SM, t.Suffix)
	}
	return t.String() + " or higher"
}

// Need is from which version and for which targets PTX has a form.
type Need struct {
	Version Version
	// Targets are alternatives: one of each of these lists must have the form.
	Targets [][]Arch
}

// and adds what another rule wants.
func (n *Need) and(version Version, targets []Arch) {
	n.Version = max(n.Version, version)
	if len(targets) > 0 && !slices.ContainsFunc(n.Targets, func(known []Arch) bool { return slices.Equal(known, targets) }) {
		n.Targets = append(n.Targets, targets)
	}
}

// Add adds what another form needs.
func (n *Need) Add(other Need) {
	n.Version = max(n.Version, other.Version)
	for _, targets := range other.Targets {
		n.and(other.Version, targets)
	}
}

// allows reports whether a target has the form; an empty one has every form.
func (n *Need) allows(t Arch) bool {
	return !slices.ContainsFunc(n.Targets, func(any []Arch) bool {
		return !slices.ContainsFunc(any, func(of Arch) bool { return t.has(of) })
	})
}

// Unmet says what a module of that version and for that target lacks for the form: "" if it lacks nothing. A version
// of 0 and a target of SM 0 are those that the module does not name.
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

// targetText is the targets of the list that t is not among. Of several such lists it is the last: that of the most special rule.
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
