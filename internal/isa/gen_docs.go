//go:build ignore

// Gen_docs writes docs/isa.md from the table.
package main

import (
	"log"
	"os"

	"github.com/simtrun/simtrun/internal/isa"
)

func main() {
	f, err := os.Create("../../docs/isa.md")
	if err != nil {
		log.Fatal(err)
	}
	if err := isa.WriteReference(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
