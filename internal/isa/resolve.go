package isa

import (
	"fmt"
	"slices"
	"strings"
)

// Dialect is how the header of a module affects mnemonics. The zero value is current PTX.
type Dialect struct {
	Before14 bool // PTX 1.0 to 1.3, which did not write some modifiers
	Before32 bool // PTX 1.0 to 3.1
	SM1x     bool // for GPUs before sm_20
	// Newer is the version of PTX if it is newer than LatestVersion, otherwise 0. Unknown words may have been added in
	// it.
	Newer Version
}

// NotYet returns, for a word or mnemonic that PTX up to LatestVersion does not have, why a kernel with it cannot be
// launched in a dialect with Newer.
func (d Dialect) NotYet(word string) string {
	return fmt.Sprintf("%s is not in PTX %s, and not supported yet if %s has added it", word, LatestVersion, d.Newer)
}

// unknown ends a Resolve that has found a mistake: with its message or, if a newer version may have added the form,
// with an instruction that cannot be executed yet.
func (d Dialect) unknown(in Instr, mnemonic, msg string) (Instr, string) {
	if d.Newer == 0 || msg == "" || mnemonic[0] == '%' {
		return in, msg
	}
	in.Later = d.NotYet(mnemonic)
	return in, ""
}

// Resolve is Dialect.Resolve for current PTX.
func Resolve(mnemonic string) (in Instr, msg string) { return Dialect{}.Resolve(mnemonic) }

// Resolve finds the row, types and modifiers of a dotted mnemonic such as "setp.lt.and.s32". Modifiers may be in any
// order. The instruction that it returns has no operands yet. An empty msg means that PTX has the form; then Later,
// if not empty, is why simtrun does not support it yet.
func (d Dialect) Resolve(mnemonic string) (in Instr, msg string) {
	in.Guard, in.Mods = NoReg, new(Mods)
	base, rest, _ := strings.Cut(mnemonic, ".")
	s, title := rowOf(base, rest)
	if s == nil {
		in.Later, msg = withoutRow(mnemonic)
		return d.unknown(in, mnemonic, msg)
	}
	in.Spec = s
	ntypes, unknown := in.addSuffixes(mnemonic, rest)
	switch {
	case in.Later != "": // may have suffixes that no form has yet
		return in, ""
	case unknown != "" && title != s.Title():
		return d.unknown(in, mnemonic, noOperation(mnemonic, title))
	case unknown != "":
		return d.unknown(in, mnemonic, fmt.Sprintf("%s: %s", mnemonic, s.unknownSuffix(unknown, &in)))
	}
	if s.Syntax.implied != nil {
		s.Syntax.implied(d, &in)
	}
	if msg = in.lacksSuffix(mnemonic, base, ntypes); msg != "" {
		return in, msg
	}
	if _, _, ok := s.bind(&Variant{Types: in.Types, Mods: in.Mods}); !ok {
		if slices.Contains(s.Syntax.later, in.Types[0]) {
			in.Later = mnemonic + " is not supported yet"
			return in, ""
		}
		return d.unknown(in, mnemonic, s.noSuchForm(mnemonic, &in))
	}
	if s.Syntax.missing != nil {
		if what := s.Syntax.missing(d, &in); what != "" {
			return in, fmt.Sprintf("%s: %s", mnemonic, what)
		}
	}
	return in, ""
}

// addSuffixes sets the types and modifiers that the suffixes of a mnemonic name, joined by dots in rest. It returns how
// many types there are and the first suffix that the row does not know; Later is set if there is one that PTX has.
func (in *Instr) addSuffixes(mnemonic, rest string) (ntypes int, unknown string) {
	s := in.Spec
	for rest != "" {
		var w string
		w, rest, _ = strings.Cut(rest, ".")
		if t := TypeByName(w); t != NoType && ntypes < s.ntypes {
			in.Types[ntypes] = t
			ntypes++
			continue
		}
		known, later := s.addMod(in.Mods, w)
		switch {
		case known:
		case later || laterTypes[w]:
			in.Later = fmt.Sprintf("%s: .%s is not supported yet", mnemonic, w)
		case unknown == "":
			unknown = w
		}
	}
	return ntypes, unknown
}

