package isa

// Spread says which bits of a row's results are undefined if bits of its sources are. It is for analyses that follow
// undefined values.
type Spread struct {
	Rule SpreadRule
	// Controls are the names of the operands that say how bits move, for SpreadMoves.
	Controls string
	// Table is the truth table of an operation on bits, as in lop3, for SpreadLogic.
	Table uint64
}

// SpreadRule is how undefined bits spread.
type SpreadRule uint8

const (
	SpreadWhole      SpreadRule = iota // a result is undefined if any bit of a source is
	SpreadMoves                        // the row moves bits, and repeats some
	SpreadConverts                     // that, between integers
	SpreadLogic                        // bit i of the result depends on bits i of the sources, as Table says
	SpreadTable                        // that, as the row's immediate says
	SpreadSum                          // of integers: the bits from the lowest undefined one on
	SpreadDifference                   // that, and a register minus itself is 0
	SpreadProduct                      // that, and a product with 0 is 0
	SpreadComparison                   // defined if all values of the undefined bits have the same result
	SpreadShuffle                      // a lane's bits are those of another lane
	SpreadVote                         // a bit is that of a lane
	SpreadLanes                        // in all lanes if in one
	NumSpreads
)
