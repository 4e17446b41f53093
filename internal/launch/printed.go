package launch

import (
	"io"
	"strings"

	"github.com/simtrun/simtrun/memory"
)

// Printed keeps kernel output until it can be written, for example in a JSON object. A budget limits the text.
type Printed struct {
	budget *memory.Budget
	chunks [][]byte
}

const printedChunk = 64 << 10 // bytes

// Printed returns a store for the output of p's kernels.
func (p *Plan) Printed() *Printed { return &Printed{budget: p.Config.Budget} }

// Write keeps text until the budget is used up, and discards it from then on.
func (p *Printed) Write(text []byte) (n int, err error) {
	for n < len(text) {
		last := len(p.chunks) - 1
		if last < 0 || len(p.chunks[last]) == printedChunk {
			if err := p.budget.Take("the output of kernels", printedChunk); err != nil {
				return n, err
			}
			p.chunks = append(p.chunks, make([]byte, 0, printedChunk))
			last++
		}
		chunk := p.chunks[last]
		more := min(len(text)-n, printedChunk-len(chunk))
		p.chunks[last] = append(chunk, text[n:n+more]...)
		n += more
	}
	return n, nil
}

// WriteTo writes all of the text. A nil Printed is empty.
func (p *Printed) WriteTo(w io.Writer) (n int64, err error) {
	if p == nil {
		return 0, nil
	}
	for _, chunk := range p.chunks {
		more, err := w.Write(chunk)
		if n += int64(more); err != nil {
			return n, err
		}
	}
	return n, nil
}

// String returns all of the text.
func (p *Printed) String() string {
	var b strings.Builder
	p.WriteTo(&b)
	return b.String()
}
