package validate

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

// columns are the columns of the table, with their widths.
var columns = []struct {
	name  string
	width int
}{{"row", 5}, {"gpu", 9}, {"compared", 30}, {"source", 8}, {"expected", 22}, {"got", 22}, {"verdict", 12}}

// WriteHead writes the table's head.
func WriteHead(w io.Writer) {
	var cells [][]string
	for _, c := range columns {
		cells = append(cells, []string{c.name})
	}
	writeCells(w, cells)
}

// WriteText writes a row of the table, wrapped to several lines if needed.
func (r *Result) WriteText(w io.Writer) {
	what := strings.Fields(r.What)
	if r.At != nil {
		what[len(what)-1] += ":"
		what = append(what, r.At...)
	}
	expected, got := r.figures()
	texts := [][]string{{r.ID}, strings.SplitAfter(r.GPU, ":"), what, strings.Fields(r.Source), expected, got, r.verdictText()}
	var cells [][]string
	for i, words := range texts {
		cells = append(cells, wrap(words, columns[i].width))
	}
	writeCells(w, cells)
}

// figures formats the expected and the actual figures, aligned if there are several points.
func (r *Result) figures() (expected, got []string) {
	wide := 0
	for i, band := range r.Expected {
		expected = append(expected, band.Text)
		if r.Got != nil {
			got = append(got, gotText(r.Got[i]))
			wide = max(wide, len(got[i]))
		}
		wide = max(wide, len(band.Text))
	}
	if len(expected) > 1 {
		for _, list := range [][]string{expected, got} {
			for i := range list {
				list[i] = fmt.Sprintf("%*s", wide, list[i])
			}
		}
	}
	return expected, got
}

// verdictText returns the verdict, and the largest deviation.
func (r *Result) verdictText() []string {
	words := []string{string(r.Verdict)}
	if off := 100 * r.off(); math.Abs(off) >= 0.5 && r.Kind != Rule {
		words[0] += ","
		words = append(words, fmt.Sprintf("%+.0f %%", off))
	}
	return words
}

// wrap wraps words into lines.
func wrap(words []string, width int) []string {
	var lines []string
	for i, word := range words {
		if i > 0 && len(lines[len(lines)-1])+1+len(word) <= width {
			lines[len(lines)-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// writeCells writes the cells of a row, each of which is a list of lines.
func writeCells(w io.Writer, cells [][]string) {
	for line, more := 0, true; more; line++ {
		text := ""
		more = false
		for i, cell := range cells {
			part := ""
			if line < len(cell) {
				part = cell[line]
			}
			text += fmt.Sprintf("%-*s  ", columns[i].width, part)
			more = more || line+1 < len(cell)
		}
		fmt.Fprintln(w, strings.TrimRight(text, " "))
	}
}

// Summary counts verdicts.
type Summary struct {
	Rows        int `json:"rows"`
	Input       int `json:"input"`
	Agrees      int `json:"agrees"`
	Misses      int `json:"misses"`
	NotModelled int `json:"not_modelled"`
	Unexpected  int `json:"unexpected"`
}

// Summarise counts the verdicts of results.
func Summarise(results []*Result) Summary {
	s := Summary{Rows: len(results)}
	counts := map[Verdict]*int{IsInput: &s.Input, Agrees: &s.Agrees, Misses: &s.Misses, NotModelled: &s.NotModelled}
	for _, r := range results {
		*counts[r.Verdict]++
		if r.Unexpected() {
			s.Unexpected++
		}
	}
	return s
}

// WriteEnd writes the text below the table: why rows miss or are not modelled, and the number of rows by verdict.
func WriteEnd(w io.Writer, results []*Result) {
	byReason := make(map[string][]*Result)
	var reasons []string
	for _, r := range results {
		if r.Reason == "" {
			continue
		}
		why := fmt.Sprintf("%s: %s", r.Verdict, r.Reason)
		if byReason[why] == nil {
			reasons = append(reasons, why)
		}
		byReason[why] = append(byReason[why], r)
	}
	for _, why := range reasons {
		fmt.Fprintf(w, "\n%s\n", why)
		for _, r := range byReason[why] {
			fmt.Fprintf(w, "  %s\n", r.Name())
		}
	}
	s := Summarise(results)
	fmt.Fprintf(w, "\nrows %d  input %d  agree %d  miss %d  not modelled %d\n", s.Rows, s.Input, s.Agrees, s.Misses, s.NotModelled)
}

// object and point are the JSON of a result and of a figure.
type (
	object struct {
		Row      string   `json:"row"`
		GPU      string   `json:"gpu"`
		What     string   `json:"what"`
		Source   string   `json:"source"`
		Kind     Kind     `json:"kind"`
		Verdict  Verdict  `json:"verdict"`
		Reason   string   `json:"reason,omitempty"`
		Points   []point  `json:"points"`
		Commands []string `json:"commands"`
	}
	point struct {
		At       string   `json:"at,omitempty"`
		Expected string   `json:"expected"`
		Low      *float64 `json:"low,omitempty"`
		High     *float64 `json:"high,omitempty"`
		Got      *float64 `json:"got,omitempty"`
	}
)

// finite returns a figure for JSON, which has no infinite numbers: nil.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (r *Result) object() object {
	o := object{r.ID, r.GPU, r.What, r.Source, r.Kind, r.Verdict, r.Reason, []point{}, append([]string{}, r.Commands...)}
	for i, band := range r.Expected {
		p := point{Expected: band.Text, Low: finite(band.Low), High: finite(band.High)}
		if r.At != nil {
			p.At = r.At[i]
		}
		if r.Got != nil {
			p.Got = finite(r.Got[i])
		}
		o.Points = append(o.Points, p)
	}
	return o
}

// WriteJSON writes one object of results.
func WriteJSON(w io.Writer, results []*Result) error {
	all := struct {
		Schema  string   `json:"schema"`
		Rows    []object `json:"rows"`
		Summary Summary  `json:"summary"`
	}{"simtrun.validate/v1", []object{}, Summarise(results)}
	for _, r := range results {
		all.Rows = append(all.Rows, r.object())
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(all)
}
