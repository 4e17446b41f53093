package isa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/sorted"
)

// insteadOf returns a suggestion in place of an opcode that does not exist, as the end of a message; "" if nothing is
// similar.
func insteadOf(base string) string {
	word := strings.ToLower(base)
	if advice := opcodeAdvice[word]; advice != "" {
		return "; " + advice
	}
	if opcode := opcodeSynonyms[word]; opcode != "" {
		return "; did you mean " + opcode + "?"
	}
	for _, s := range specs {
		rest, ok := strings.CutPrefix(word, s.Name)
		if rest = strings.TrimLeft(rest, "_"); ok && TypeByName(rest) != NoType {
			return fmt.Sprintf("; did you mean %s.%s?", s.Name, rest)
		}
	}
	if near := Nearest(base, opcodeNames()); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func opcodeNames() []string {
	var names []string
	for _, s := range specs {
		if len(names) == 0 || names[len(names)-1] != s.Name { // they are sorted
			names = append(names, s.Name)
		}
	}
	return names
}

// opcodeSynonyms are names in C, CUDA and other assemblers for opcodes.
var opcodeSynonyms = map[string]string{
	"b": "bra", "br": "bra", "jmp": "bra", "jump": "bra", "goto": "bra", "return": "ret", "halt": "exit", "end": "exit", "stop": "exit",
	"move": "mov", "load": "ld", "store": "st", "ldr": "ld", "str": "st", "lea": "mov", "mod": "rem", "cmp": "setp", "select": "selp", "sel": "selp", "cmov": "selp",
	"fadd": "add", "iadd": "add", "fsub": "sub", "isub": "sub", "fmul": "mul", "imul": "mul", "fdiv": "div", "idiv": "div", "ffma": "fma", "imad": "mad", "fmad": "fma",
	"lsl": "shl", "sll": "shl", "lsr": "shr", "srl": "shr", "asr": "shr", "sra": "shr", "popcnt": "popc", "log2": "lg2", "exp2": "ex2",
	"shuffle": "shfl.sync", "ballot": "vote.sync.ballot", "__shfl_sync": "shfl.sync.idx", "__shfl_up_sync": "shfl.sync.up", "__shfl_down_sync": "shfl.sync.down",
	"__shfl_xor_sync": "shfl.sync.bfly", "__ballot_sync": "vote.sync.ballot", "__any_sync": "vote.sync.any", "__all_sync": "vote.sync.all",
	"barrier_sync": "bar.sync", "__syncwarp": "bar.warp.sync", "__threadfence": "membar.gl", "__threadfence_block": "membar.cta",
	"atomicadd": "atom.add", "atomicmin": "atom.min", "atomicmax": "atom.max", "atomicexch": "atom.exch", "atomiccas": "atom.cas", "xchg": "atom.exch", "atomic": "atom",
	"__popc": "popc", "__clz": "clz", "__brev": "brev", "fmaf": "fma", "sqrtf": "sqrt", "rsqrtf": "rsqrt", "sinf": "sin", "cosf": "cos",
}

// opcodeAdvice is for words that do not correspond to a single opcode.
var opcodeAdvice = map[string]string{
	"nop": "leave it out", "inc": "it is add with 1", "dec": "it is sub with 1",
	"__syncthreads": "it is bar.sync 0", "syncthreads": "it is bar.sync 0",
	"exp": "ex2 is the power of 2: multiply by log2(e), 1.442695, before", "expf": "ex2 is the power of 2: multiply by log2(e), 1.442695, before",
	"log": "lg2 is the logarithm to base 2: multiply the result by ln(2), 0.693147", "logf": "lg2 is the logarithm to base 2: multiply the result by ln(2), 0.693147",
	"pow": "it is lg2, mul and ex2", "powf": "it is lg2, mul and ex2", "tan": "it is sin, cos and div",
	"printf": "it is a call of vprintf", "push": "PTX has no stack", "pop": "PTX has no stack",
	"if": "PTX compares with setp and jumps with @%p bra LABEL", "else": "PTX jumps with bra LABEL", "for": "PTX jumps back with @%p bra LABEL",
	"while": "PTX jumps back with @%p bra LABEL", "do": "PTX jumps back with @%p bra LABEL",
	"int": "a register is declared as in .reg .s32 i;", "unsigned": "a register is declared as in .reg .u32 i;", "uint": "a register is declared as in .reg .u32 i;",
	"float": "a register is declared as in .reg .f32 x;", "double": "a register is declared as in .reg .f64 x;", "bool": "a register is declared as in .reg .pred p;",
	"__shared__": "a variable is declared as in .shared .f32 s[32];",
}

// suffixSynonyms are words of C, IEEE 754 and other assemblers for types and modifiers. Of several meanings, the
// first that the instruction has is used.
var suffixSynonyms = map[string][]string{
	"gte": {"ge"}, "gteu": {"geu"}, "lte": {"le"}, "neq": {"neu", "ne"}, "less": {"lt"}, "greater": {"gt"}, "equal": {"eq"},
	"i8": {"s8", "b8"}, "int8": {"s8", "b8"}, "char": {"s8", "b8"}, "uint8": {"u8", "b8"}, "byte": {"b8", "u8"},
	"i16": {"s16", "b16"}, "int16": {"s16", "b16"}, "short": {"s16", "b16"}, "uint16": {"u16", "b16"},
	"i32": {"s32", "b32"}, "int": {"s32", "b32"}, "int32": {"s32", "b32"}, "uint": {"u32", "b32"}, "uint32": {"u32", "b32"}, "unsigned": {"u32", "b32"}, "dword": {"b32", "u32"},
	"i64": {"s64", "b64"}, "long": {"s64", "b64"}, "int64": {"s64", "b64"}, "ulong": {"u64", "b64"}, "uint64": {"u64", "b64"}, "ptr": {"u64", "b64"}, "qword": {"b64", "u64"},
	"u8": {"b8"}, "s8": {"b8"}, "u16": {"b16"}, "s16": {"b16"}, "u32": {"b32"}, "s32": {"b32"}, "u64": {"b64"}, "s64": {"b64"},
	"half": {"f16"}, "fp16": {"f16"}, "float16": {"f16"}, "bfloat16": {"bf16"}, "bfloat": {"bf16"}, "float": {"f32"}, "single": {"f32"}, "fp32": {"f32"}, "float32": {"f32"}, "double": {"f64"}, "fp64": {"f64"}, "float64": {"f64"},
	"bool": {"pred"}, "predicate": {"pred"}, "1": {"pred"},
	"rne": {"rn"}, "rtz": {"rz"}, "rtn": {"rm"}, "rd": {"rm"}, "rtp": {"rp"}, "ru": {"rp"}, "trunc": {"rzi"}, "floor": {"rmi"}, "ceil": {"rpi"}, "round": {"rni"},
	"low": {"lo"}, "high": {"hi"}, "constant": {"const"}, "gmem": {"global"}, "smem": {"shared"}, "lmem": {"local"},
	"vec2": {"v2"}, "vec4": {"v4"}, "x2": {"v2"}, "x4": {"v4"}, "exchange": {"exch"},
}

// unknownSuffix returns the message for a word that is not a type or modifier of the row; in has the correct types
// and modifiers.
func (s *Spec) unknownSuffix(word string, in *Instr) string {
	if TypeByName(word) != NoType {
		for _, m := range s.mods {
			if g := &groups[m.group]; !m.isType && !m.optional && in.Mods[m.group] == 0 && TypeByName(g.words[0]) != NoType {
				return fmt.Sprintf(".%s is no %s; it takes %s", word, g.doc, dotted(s.wordsFor(m.group, in)))
			}
		}
		if s.ntypes == 0 {
			return fmt.Sprintf("%s takes no type", s.Name)
		}
		return fmt.Sprintf(".%s is one type too many", word)
	}
	for _, m := range s.mods {
		if m.isType {
			continue
		}
		if v, _ := groups[m.group].find(word); v != 0 {
			return fmt.Sprintf(".%s: the %s is .%s already", word, groups[m.group].doc, m.group.word(in.Mods[m.group]))
		}
		if words := s.wordsFor(m.group, in); differInDigits(word, words) {
			return fmt.Sprintf("no modifier .%s; as %s it takes %s", word, groups[m.group].doc, dotted(words))
		}
	}
	modifiers, types := s.suffixes(in)
	near := Meant(word, slices.Concat(modifiers, types[0], types[1]))
	if near == "" {
		near = Nearest(word, operationWords(s.Name))
	}
	if near != "" {
		return fmt.Sprintf("no modifier .%s; did you mean .%s?", word, near)
	}
	noType := len(modifiers) == 0 || digitsOf(word) != "" || suffixSynonyms[strings.ToLower(word)] != nil
	switch {
	case s.ntypes == 0 && len(modifiers) == 0:
		return fmt.Sprintf("no modifier .%s; %s takes none", word, s.Name)
	case s.ntypes > 0 && in.Types[0] == NoType && noType:
		return fmt.Sprintf("no type .%s; %s takes %s", word, s.Name, dotted(types[0]))
	case s.Kind == Branch:
		return fmt.Sprintf("no modifier .%s; %s takes %s, and a label has no dot", word, s.Name, dotted(modifiers))
	}
	return fmt.Sprintf("no modifier .%s; %s takes %s", word, s.Name, dotted(modifiers))
}

// suffixes returns the modifiers and types of the forms that have those of in. If there are many modifiers, hints are
// left out.
func (s *Spec) suffixes(in *Instr) (modifiers []string, types [2][]string) {
	const many = 20
	var all []string
	for _, m := range s.mods {
		if m.isType {
			continue
		}
		words := s.wordsFor(m.group, in)
		if all = append(all, words...); !groups[m.group].hint {
			modifiers = append(modifiers, words...)
		}
	}
	if len(all) <= many {
		modifiers = all
	}
	return modifiers, s.legal(in).types
}

// differInDigits reports whether word is one of the words except for digits.
func differInDigits(word string, words []string) bool {
	form := func(w string) string {
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}
			return r
		}, w)
	}
	return slices.ContainsFunc(words, func(w string) bool { return form(w) == form(word) })
}

