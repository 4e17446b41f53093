package isa

import (
	"fmt"
	"strings"
)

// Needs says which version of PTX and which targets have the forms of a row: the "PTX ISA Notes" and "Target ISA
// Notes" of PTX ISA 9.0, and public notes on 9.1 to 9.4, with semicolons between them. The first is for all forms: the
// version that introduced the row, and its targets. "1" stands for PTX 1, which needs nothing. Each other one begins
// with words of a mnemonic, and forms that match it need that too:
//
//	e4m3/e5m2       one of the words
//	kind::*         a word that begins so
//	!sc             the word is absent
//	>f32 <bf16      the first type, that of the result; the second type
//
// A target stands for all that have its features: sm_80 for all later ones, sm_100f for the later ones of its family
// with the suffix a or f, and sm_90a for itself.
type Needs string

// spaceNeeds are needs of all rows, for words of state spaces.
const spaceNeeds Needs = "shared::cta 7.8 sm_30; shared::cluster 7.8 sm_90"

// operationNeeds are the needs of operations without a row (ptxOperations).
var operationNeeds = map[string]Needs{"tcgen05.shift": "8.6 sm_100a sm_103a sm_110a"}

// needRule is one rule of Needs.
type needRule struct {
	words   []needWord
	version Version // 0 for PTX 1
	targets []Arch
}

// needWord is a word that a mnemonic must have or must not have.
type needWord struct {
	any    []string // alternatives
	absent bool
	place  byte // '>' or '<' for a type; 0 for a word anywhere
}

// rules returns the parts of n in order.
func (n Needs) rules() (all []needRule) {
	for text := range strings.SplitSeq(string(n), "; ") {
		all = append(all, parseNeedRule(text))
	}
	return all
}

func parseNeedRule(text string) (r needRule) {
	fields := strings.Fields(text)
	last := len(fields)
	for {
		t, ok := ParseArch(fields[last-1])
		if !ok {
			break
		}
		r.targets = append([]Arch{t}, r.targets...)
		last--
	}
	if last != 1 || fields[0] != "1" {
		v, ok := ParseVersion(fields[last-1])
		if !ok {
			panic(fmt.Sprintf("simtrun bug: need %q has no version", text))
		}
		r.version = v
	}
	for _, word := range fields[:last-1] {
		w := needWord{}
		switch word[0] {
		case '!':
			w.absent, word = true, word[1:]
		case '>', '<':
			w.place, word = word[0], word[1:]
		}
		w.any = strings.Split(word, "/")
		r.words = append(r.words, w)
	}
	return r
}

// matches reports whether a mnemonic fits the rule; words are those after its opcode.
func (r *needRule) matches(words, types []string) bool {
	for _, w := range r.words {
		among := words
		switch w.place {
		case '>':
			among = types[:min(1, len(types))]
		case '<':
			among = types[min(1, len(types)):min(2, len(types))]
		}
		if w.among(among) == w.absent {
			return false
		}
	}
	return true
}

// among reports whether one of the alternatives is among words.
func (w *needWord) among(words []string) bool {
	for _, have := range words {
		for _, want := range w.any {
			prefix, open := strings.CutSuffix(want, "*")
			if have == want || open && strings.HasPrefix(have, prefix) {
				return true
			}
		}
	}
	return false
}

// NeedOf returns the need of a mnemonic with all its modifiers. It is zero for forms that PTX had from the start.
func NeedOf(mnemonic string) (n Need) {
	opcode, rest, _ := strings.Cut(mnemonic, ".")
	words := strings.Split(rest, ".")
	var types []string
	for _, word := range words {
		if TypeByName(word) != NoType {
			types = append(types, word)
		}
	}
	for _, needs := range []Needs{spaceNeeds, needsOf(opcode, rest)} {
		for _, r := range needs.rules() {
			if r.matches(words, types) {
				n.and(r.version, r.targets)
			}
		}
	}
	return n
}

// needsOf returns the needs of the row of an opcode with suffixes. An operation without a row has those of the opcode's
// first row, or its own.
func needsOf(opcode, suffixes string) Needs {
	if row, _ := rowOf(opcode, suffixes); row != nil {
		return row.Needs
	}
	operation, _, _ := strings.Cut(suffixes, ".")
	if own := operationNeeds[opcode+"."+operation]; own != "" {
		return own
	}
	first := Needs("1")
	for i, row := range specsByName[opcode] {
		whole, _, _ := strings.Cut(string(row.Needs), "; ")
		if i == 0 || parseNeedRule(whole).version < parseNeedRule(string(first)).version {
			first = Needs(whole)
		}
	}
	return first
}

// specialNeeds are the versions and targets of special registers (PTX ISA 10), for ranges from first to last.
var specialNeeds = []struct {
	first, last Special
	version     Version
	sm          int
}{
	{NWarpID, NWarpID, 20, 20}, {LaneMaskEq, LaneMaskGt, 20, 20}, {NSMID, NSMID, 20, 20}, {Clock64, Clock64, 20, 20},
	{ClusterIDX, IsExplicitCluster, 78, 90}, {DynamicSharedSize, TotalSharedSize, 41, 20}, {AggregateSharedSize, AggregateSharedSize, 81, 90},
	{ReservedSharedBegin, ReservedShared1, 76, 80}, {GlobalTimer, GlobalTimerHi, 31, 30}, {CurrentGraphExec, CurrentGraphExec, 80, 50},
}

// Need returns the version of PTX and the targets that the special register needs.
func (s Special) Need() Need {
	for _, r := range specialNeeds {
		if s >= r.first && s <= r.last {
			return Need{r.version, [][]Arch{{{SM: r.sm}}}}
		}
	}
	return Need{}
}
