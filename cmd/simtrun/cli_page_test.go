package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// cliPage is the page that TestCommandLinePageIsFresh writes.
const cliPage = "../../docs/cli.md"

// TestCommandLinePageIsFresh: docs/cli.md has what the command's help says; -update writes it.
func TestCommandLinePageIsFresh(t *testing.T) {
	root := newRoot()
	refuseUnknown(root) // adds the command completion
	want := commandLinePage(root)
	if *update {
		if err := os.WriteFile(cliPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(cliPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the help says: go test ./cmd/simtrun -run %s -update", cliPage, t.Name())
	}
}

// commandLinePage returns a page with a section for each command and for each page of simtrun help.
func commandLinePage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nThis page has what `simtrun help` prints: each command with its flags, and then the pages of help.\n" +
		"`simtrun help OPCODE` also explains instructions ([Instructions](isa.md)), and `simtrun explain RULE`\nfindings ([Rules](rules.md)).\n")
	writeCLIContents(&b, root)
	var topics []*cobra.Command
	for _, c := range root.Commands() {
		switch {
		case c.IsAdditionalHelpTopicCommand():
			topics = append(topics, c)
		case c.IsAvailableCommand():
			c.InitDefaultHelpFlag()
			writeCommandSection(&b, c)
		}
	}
	b.WriteString("\n## Pages of help\n")
	for _, c := range topics {
		fmt.Fprintf(&b, "\n### help %s\n\n%s.\n\n%s\n", c.Name(), c.Short, codeBlock(c.Long))
	}
	return b.String()
}

// writeCLIContents writes links to the sections of the page.
func writeCLIContents(b *strings.Builder, root *cobra.Command) {
	var commands, pages []string
	for _, c := range root.Commands() {
		switch {
		case c.IsAdditionalHelpTopicCommand():
			pages = append(pages, fmt.Sprintf("[%s](#help-%[1]s)", c.Name()))
		case c.IsAvailableCommand():
			commands = append(commands, fmt.Sprintf("[%s](#simtrun-%[1]s)", c.Name()))
		}
	}
	for _, links := range [][]string{append([]string{"Commands:"}, commands...), append([]string{"Pages of help:"}, pages...)} {
		b.WriteString("\n")
		column := 0
		for _, link := range links {
			switch {
			case column == 0:
			case column+1+len(link) > 120:
				b.WriteString("\n")
				column = 0
			default:
				b.WriteString(" ")
				column++
			}
			b.WriteString(link)
			column += len(link)
		}
		b.WriteString("\n")
	}
}

// writeCommandSection writes the section of a command.
func writeCommandSection(b *strings.Builder, c *cobra.Command) {
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	fmt.Fprintf(b, "\n## simtrun %s\n\n%s\n\n%s\n", c.Name(), paragraphs(text), codeBlock(c.UseLine()))
	if c.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n\n%s\n", codeBlock(c.Example))
	}
	byGroup := make([][]*pflag.Flag, 1+len(flagGroups))
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			group := groupOf(f.Name)
			byGroup[group] = append(byGroup[group], f)
		}
	})
	if all := slices.Concat(byGroup...); len(all) <= mostInOneList {
		byGroup = [][]*pflag.Flag{all}
	}
	for group, flags := range byGroup {
		if len(flags) == 0 {
			continue
		}
		title := "Flags"
		if group > 0 {
			title = flagGroups[group-1].title
		}
		if len(byGroup) > 1 {
			fmt.Fprintf(b, "\n%s:\n", title)
		}
		b.WriteString("\n| Flag | Meaning |\n|---|---|\n")
		for _, f := range flags {
			b.WriteString(flagRow(f))
		}
	}
}

// flagRow returns the row of a table with a flag, its value, what it does and its default.
func flagRow(f *pflag.Flag) string {
	alone := pflag.NewFlagSet("", pflag.ContinueOnError)
	alone.AddFlag(f)
	name, text, _ := strings.Cut(strings.TrimSpace(flagUsages(alone)), "   ")
	return fmt.Sprintf("| `%s` | %s |\n", strings.TrimSpace(name), inTable(strings.TrimSpace(text)))
}

// inTable returns text as Markdown in a cell of a table.
func inTable(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(strings.Join(strings.Fields(text), " "))
}

// paragraphs returns a text as Markdown: paragraphs with indented lines or columns become blocks of code.
func paragraphs(text string) string {
	var all []string
	for p := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(p, " ") || strings.Contains(p, "  ") {
			all = append(all, codeBlock(p))
		} else {
			all = append(all, strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`).Replace(p))
		}
	}
	return strings.Join(all, "\n\n")
}

// codeBlock returns a text as a block of code.
func codeBlock(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if b.WriteString("\n"); line != "" {
			b.WriteString("    " + line)
		}
	}
	return b.String()[1:]
}