// Meant returns the one of words, types or modifiers, that word most likely stands for, or "".
func Meant(word string, words []string) string {
	for _, synonym := range suffixSynonyms[strings.ToLower(word)] {
		if slices.Contains(words, synonym) {
			return synonym
		}
	}
	return Nearest(word, words)
}

// operationWords returns the modifiers that distinguish the rows of an opcode (Spec.With), such as red of bar.red.
func operationWords(opcode string) (words []string) {
	for _, s := range specsByName[opcode] {
		if s.With != "" {
			words = append(words, strings.Split(s.With, ".")...)
		}
	}
	return words
}

// InsteadOfType returns a suggestion in place of a type that does not exist: the type that was probably meant, or all
// of them.
func InsteadOfType(word string) string {
	var names []string
	for t := Pred; t < NumTypes; t++ {
		if t.Storage() == t {
			names = append(names, t.String())
		}
	}
	if near := Meant(word, names); near != "" {
		return "did you mean ." + near + "?"
	}
	return "there are " + dotted(names)
}

// IsSuffix reports whether word, without a dot, is a type or a modifier of some
// opcode.
func IsSuffix(word string) bool {
	if TypeByName(word) != NoType {
		return true
	}
	for g := range groups {
		if m, later := groups[g].find(word); m != 0 || later {
			return true
		}
	}
	return false
}

