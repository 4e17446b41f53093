package jit_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

func TestMain(m *testing.M) { kerneltest.Main(m) }
