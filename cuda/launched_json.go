package cuda

import (
	"encoding/json"
	"strconv"
	"strings"
)

// AppendJSON appends what json.Marshal returns, for most launches in a quarter of its time: programs of tiny launches
// spend more time on their lines than on the launches.
func (l *Launched) AppendJSON(b []byte) ([]byte, error) {
	if !l.plain() {
		whole := *l // so that other lines do not escape to the heap
		text, err := json.Marshal(&whole)
		return append(b, text...), err
	}
	b = append(b, '{')
	if l.State != "" {
		b = append(append(append(b, `"state":"`...), l.State...), `",`...)
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{`"process":`, int64(l.Process)}, {`"blocks_done":`, l.Done}, {`"blocks":`, l.Total}} {
		if f.value != 0 {
			b = append(strconv.AppendInt(append(b, f.name...), f.value, 10), ',')
		}
	}
	b = append(appendName(append(b, `"kernel":"`...), l.Kernel), '"')
	if l.Mangled != "" {
		b = append(append(append(b, `,"kernel_mangled":"`...), l.Mangled...), '"')
	}
	b = appendDim(append(b, `,"grid":`...), l.Grid)
	b = appendDim(append(b, `,"block":`...), l.Block)
	b = strconv.AppendInt(append(b, `,"shared":`...), l.Shared, 10)
	b = appendSeconds(append(b, `,"seconds":`...), l.Seconds)
	b = strconv.AppendUint(append(b, `,"warp_instructions":`...), l.WarpInstrs, 10)
	b = strconv.AppendUint(append(b, `,"lane_instructions":`...), l.LaneInstrs, 10)
	b = strconv.AppendUint(append(b, `,"divergent_branches":`...), l.Divergent, 10)
	return append(b, '}'), nil
}

// plain reports whether a line has only the fields of every launch, in values that JSON writes as strconv does: names
// without characters that are escaped, and times that are written without an exponent.
func (l *Launched) plain() bool {
	if l.Launches != 0 || l.Cycles != 0 || l.Microseconds != 0 || len(l.Metrics) > 0 || len(l.Warnings) > 0 || len(l.Races) > 0 || l.Error != "" ||
		l.Rule != "" || l.Hang || len(l.Others) > 0 || len(l.Uncompiled) > 0 || len(l.Undefined) > 0 || l.Call != nil || l.Leak != nil || len(l.Found) > 0 {
		return false
	}
	if l.Seconds != 0 && (l.Seconds < 1e-6 || l.Seconds >= 1e21) {
		return false
	}
	return unescaped(string(l.State)) && unescaped(l.Mangled) && unescaped(withoutBrackets.Replace(l.Kernel))
}

// Characters that JSON writes as numbers for HTML's sake, as in scale<float>.
var (
	brackets        = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
	withoutBrackets = strings.NewReplacer("<", "", ">", "", "&", "")
)

// appendName appends a name to JSON. Only <, > and & are escaped, as json.Marshal does: names have no other characters
// that need it.
func appendName(b []byte, name string) []byte {
	if strings.ContainsAny(name, "<>&") {
		name = brackets.Replace(name)
	}
	return append(b, name...)
}

// unescaped reports whether JSON has the text as it is.
func unescaped(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

// appendSeconds appends a time as strconv.AppendFloat does with 'f' and -1: times of less than a second that are whole
// nanoseconds in half the time. No other number of up to 9 decimals is nearer to such a float, so it has these digits.
func appendSeconds(b []byte, seconds float64) []byte {
	n := int64(seconds*1e9 + 0.5)
	if n <= 0 || n >= 1e9 || float64(n)/1e9 != seconds {
		return strconv.AppendFloat(b, seconds, 'f', -1, 64)
	}
	b = append(b, "0.000000000"...)
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}

func appendDim(b []byte, d [3]uint32) []byte {
	b = strconv.AppendUint(append(b, '['), uint64(d[0]), 10)
	b = strconv.AppendUint(append(b, ','), uint64(d[1]), 10)
	b = strconv.AppendUint(append(b, ','), uint64(d[2]), 10)
	return append(b, ']')
}
