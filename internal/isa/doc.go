// Package isa defines the instructions of PTX, and the modules, functions and instructions that package asm makes of
// source text.
//
// The table of instructions has one row for each base mnemonic (Spec; specs_*.go, by chapter), or several if a modifier
// changes the operands. A row has everything that simtrun knows of an opcode:
//
//   - its modifiers, types and operands (Mods, Form), from which parsing, checks, text and dispatch follow;
//   - Needs: the version of PTX and the targets that have it;
//   - its meaning: for each legal combination, a Variant, the lane function that executes it (Exec, Bind, Mem);
//   - Cost: execution unit, cost class, and the machine instructions that a GPU issues for it (sequence.go), or for it
//     and another instruction (operation.go);
//   - Lower: templates of compiled code (code_*.go);
//   - Facts for analyses of programs, Syntax for dialects, and the documentation of docs/isa.md.
//
// No other package has a list of opcodes (TestOnlyTheTableKnowsOpcodes). Dialect.Resolve finds the row of a mnemonic,
// Instr.Check checks the operands, and Instr.Bind returns the meaning.
package isa
