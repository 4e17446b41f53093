// Checks the links between the pages of a built site, anchors included: node check.mjs FOLDER.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const unescaped = (s) => s.replace(/&(amp|lt|gt|quot|#39);/g, (_, c) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[c])
const all = (text, pattern) => [...text.matchAll(pattern)].map((m) => unescaped(m[1]))

const folder = process.argv[2]
const base = process.env.BASE ?? '/'
const pages = new Map()
for (const file of readdirSync(folder).filter((name) => name.endsWith('.html'))) {
  const text = readFileSync(join(folder, file), 'utf8')
  pages.set(file, { anchors: new Set(all(text, / id="([^"]*)"/g)), links: all(text, /<a [^>]*?href="([^"]*)"/g) })
}
if (pages.size < 30) throw new Error(`${folder} has only ${pages.size} pages`)

const wrong = []
for (const [page, { links }] of pages) {
  for (const link of links) {
    if (/^[a-z]+:/.test(link) || link.startsWith(base + 'play/')) continue
    const [path, anchor] = link.split('#')
    if (path && !path.startsWith(base)) wrong.push(`${page}: ${link} is outside of the site`)
    const to = pages.get(path ? path.slice(base.length) || 'index.html' : page)
    if (!to) wrong.push(`${page}: no page ${link}`)
    else if (anchor && !to.anchors.has(decodeURIComponent(anchor))) wrong.push(`${page}: no anchor ${link}`)
  }
}
for (const w of wrong) console.error(w)
console.log(`${pages.size} pages, ${wrong.length} wrong links`)
process.exit(wrong.length ? 1 : 0)
