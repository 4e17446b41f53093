package main

import (
	"os"
	"path/filepath"
	"testing"
)

// kernelText returns a program of testdata/kernels.
func kernelText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "kernels", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
