package report

import (
	"bytes"
	"math"
	"strconv"

	"github.com/simtrun/simtrun/profile"
)

// Metrics is a JSON object of metrics: name to number, or to null for the ratio
// of nothing to nothing, in the order of the table.
type Metrics []profile.Value

// LaunchMetrics is all metrics of a launch.
func LaunchMetrics(l *Launch) Metrics {
	all := profile.Metrics()
	values := make(Metrics, len(all))
	for i := range all {
		v, ok := all[i].Of(&l.Profile.Total)
		if !ok {
			v = math.NaN()
		}
		values[i] = profile.Value{Metric: &all[i], Number: v}
	}
	return values
}

// MarshalJSON implements json.Marshaler.
func (m Metrics) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, v := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(v.Name))
		b.WriteByte(':')
		if math.IsNaN(v.Number) {
			b.WriteString("null")
		} else {
			b.WriteString(exact(v.Number))
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Line is the JSON object of an instruction that ran.
type Line struct {
	File        string  `json:"file"`
	Line        int32   `json:"line"`
	Column      int32   `json:"column"`
	Function    string  `json:"function"`
	PC          int     `json:"pc"` // in the function
	Instruction string  `json:"instruction"`
	Metrics     Metrics `json:"metrics"` // those that are not 0
}

// Lines is the instructions of a launch that ran, function by function in the
// order of their PCs. It is never nil.
func Lines(l *Launch) []Line {
	lines := []Line{}
	for _, in := range l.executed() {
		pos := in.pos()
		lines = append(lines, Line{pos.File, pos.Line, pos.Col, in.fn.Name, in.pc, in.fn.Text(in.pc), nonZero(in.counts())})
	}
	return lines
}
