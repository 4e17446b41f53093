// The documentation as a site: `make -C web docs` builds it. Pages are the Markdown files of the repository, unchanged.
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { rewrites, sidebar, slug, target } from './pages.mjs'

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

export default defineConfig({
  title: 'simtrun',
  description: 'Run, check, time and debug CUDA kernels without a GPU',
  base: process.env.BASE ?? '/',
  srcDir: root,
  srcExclude: ['**/node_modules/**', 'build/**', 'dist/**', '**/testdata/**', 'internal/**', 'cuda/libs/**', 'bench/**', '.github/**'],
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
    nav: [
      { text: 'Install', link: '/install' },
      { text: 'Course', link: '/course' },
      ...(process.env.PLAYGROUND ? [{ text: 'Playground', link: '/play/', target: '_self' }] : []),
      { text: 'Contents', link: '/contents' },
      { text: 'Changes', link: '/changelog' },
    ],
    socialLinks: [{ icon: 'github', link: 'https://github.com/simtrun/simtrun' }],
  },
})
