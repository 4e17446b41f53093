package isa

// Sequence is the machine instructions of some variants of a row. A row has exactly one sequence for each of its
// variants. Each is the machine code of the assembler for the form (internal/cost/testdata/assembled.csv), without code
// that is only for special operands: subnormal divisors, infinities. If the code calls a function, the sequence has the
// function's path for usual numbers.
type Sequence struct {
	// When chooses the variants; nil for those that no other sequence of the row is for.
	When Matcher
	// Slots are names of cost classes in order of issue. > precedes an instruction that waits for the result of the
	// previous one, and a number is a count of instructions that do not wait for each other. "" means none, unless the
	// PTX instruction is guarded. Own stands for one instruction of the row's cost class.
	Slots string
}

// Own is the Slots of variants that become one machine instruction, of the row's cost class.
const Own = "own"

// Sequences returns the sequences of a row. It returns nil for a row that becomes one machine instruction of its cost
// class in all variants.
func (s *Spec) Sequences() []Sequence { return s.Cost.sequences }

// becomes returns the cost with sequences: exactly one for each variant of the row.
//
//go:noinline
func (c *Cost) becomes(sequences ...Sequence) *Cost {
	d := *c
	d.sequences = sequences
	return &d
}

// as returns the cost with the same sequence for all variants of the row.
//
//go:noinline
func (c *Cost) as(slots string) *Cost { return c.becomes(otherwise(slots)) }

// when chooses the variants that all matchers choose; Matcher.then makes their sequence.
//
//go:noinline
func when(ps ...Matcher) Matcher { return All(ps...) }

// then is the sequence of the variants that p chooses.
//
//go:noinline
func (p Matcher) then(slots string) Sequence { return Sequence{When: p, Slots: slots} }

// otherwise is the sequence of the variants that no other sequence of the row is for.
//
//go:noinline
func otherwise(slots string) Sequence { return Sequence{Slots: slots} }
