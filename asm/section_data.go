package asm

// The states of isData between two characters of a block.
const (
	betweenData uint8 = iota
	afterZero
	inNumber
	inName
	afterDot
	notData
	dataStates = 8 // more than there are, so that one is found without a division
)

// dataState is the state after a character, by the one before it.
var dataState = func() (next [dataStates][256]uint8) {
	for state := range uint8(dataStates) {
		for i := range 256 {
			next[state][i] = afterData(state, byte(i))
		}
	}
	return next
}()

func afterData(state, c uint8) uint8 {
	number := state == afterZero || state == inNumber
	switch {
	case state == notData:
		return notData
	case c == ',' || c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '+' || c == '-':
		if state != afterDot {
			return betweenData
		}
	case isDigit(c) && state == inName, isNameStart(c) && c != '%' && !number:
		return inName
	case c == '0' && state == betweenData:
		return afterZero
	case isDigit(c) && (state == betweenData || state == inNumber):
		return inNumber
	case c == '.' && (state == betweenData || state == inName):
		return afterDot
	}
	return notData
}

// isData reports whether a block consists of decimal numbers and words with nothing but commas, signs and space between
// them, as sections do that compilers write without comments: nothing in it can be wrong. They are long, and tokens
// take many times as long.
func isData(block string) bool {
	if len(block) < 2 || block[len(block)-1] != '}' {
		return false
	}
	state := betweenData
	for i := 1; i < len(block)-1; i++ {
		state = dataState[state%dataStates][block[i]]
	}
	return state != notData && state != afterDot
}
