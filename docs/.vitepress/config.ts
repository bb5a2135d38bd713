import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { llmsTxt } from './llms.ts';
import { PAGES } from './pages.ts';
import { titleOf } from './titles.ts';

const docs = resolve(import.meta.dirname, '..');
const repository = 'https://github.com/holdfast-dev/holdfast';

export default defineConfig({
  title: 'Holdfast',
  description: 'Durable tool loops for agents on Cloudflare Workers.',
  lang: 'en-US',
  cleanUrls: true,
  lastUpdated: false,
  // The playground uses the library's own sources, whose compiler settings Vite 5's esbuild does not support.
  vite: { esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022' } } }, build: { target: 'es2022' } },
  srcExclude: ['adr/**', '**/node_modules/**'],
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      // Links to repository files lead to the repository, because these files are not pages of the site.
      md.core.ruler.push('repository-links', (state) => {
        for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' ? token.attrGet('href') : null;
          const path =
            href &&
            /^(?:\.\.\/)+((?:src|test|durable-objects|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG|README).*)$/.exec(
              href,
            )?.[1];
          const adr = href && /^(?:\.\.\/|\.\/)?(adr\/.*)$/.exec(href)?.[1];
          if (path) token.attrSet('href', `${repository}/blob/main/${path}`);
          else if (adr) token.attrSet('href', `${repository}/blob/main/docs/${adr}`);
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Guide', link: '/quickstart' },
      { text: 'Reference', link: '/reference/' },
      { text: 'GitHub', link: repository },
    ],
    sidebar: [
      ...PAGES.map(({ title, pages }) => ({
        text: title,
        items: pages.map((page) => ({ text: titleOf(docs, page), link: `/${page}` })),
      })),
      { text: 'Reference', items: [{ text: 'Every export', link: '/reference/' }] },
    ],
    outline: [2, 3],
  },
  buildEnd({ outDir }) {
    for (const [file, text] of Object.entries(llmsTxt(docs, PAGES))) writeFileSync(join(outDir, file), text);
  },
});
