// Checks the links between the pages of a built site, anchors included, that a page leads to each, and the names of the
// side bar: node check.mjs FOLDER.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sidebar, version } from './pages.mjs'

const unescaped = (s) => s.replace(/&(amp|lt|gt|quot|#39);/g, (_, c) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[c])
const all = (text, pattern) => [...text.matchAll(pattern)].map((m) => unescaped(m[1]))

const folder = process.argv[2]
const base = process.env.BASE ?? '/'
const pages = new Map()
for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html') && !name.startsWith('play/'))) {
  const text = readFileSync(join(folder, file), 'utf8')
  pages.set(file, { anchors: new Set(all(text, / id="([^"]*)"/g)), links: all(text, /<a [^>]*?href="([^"]*)"/g) })
}
if (pages.size < 30) throw new Error(`${folder} has only ${pages.size} pages`)

const wrong = []
const linked = new Set(['index.html', '404.html'])
for (const [page, { links }] of pages) {
  for (const link of links) {
    if (/^[a-z]+:/.test(link) || link.startsWith(base + 'play/')) continue
    const [path, anchor] = link.split('#')
    if (path && !path.startsWith(base)) wrong.push(`${page}: ${link} is outside of the site`)
    const to = pages.get(path ? path.slice(base.length) || 'index.html' : page)
    if (!to) wrong.push(`${page}: no page ${link}`)
    else if (path && path.slice(base.length) !== page) linked.add(path.slice(base.length) || 'index.html')
    if (to && anchor && !to.anchors.has(decodeURIComponent(anchor))) wrong.push(`${page}: no anchor ${link}`)
  }
}
for (const page of pages.keys()) if (!linked.has(page)) wrong.push(`no page leads to ${page}`)

const root = resolve(import.meta.dirname, '../..')
const names = sidebar(root).flatMap((section) => section.items.map((item) => item.text))
for (const [i, name] of names.entries()) {
  if (!name || name[0] !== name[0].toUpperCase()) wrong.push(`side bar: ${name} is not capitalised`)
  if (names.indexOf(name) < i) wrong.push(`side bar: ${name} is there twice`)
}
const index = readFileSync(join(folder, 'index.html'), 'utf8')
for (const want of [version(root), 'rel="icon"', 'og:title', '/edit/main/README.md']) {
  if (!index.includes(want)) wrong.push(`index.html has no ${want}`)
}
for (const w of wrong) console.error(w)
console.log(`${pages.size} pages, ${wrong.length} wrong links`)
process.exit(wrong.length ? 1 : 0)
