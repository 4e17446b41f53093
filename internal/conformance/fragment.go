package conformance

import "strings"

// FragmentPlace returns the place of element i of a lane's fragment in a matrix, one of "a", "b", "c" and "d" of a
// product of that shape, by the formulas of PTX ISA 9.7.14 (Matrix Fragments for mma.m8n8k4 to mma.m16n8k256). For
// m8n8k4 on .f16 it is in the matrix of the lane's four and the four that are 16 lanes on; rows says that A, or B, is
// by rows.
func FragmentPlace(shape, typ, matrix string, rows bool, lane, i int) (row, col int) {
	switch {
	case shape == "m8n8k4" && typ != "f64":
		return quadPairPlace(typ, matrix, rows, lane, i)
	case matrix == "c" || matrix == "d":
		return sumPlace(shape, lane, i)
	case elementBits(typ) < 16:
		return narrowFactorPlace(shape, typ, matrix == "a", lane, i)
	}
	return wideFactorPlace(shape, typ, matrix == "a", lane, i)
}

func pick(c bool, x, y int) int {
	if c {
		return x
	}
	return y
}

// quadPairPlace is FragmentPlace of m8n8k4 on .f16.
func quadPairPlace(typ, matrix string, rows bool, lane, i int) (row, col int) {
	low := lane < 16
	switch {
	case matrix == "a" && rows:
		return pick(low, lane%4, lane%4+4), i
	case matrix == "a":
		return pick(low, i%4, i%4+4), lane % 4
	case matrix == "b" && rows:
		return lane % 4, pick(low, i, i+4)
	case matrix == "b":
		return i, pick(low, lane%4, lane%4+4)
	case typ == "f16":
		return pick(low, lane%4, lane%4+4), i
	}
	x := lane&1 + i&2
	return pick(low, x, x+4), i&4 + lane&2 + i&1
}

// sumPlace is FragmentPlace of C and D.
func sumPlace(shape string, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	if strings.HasPrefix(shape, "m8n8") {
		return group, thread*2 + i&1
	}
	return pick(i < 2, group, group+8), thread*2 + i&1
}

// wideFactorPlace is FragmentPlace of A, or else of B, with elements of 16 bits or more.
func wideFactorPlace(shape, typ string, a bool, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	switch shape + " " + typ {
	case "m8n8k4 f64":
		return pick(a, group, thread), pick(a, thread, group)
	case "m16n8k4 f64", "m16n8k4 tf32":
		if a {
			return pick(i == 0, group, group+8), thread
		}
		return thread, group
	case "m16n8k8 f64", "m16n8k8 tf32":
		if a {
			return pick(i == 0 || i == 2, group, group+8), pick(i < 2, thread, thread+4)
		}
		return pick(i == 0, thread, thread+4), group
	case "m16n8k16 f64":
		if a {
			return pick(i%2 == 0, group, group+8), pick(i%2 == 0, i*2+thread, i*2-2+thread)
		}
		return thread + i*4, group
	case "m16n8k8 f16", "m16n8k8 bf16":
		if a {
			return pick(i < 2, group, group+8), thread*2 + i&1
		}
		return thread*2 + i, group
	case "m16n8k16 f16", "m16n8k16 bf16":
		if a {
			return pick(i < 2 || i >= 4 && i < 6, group, group+8), pick(i < 4, thread*2+i&1, thread*2+i&1+8)
		}
		return pick(i < 2, thread*2+i&1, thread*2+i&1+8), group
	}
	panic("no fragment of " + shape + " " + typ)
}

// narrowFactorPlace is FragmentPlace of A, or else of B, with elements of up to 8 bits.
func narrowFactorPlace(shape, typ string, a bool, lane, i int) (row, col int) {
	group, thread := lane>>2, lane%4
	switch bits := elementBits(typ); shape {
	case "m8n8k16", "m8n8k32", "m8n8k128":
		n := 32 / bits
		if a {
			return group, thread*n + i
		}
		return thread*n + i, group
	case "m16n8k128", "m16n8k16":
		n := 32 / bits // 4 of 8 bits, 32 of 1
		if a {
			return pick(i < n, group, group+8), thread*n + i%n
		}
		return thread*n + i, group
	case "m16n8k32":
		if bits == 4 {
			if a {
				return pick(i < 8, group, group+8), thread*8 + i&7
			}
			return thread*8 + i, group
		}
		if a {
			return pick(i < 4 || i >= 8 && i < 12, group, group+8), pick(i < 8, thread*4+i&3, thread*4+i&3+16)
		}
		return pick(i < 4, thread*4+i&3, thread*4+i&3+16), group
	case "m16n8k64":
		if a {
			return pick(i < 8 || i >= 16 && i < 24, group, group+8), pick(i < 16, thread*8+i&7, thread*8+i&7+32)
		}
		return pick(i < 8, thread*8+i&7, thread*8+i&7+32), group
	case "m16n8k256":
		if a {
			return pick(i < 32 || i >= 64 && i < 96, group, group+8), pick(i < 64, thread*32+i&0x1f, thread*32+i&0x1f+128)
		}
		return pick(i < 32, thread*32+i&0x1f, thread*32+i&0x1f+128), group
	}
	panic("no fragment of " + shape + " " + typ)
}
