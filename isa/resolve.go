package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Resolve finds the row, types and modifiers of a dotted mnemonic such as
// "setp.lt.and.s32". Modifiers may stand in any order. The instruction it
// returns has no operands yet. An empty msg means that PTX has the form; then
// a non-empty Later says why it cannot be run yet.
func Resolve(mnemonic string) (in Instr, msg string) {
	in.Guard = NoReg
	base, rest, _ := strings.Cut(mnemonic, ".")
	s := rowOf(base, rest)
	if s == nil {
		if slices.Contains(laterOpcodes, base) {
			in.Later = base + " is not supported yet"
			return in, ""
		}
		if near := Nearest(base, opcodeNames()); near != "" {
			return in, fmt.Sprintf("%s: no such opcode; did you mean %s?", base, near)
		}
		return in, fmt.Sprintf("%s: no such opcode", base)
	}
	in.Spec = s
	ntypes, unknown := 0, ""
	for rest != "" {
		var w string
		w, rest, _ = strings.Cut(rest, ".")
		if t := TypeByName(w); t != NoType && t != B128 && ntypes < s.ntypes {
			in.Types[ntypes] = t
			ntypes++
			continue
		}
		known, later := s.addMod(&in.Mods, w)
		switch {
		case known:
		case later || laterTypes[w]:
			in.Later = fmt.Sprintf("%s: .%s is not supported yet", mnemonic, w)
		case unknown == "":
			unknown = fmt.Sprintf("%s: %s", mnemonic, s.unknownSuffix(w, &in.Mods))
		}
	}
	switch {
	case in.Later != "": // may have suffixes that no form has yet
		return in, ""
	case unknown != "":
		return in, unknown
	}
	for _, m := range s.mods {
		if !m.isType && !m.optional && in.Mods[m.group] == 0 {
			return in, fmt.Sprintf("%s: no %s; %s takes %s", mnemonic, groups[m.group].doc, base, dotted(groups[m.group].words))
		}
	}
	if ntypes < s.ntypes {
		return in, fmt.Sprintf("%s: no type; %s takes %s", mnemonic, base, s.typesFor(&in.Mods, 0))
	}
	if _, _, ok := s.bind(&Variant{Types: in.Types, Mods: &in.Mods}); !ok {
		if slices.Contains(s.Later, in.Types[0]) || slices.Contains(s.Later, in.Types[1]) {
			in.Later = mnemonic + " is not supported yet"
			return in, ""
		}
		return in, s.noSuchForm(mnemonic, &in)
	}
	return in, ""
}

// rowOf is the row of a base mnemonic with these suffixes, or nil.
func rowOf(base, suffixes string) *Spec {
	for w := range strings.SplitSeq(suffixes, ".") {
		if s := specByTitle[base+"."+w]; s != nil {
			return s
		}
	}
	return specByTitle[base]
}

// addMod sets the modifier written as word, if the row takes it.
func (s *Spec) addMod(mods *Mods, word string) (known, later bool) {
	for _, m := range s.mods {
		if m.isType {
			continue
		}
		v, l := groups[m.group].find(word)
		later = later || l
		if v != 0 && mods[m.group] == 0 {
			mods[m.group] = v
			return true, false
		}
	}
	return false, later
}

func (s *Spec) unknownSuffix(word string, mods *Mods) string {
	if t := TypeByName(word); t != NoType {
		if s.ntypes == 0 {
			return fmt.Sprintf("%s takes no type", s.Name)
		}
		return fmt.Sprintf(".%s is one type too many", word)
	}
	var all []string
	for _, m := range s.mods {
		if m.isType {
			continue
		}
		if v, _ := groups[m.group].find(word); v != 0 {
			return fmt.Sprintf(".%s: the %s is .%s already", word, groups[m.group].doc, m.group.word(mods[m.group]))
		}
		all = append(all, groups[m.group].words...)
	}
	near := all
	if s.ntypes > 0 {
		for t := Pred; t < NumTypes; t++ {
			near = append(near, t.String())
		}
	}
	if n := Nearest(word, near); n != "" {
		return fmt.Sprintf("no modifier .%s; did you mean .%s?", word, n)
	}
	if len(all) == 0 {
		return fmt.Sprintf("no modifier .%s; %s takes none", word, s.Name)
	}
	return fmt.Sprintf("no modifier .%s; %s takes %s", word, s.Name, dotted(all))
}