// wordsFor returns the words of a group with which the row has a form of the types and modifiers of in; all of them,
// if there is none.
func (s *Spec) wordsFor(g Group, in *Instr) []string {
	if groups[g].hint {
		return groups[g].words
	}
	if words := s.legal(in).mods[g]; len(words) > 0 {
		return words
	}
	return s.legal(nil).mods[g]
}

// oneTypeOnly returns the message for an instruction with only one of two types.
func (s *Spec) oneTypeOnly(mnemonic string, in *Instr) string {
	text := fmt.Sprintf("%s: one type; %s takes two, that of the result first", mnemonic, s.Name)
	if seconds := s.legal(in).types[1]; len(seconds) > 0 {
		text += fmt.Sprintf(": after .%s comes %s", in.Types[0], dotted(seconds))
	}
	return text
}

// noSuchForm returns a message with suggestions for a combination that PTX lacks.
func (s *Spec) noSuchForm(mnemonic string, in *Instr) string {
	if text := s.missingModifier(in); text != "" {
		return mnemonic + ": " + text
	}
	with := s.typesFor(in.Mods, 0)
	if with != "" && s.ntypes > 0 {
		// The modifiers are legal with some other type.
		if s.ntypes == 1 {
			text := fmt.Sprintf("%s: no such type; %s takes %s", mnemonic, s.withoutTypes(in.Mods), with)
			types := s.legal(&Instr{Mods: in.Mods}).types[0]
			near := Meant(in.Types[0].String(), types)
			if unsigned := strings.Replace(in.Types[0].String(), "s", "u", 1); in.Types[0].Class() == Signed && slices.Contains(types, unsigned) {
				near = unsigned // the bits are the same
			} else if signed := strings.Replace(in.Types[0].String(), "u", "s", 1); in.Types[0].Class() == Unsigned && slices.Contains(types, signed) {
				near = signed
			} else if len(types) < 2 || TypeByName(near).Class() != Untyped {
				near = ""
			}
			if near != "" {
				text += fmt.Sprintf("; did you mean .%s?", near)
			}
			return text
		}
		if second := s.typesFor(in.Mods, in.Types[0]); second != "" {
			return fmt.Sprintf("%s: no such pair of types; after .%s comes %s", mnemonic, in.Types[0], second)
		}
		return fmt.Sprintf("%s: no such type; %s takes %s first", mnemonic, s.withoutTypes(in.Mods), with)
	}
	if text := s.misplacedModifier(in); text != "" {
		return mnemonic + ": " + text
	}
	return fmt.Sprintf("%s: no such form; simtrun help %s shows what there is", mnemonic, s.Title())
}

