package verdict

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/simtrun/simtrun/internal/docs"
)

// Explanation returns a rule as text for a terminal: its cause, an example and its fix, and then the address of its
// section in docs/rules.md of a revision of the repository, "" for the newest. Links to other pages are their files.
func Explanation(rule, revision string) string {
	text := prose(docs.Rule(rule), func(line string) string {
		line = links.ReplaceAllStringFunc(line, func(link string) string {
			m := links.FindStringSubmatch(link)
			if page, _, _ := strings.Cut(m[2], "#"); page != "" {
				return m[1] + " (docs/" + page + ")"
			}
			return m[1]
		})
		return strings.ReplaceAll(line, "**", "")
	}, false)
	return rule + "\n\n" + strings.TrimSpace(text) + "\n\nPage: " + Tool{Revision: revision}.rulesPage() + "#" + rule + "\n"
}

// links matches links of Markdown: the text and the address.
var links = regexp.MustCompile(`\[([^][]+)\]\(([^)]*)\)`)

// plain returns a section of docs/rules.md, which is at an address, as text without Markdown: the addresses of links
// follow their texts.
func plain(page, at string) string {
	page = linked(page, at, "$1 <$2>")
	return prose(page, func(line string) string { return strings.ReplaceAll(line, "**", "") }, false)
}

// linked returns a section of docs/rules.md, which is at an address, in which links have the form, a template of
// regexp with the text $1 and the address $2. Addresses are absolute, because viewers of SARIF show the section
// without the page.
func linked(page, at, form string) string {
	base, err := url.Parse(at)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return prose(page, func(line string) string {
		return links.ReplaceAllStringFunc(line, func(link string) string {
			m := links.FindStringSubmatch(link)
			if to, err := base.Parse(m[2]); err == nil {
				m[2] = to.String()
			}
			return strings.NewReplacer("$1", m[1], "$2", m[2]).Replace(form)
		})
	}, true)
}

// prose returns Markdown with its lines changed by edit, except lines of code. Fences are the lines around code.
func prose(page string, edit func(line string) string, fences bool) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			if !fences {
				continue
			}
		case !code && !strings.HasPrefix(line, "    "):
			line = edit(line)
		}
		b.WriteString(line)
	}
	return b.String()
}
