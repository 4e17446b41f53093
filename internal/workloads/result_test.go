package workloads

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestCheckAcceptsCloseResults: a result must be right bit for bit, or close enough.
func TestCheckAcceptsCloseResults(t *testing.T) {
	result := func(v ...float32) []byte {
		out, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	nan := float32(math.NaN())
	in := &Inputs{Near: 0.01, Few: 1, reference: func(o *output) error {
		for i, want := range []float32{100, 0} {
			if err := same(o, i, want); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, c := range []struct {
		out         []byte
		right, near bool
	}{
		{result(100, 0), true, true},
		{result(100.5, 0.005), false, true}, // 1 % of 100, and of 1
		{result(102, 0), false, true},       // one may differ
		{result(102, 0.02), false, false},
		{result(nan, nan), false, false},
		{result(100, float32(math.Copysign(0, -1))), false, true},
	} {
		if err := in.check(c.out); (err == nil) != c.right {
			t.Errorf("%v: %v", c.out, err)
		}
		if err := in.CheckNear(c.out); (err == nil) != c.near {
			t.Errorf("%v, near: %v", c.out, err)
		}
	}
}

// TestApproximateResultsMatchCRC: if the reference is approximate, the bits must match the CRC. That of "123456789" is
// known from the catalogues of CRCs.
func TestApproximateResultsMatchCRC(t *testing.T) {
	in := &Inputs{Near: 1, crc: 0xcbf43926, reference: func(*output) error { return nil }}
	if err := in.check([]byte("123456789")); err != nil {
		t.Error(err)
	}
	if err := in.check([]byte("123456780")); err == nil || !strings.Contains(err.Error(), "not cbf43926") {
		t.Error(err)
	}
}
