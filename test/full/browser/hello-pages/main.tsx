/** Shows a page that is copied from the docs of somebody: the address says which one, and where the Worker is. */

import { pages } from 'copied:pages';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const {
  worker = '',
  token = '',
  page = '',
  agent = 'hello',
} = Object.fromEntries(new URLSearchParams(location.search));
// What is changed in the pages: their URL, and the key.
Object.assign(globalThis, {
  AGENT: { api: `${worker}/agents/${agent}/chat`, headers: { authorization: `Bearer ${token}` } },
});

const root = document.getElementById('root');
const { default: Page } = (await pages[page]?.()) ?? {};
if (root && Page)
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
