//go:build !race

package functional_test

// See race_on_test.go.
const raceDetector = false
