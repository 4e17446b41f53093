package report

import (
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// Other is the other side of a race: the one that precedes in program order.
type Other struct {
	*Who
	Does   string `json:"does"` // read, write or atomic; start or end of a block
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column"`
	Instr  string `json:"instr"`
	*Compiled
	Value string `json:"value,omitempty"`
}

// Pair is another pair of instructions with the same fix.
type Pair struct {
	Rule    string   `json:"rule"`
	Earlier Position `json:"earlier"`
	Later   Position `json:"later"`
}

// Position is a place in a source.
type Position struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column"`
}

func positionOf(pos isa.Pos) Position { return Position{pos.File, pos.Line, pos.Col} }

// racesOf returns the races of launch number as findings.
func racesOf(l *launch.Launched, number int) []Finding {
	var found []Finding
	for i := range l.Races {
		race := &l.Races[i]
		f := findingAt(race.Later.Place(), race.Rule.Message(), race.Rule.String())
		f.Severity, f.Instr, f.Value = race.Rule.Severity().String(), race.Later.Func.Text(race.Later.PC), race.Later.Value
		f.Who = whoOf(whereOf(&race.Later))
		f.What = &What{Space: race.Space.String(), Buffer: race.Buffer, Address: race.Address, Size: race.Bytes}
		if offset := int64(race.Offset); race.Buffer != "" {
			f.Offset = &offset
		}
		f.Launch, f.Kernel = &number, l.Kernel
		f.Other, f.Between, f.Fix = otherOf(&race.Earlier), race.Between, race.Fix
		f.Also = pairsOf(race.Also)
		f.Repeats = &Repeats{race.Instances, race.Warps, race.Blocks}
		found = append(found, f)
	}
	return found
}

func otherOf(a *check.Access) *Other {
	at := a.Place()
	pos := at.Pos()
	return &Other{whoOf(whereOf(a)), a.Does(), pos.File, pos.Line, pos.Col, a.Func.Text(a.PC), compiledOf(at), a.Value}
}

func pairsOf(also []check.Pair) (pairs []Pair) {
	at := func(a *check.Access) Position { return positionOf(a.Place().Pos()) }
	for i := range also {
		pairs = append(pairs, Pair{also[i].Rule.String(), at(&also[i].Earlier), at(&also[i].Later)})
	}
	return pairs
}
