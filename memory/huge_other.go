//go:build !linux

package memory

// PreferHuge does nothing here.
func PreferHuge([]byte) {}
