package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/sorted"
)

// byLine is executed for tables and advice about lines: instructions that were compiled from one line of a source are
// one instruction with their sums, whose text is the line. Instructions of PTX written by hand remain as they are.
func (l *Launch) byLine(keep func(in *Instruction) bool, by func(in *Instruction) uint64) []*Instruction {
	type key struct {
		function, file string
		line           int32
	}
	var all []*Instruction
	at := make(map[key]int) // index in all
	for _, in := range l.executed(nil, nil) {
		if in.PTXLine == 0 {
			all = append(all, in)
			continue
		}
		k := key{in.Symbol(), in.File, in.Line}
		n, known := at[k]
		if !known {
			n = len(all)
			at[k] = n
			all = append(all, &Instruction{Name: in.Name, Place: in.Place, PTXLine: in.PTXLine, Text: cmp.Or(in.Code, in.Text)})
		}
		all[n].add(in)
	}
	if keep != nil {
		all = slices.DeleteFunc(all, func(in *Instruction) bool { return !keep(in) })
	}
	if by != nil {
		sorted.Stable(all, func(a, b *Instruction) int { return cmp.Compare(by(b), by(a)) })
	}
	return all
}

// add adds an instruction of the same line.
func (in *Instruction) add(one *Instruction) {
	in.Parts = append(in.Parts, one)
	in.Live = max(in.Live, one.Live)
	in.FLOPs += one.FLOPs
	in.Counts.Add(&one.Counts)
	in.Uniformity = cmp.Or(in.Uniformity, one.Uniformity)
	longest := uint64(0)
	for _, part := range in.Parts {
		if part.WaitsFor != nil && part.cycles() > longest {
			longest, in.WaitsFor = part.cycles(), part.WaitsFor
		}
	}
	for s := range one.Stalls {
		in.Stalls[s] += one.Stalls[s]
	}
}

// has reports whether the text of an instruction, or of one on its line, contains a word of PTX.
func (in *Instruction) has(word string) bool {
	if len(in.Parts) == 0 {
		return strings.Contains(in.Text, word)
	}
	return slices.ContainsFunc(in.Parts, func(part *Instruction) bool { return part.has(word) })
}
