package splitmix

import "testing"

// TestOutputsMatchReference: the first outputs for a seed are those of the reference implementation in C (Vigna,
// splitmix64.c).
func TestOutputsMatchReference(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := At(1234567, uint64(i)); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
	if got := Mix(1234567); got != At(1234567, 0) {
		t.Errorf("Mix is %d", got)
	}
}
