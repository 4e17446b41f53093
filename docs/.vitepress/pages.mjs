// The pages of the site: which Markdown files it has, under which addresses, and the order of its side bar, which is
// that of the index, docs/README.md.
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const repository = 'https://github.com/simtrun/simtrun'

// rewrites gives pages outside of docs their addresses. Keys and values are paths from the repository's root.
export const rewrites = {
  'README.md': 'index.md',
  'docs/README.md': 'contents.md',
  'docs/:page.md': ':page.md',
  'programs/README.md': 'course.md',
  'cuda/README.md': 'cuda.md',
  'cuda/RATIONALE.md': 'cuda-rationale.md',
  'cuda/CHANGELOG.md': 'cuda-changelog.md',
  'editors/vscode/README.md': 'vscode.md',
  'ARCHITECTURE.md': 'architecture.md',
  'RATIONALE.md': 'rationale.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
}

// isPage reports whether the site has a page for a Markdown file.
export function isPage(file) {
  return file in rewrites || /^docs\/[^/]+\.md$/.test(file)
}

// address returns the address of a page below the site's base.
export function address(file) {
  const to = rewrites[file] ?? posix.basename(file)
  return '/' + to.replace(/(^index)?\.md$/, '')
}

// target returns where a link in a page leads: to a page of the site, or to a file or folder in the repository.
export function target(root, page, link) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link
  const [path, anchor] = link.split('#')
  const file = posix.normalize(posix.join(posix.dirname(page), decodeURI(path))).replace(/\/$/, '')
  if (isPage(file)) return address(file) + (anchor ? '#' + anchor : '')
  if (!existsSync(posix.join(root, file))) throw new Error(`${page} links to ${link}, which does not exist`)
  return `${repository}/blob/main/${file}` + (anchor ? '#' + anchor : '')
}

// slug returns a heading's anchor, as GitHub makes it.
export function slug(heading) {
  return heading.trim().toLowerCase().replace(/`|[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

// version returns what the pages describe: the newest version of the changelog, or main after that version.
export function version(root) {
  const headings = [...readFileSync(posix.join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## (\S+)/gm)].map((m) => m[1])
  return headings[0] === 'Unreleased' ? `main, after ${headings[1]}` : headings[0]
}

// sidebar returns the sections of the index, each with its links. Links before the first section are the section Start,
// except for those that a section repeats, and the site's first page, to which its title leads. Of links with the same
// text, one to a heading has the text of the heading.
export function sidebar(root) {
  const sections = [{ text: 'Start', items: [], collapsed: false }]
  const lines = readFileSync(posix.join(root, 'docs/README.md'), 'utf8').split('\n')
  const texts = lines.flatMap((line) => [...line.matchAll(/^- \[([^\]]+)\]/g)].map((m) => m[1]))
  for (const line of lines) {
    if (line.startsWith('|')) continue // a table of what readers know
    if (line.startsWith('## ')) sections.push({ text: line.slice(3), items: [], collapsed: false })
    for (const [, text, to] of line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) {
      const link = target(root, 'docs/README.md', to)
      const ambiguous = texts.indexOf(text) !== texts.lastIndexOf(text)
      sections.at(-1).items.push({ text: capital((ambiguous && heading(root, to)) || text), link })
    }
  }
  const later = new Set(sections.slice(1).flatMap((s) => s.items.map((i) => i.link)))
  sections[0].items = sections[0].items.filter((i) => i.link !== '/' && !later.has(i.link))
  return sections.filter((s) => s.items.length)
}

const capital = (text) => text[0].toUpperCase() + text.slice(1)

// heading returns the text of the heading to which a link of the index leads, if it leads to one within a page.
function heading(root, link) {
  const [path, anchor] = link.split('#')
  if (!anchor) return undefined
  const page = readFileSync(posix.join(root, 'docs', path), 'utf8')
  return [...page.matchAll(/^#+ (.*)$/gm)].map((m) => m[1]).find((text) => slug(text) === anchor)
}