// noSuchForm says what would do in place of a combination that PTX lacks.
func (s *Spec) noSuchForm(mnemonic string, in *Instr) string {
	// A modifier that the type needs may be missing.
	for _, m := range s.mods {
		if m.isType || in.Mods[m.group] != 0 {
			continue
		}
		mods := in.Mods
		for v := range groups[m.group].words {
			mods[m.group] = Mod(v + 1)
			if _, _, ok := s.bind(&Variant{Types: in.Types, Mods: &mods}); ok {
				return fmt.Sprintf("%s: no %s; with this type it takes one of %s", mnemonic, groups[m.group].doc, dotted(groups[m.group].words))
			}
		}
	}
	with := s.typesFor(&in.Mods, 0)
	if with != "" && s.ntypes > 0 {
		// The modifiers are fine with some other type.
		if s.ntypes == 1 {
			return fmt.Sprintf("%s: no such type; %s takes %s", mnemonic, s.withoutTypes(&in.Mods), with)
		}
		if second := s.typesFor(&in.Mods, in.Types[0]); second != "" {
			return fmt.Sprintf("%s: no such pair of types; after .%s comes %s", mnemonic, in.Types[0], second)
		}
		return fmt.Sprintf("%s: no such type; %s takes %s first", mnemonic, s.withoutTypes(&in.Mods), with)
	}
	// Some modifier is out of place: find one whose removal, or replacement,
	// makes the form legal with these types.
	for _, m := range s.mods {
		if m.isType || in.Mods[m.group] == 0 {
			continue
		}
		var fits []string
		mods := in.Mods
		for v := Mod(0); int(v) <= len(groups[m.group].words); v++ {
			if v == 0 && !m.optional {
				continue
			}
			mods[m.group] = v
			if _, _, ok := s.bind(&Variant{Types: in.Types, Mods: &mods}); ok {
				if v == 0 {
					fits = append(fits, "none")
				} else {
					fits = append(fits, "."+m.group.word(v))
				}
			}
		}
		if len(fits) > 0 {
			return fmt.Sprintf("%s: .%s does not go with this type; as %s it takes %s",
				mnemonic, m.group.word(in.Mods[m.group]), groups[m.group].doc, strings.Join(fits, " "))
		}
	}
	return fmt.Sprintf("%s: no such form; see %s in docs/isa.md", mnemonic, s.Title())
}

// typesFor lists the types that the row takes with these modifiers: first
// suffixes, or second ones after the given first.
func (s *Spec) typesFor(mods *Mods, first Type) string {
	var fit []string
	for t := Pred; t < NumTypes; t++ {
		ok := false
		if first == NoType {
			if s.ntypes == 2 {
				for u := Pred; u < NumTypes && !ok; u++ {
					_, _, ok = s.bind(&Variant{Types: [2]Type{t, u}, Mods: mods})
				}
			} else {
				_, _, ok = s.bind(&Variant{Types: [2]Type{t}, Mods: mods})
			}
		} else {
			_, _, ok = s.bind(&Variant{Types: [2]Type{first, t}, Mods: mods})
		}
		if ok {
			fit = append(fit, t.String())
		}
	}
	return dotted(fit)
}

func (s *Spec) withoutTypes(mods *Mods) string {
	var none [2]Type
	return strings.ReplaceAll(strings.TrimRight(s.mnemonic(none, mods), "."), "..", ".")
}

func dotted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("." + w)
	}
	return b.String()
}

func opcodeNames() []string {
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return append(names, laterOpcodes...)
}

// Nearest is the candidate that a misspelt word most likely means, or "". It
// allows one edit for short words, two for long ones and none for a letter.
func Nearest(word string, candidates []string) string {
	limit := 1
	switch {
	case len(word) < 2:
		return ""
	case len(word) > 4:
		limit = 2
	}
	best, found := limit+1, ""
	for _, c := range candidates {
		if d := editDistance(word, c, best); d < best {
			best, found = d, c
		}
	}
	return found
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours that turn a into b; anything from limit on is as good as limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit)
}
