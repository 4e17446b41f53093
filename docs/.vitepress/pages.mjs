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

// sidebar returns the sections of the index, each with its links.
export function sidebar(root) {
  const sections = []
  for (const line of readFileSync(posix.join(root, 'docs/README.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) sections.push({ text: line.slice(3), items: [], collapsed: false })
    if (!sections.length) continue
    for (const [, text, link] of line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)) {
      sections.at(-1).items.push({ text, link: target(root, 'docs/README.md', link) })
    }
  }
  return sections
}
