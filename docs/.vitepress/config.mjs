// The documentation as a site: `make -C web docs` builds it. Pages are the Markdown files of the repository, unchanged.
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { rewrites, sidebar, slug, target, version } from './pages.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

const modules = fileURLToPath(new URL('./node_modules/', import.meta.url))

// asPages makes links between files of the repository links between pages, or to the repository, and indented code
// fenced, which is the form that the theme knows.
function asPages(md) {
  md.core.ruler.push('as_pages', (state) => {
    const page = relative(root, state.env.realPath ?? state.env.path)
    for (const block of state.tokens) {
      if (block.type === 'code_block') Object.assign(block, { type: 'fence', tag: 'code', info: 'text' })
      for (const token of block.children ?? []) {
        const at = token.attrIndex(token.type === 'image' ? 'src' : 'href')
        if (token.type === 'link_open' && at >= 0) token.attrs[at][1] = target(root, page, token.attrs[at][1])
      }
    }
  })
}

const title = 'simtrun'
const description = 'Run, check, debug and profile CUDA kernels without a GPU'
const base = process.env.BASE ?? '/'
const site = process.env.ORIGIN && process.env.ORIGIN + base // the address of the site, if it is known
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#76b900" d="M0 0h3v3H0zM5 0h3v3H5zM0 5h3v3H0z"/><path fill="#888" d="M5 5h3v3H5z"/></svg>`

export default defineConfig({
  title,
  description,
  base,
  lang: 'en',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: 'data:image/svg+xml,' + encodeURIComponent(icon) }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: title }],
    ['meta', { property: 'og:description', content: description }],
  ],
  // transformHead gives each page its title and address where links to it are shown.
  transformHead: ({ page, pageData }) => [
    ['meta', { property: 'og:title', content: pageData.title || title }],
    ...(site ? [['meta', { property: 'og:url', content: site + page.replace(/(^index)?\.md$/, (_, index) => (index ? '' : '.html')) }]] : []),
  ],
  ...(site ? { sitemap: { hostname: site } } : {}),
  srcDir: root,
  srcExclude: ['**/node_modules/**', 'build/**', 'dist/**', '**/testdata/**', 'internal/**', 'editors/vscode/picture/**', 'SECURITY.md', 'cuda/libs/**', 'bench/**', '.github/**'],
  outDir: process.env.OUT ?? resolve(root, 'build/docs'),
  cacheDir: resolve(root, 'build/vitepress'),
  rewrites,
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  vite: {
    resolve: { alias: [{ find: /^vue(\/|$)/, replacement: modules + 'vue$1' }] }, // pages lie outside of this folder
  },
  markdown: { config: asPages, anchor: { slugify: slug }, emoji: { shortcuts: {} }, languageAlias: { ptx: 'asm', gdb: 'text' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebar(root),
    editLink: { pattern: 'https://github.com/simtrun/simtrun/edit/main/:path', text: 'Edit this page' },
    nav: [
      { text: 'Install', link: '/install' },
      { text: 'Course', link: '/course' },
      ...(process.env.PLAYGROUND ? [{ text: 'Playground', link: '/play/', target: '_self' }] : []),
      { text: 'Contents', link: '/contents' },
      { text: version(root), link: '/changelog' },
    ],
    socialLinks: [{ icon: 'github', link: 'https://github.com/simtrun/simtrun' }],
  },
})