// missingModifier returns the groups of modifiers with one that would make the form legal; "" if there are none.
// Several groups can be alternatives: sqrt.f32 takes a rounding or .approx.
func (s *Spec) missingModifier(in *Instr) string {
	var what, fits []string
	var form string // the latest legal form
	for _, m := range s.mods {
		if m.isType || in.Mods[m.group] != 0 {
			continue
		}
		mods := *in.Mods
		found := false
		for v, word := range groups[m.group].words {
			mods[m.group] = Mod(v + 1)
			if _, _, ok := s.bind(&Variant{Types: in.Types, Mods: &mods}); ok {
				fits, found = append(fits, word), true
				form = s.mnemonic(in.Types, &mods)
			}
		}
		if found {
			what = append(what, groups[m.group].doc)
		}
	}
	switch len(fits) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("no %s; expected %s", what[0], form)
	}
	return fmt.Sprintf("needs one of %s (%s)", dotted(fits), strings.Join(what, " or "))
}

// misplacedModifier names a modifier that makes the form illegal: without it, or with another of its group, the form
// is legal with its types. It returns "" if there is none. Shapes of matrices are tried last, because the shape is
// usually intended.
func (s *Spec) misplacedModifier(in *Instr) string {
	slots := slices.Clone(s.mods)
	sorted.Stable(slots, func(a, b modSlot) int {
		return cmp.Compare(shapeRank(a), shapeRank(b))
	})
	for _, m := range slots {
		if m.isType || in.Mods[m.group] == 0 {
			continue
		}
		var fits []string
		mods := *in.Mods
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
			return fmt.Sprintf(".%s does not go with this type; as %s it takes %s",
				m.group.word(in.Mods[m.group]), groups[m.group].doc, strings.Join(fits, " "))
		}
	}
	return ""
}

func shapeRank(m modSlot) int {
	if !m.isType && m.group == MatrixShape {
		return 1
	}
	return 0
}

// Nearest returns the candidate that a misspelt word most likely means, or "". The word in another case is always
// accepted. Otherwise Nearest allows one edit for short words, two for long ones and none for a single letter, and no
// different digits: a different width, version or number is not a typing error. Among equally near candidates, one
// that lacks letters or has additional ones is likelier than one with different letters; if two remain, it returns
// neither.
func Nearest(word string, candidates []string) string {
	best := 1
	if len(word) > 4 {
		best = 2
	}
	lower := strings.ToLower(word)
	var near []string
	for _, c := range candidates {
		switch {
		case strings.EqualFold(c, word):
			return c
		case len(word) < 2 || digitsOf(c) != digitsOf(word) || slices.Contains(near, c):
			continue
		}
		d := editDistance(lower, strings.ToLower(c), best+1)
		if d < best {
			best, near = d, nil
		}
		if d == best {
			near = append(near, c)
		}
	}
	if len(near) > 1 {
		near = slices.DeleteFunc(near, func(c string) bool {
			c = strings.ToLower(c)
			return !isWithin(c, lower) && !isWithin(lower, c)
		})
	}
	if len(near) != 1 {
		return ""
	}
	return near[0]
}

// isWithin reports whether long contains the letters of short, in order.
func isWithin(short, long string) bool {
	for i := range len(long) {
		if short != "" && short[0] == long[i] {
			short = short[1:]
		}
	}
	return short == ""
}

// digitsOf returns the digits in a word, in order.
func digitsOf(word string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, word)
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours that turn a into b. It may return
// any value of at least limit if the distance is not less.
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