// lacksSuffix returns which modifier or type a mnemonic must have but lacks; base is the part before its first dot.
func (in *Instr) lacksSuffix(mnemonic, base string, ntypes int) string {
	s := in.Spec
	for _, m := range s.mods {
		if !m.isType && !m.optional && in.Mods[m.group] == 0 {
			return fmt.Sprintf("%s: no %s; %s takes %s", mnemonic, groups[m.group].doc, base, dotted(s.wordsFor(m.group, in)))
		}
	}
	switch {
	case ntypes == 0 && s.ntypes > 0:
		return fmt.Sprintf("%s: no type; %s takes %s", mnemonic, base, s.typesFor(in.Mods, NoType))
	case ntypes < s.ntypes:
		return s.oneTypeOnly(mnemonic, in)
	}
	return ""
}

// withoutRow returns, for a mnemonic without a row, why it is not supported yet or, if PTX does not have it, a
// message with suggestions.
func withoutRow(mnemonic string) (later, msg string) {
	base, rest, _ := strings.Cut(mnemonic, ".")
	operation, _, _ := strings.Cut(rest, ".")
	switch {
	case slices.Contains(ptxOperations[base], operation):
		return mnemonic + " is not supported yet", ""
	case len(operationsOf(base)) > 0:
		return "", noOperation(mnemonic, base)
	}
	return "", base + ": no such opcode" + insteadOf(base)
}

// noOperation returns the message for a mnemonic that has only the beginning of several titles.
func noOperation(mnemonic, title string) string {
	return fmt.Sprintf("%s: no operation; %s takes %s", mnemonic, title, dotted(operationsOf(title)))
}

// operationsOf returns the words after title in longer titles of rows.
func operationsOf(title string) (operations []string) {
	for _, s := range specs {
		if operation, ok := strings.CutPrefix(s.Title(), title+"."); ok {
			operations = append(operations, operation)
		}
	}
	return operations
}

// rowOf returns the row of a base mnemonic with these suffixes, or nil. If there are several it is the one with the
// longest title. The returned title is longer than the row's if the suffixes have more words of titles without a row.
func rowOf(base, suffixes string) (row *Spec, title string) {
	switch rows := specsByName[base]; {
	case len(rows) == 0:
		return nil, base
	case len(rows) == 1 && rows[0].With == "":
		return rows[0], base
	}
	row, title = specByTitle[base], base
	for w := range strings.SplitSeq(suffixes, ".") {
		s, ok := specByTitle[title+"."+w]
		if ok {
			title += "." + w
		}
		if s != nil {
			row = s
		}
	}
	return row, title
}

// addMod sets the modifier written as word, if the row accepts it.
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

// typesFor lists the types that the row accepts with these modifiers: first suffixes or, after a given first, second
// ones.
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

// SyncOnlyFrom is the first target, sm_70, without warp collectives that lack .sync: PTX ISA 6.4 removed them for it,
// and 6.0 had deprecated them.
const SyncOnlyFrom = 70

// Removed returns a message for an instruction that targets from SyncOnlyFrom on do not have, because it lacks .sync;
// "" if they have it.
func (in *Instr) Removed() string {
	if in.Later != "" || in.Mods[Sync] != 0 || !slices.ContainsFunc(in.Spec.mods, func(m modSlot) bool { return m.group == Sync && m.optional && !m.isType }) {
		return ""
	}
	name := in.Spec.Name
	return fmt.Sprintf("%s without .sync is not in PTX for sm_%d and later; write %s.sync with the mask of the lanes that take part, -1 for all", name, SyncOnlyFrom, name)
}
