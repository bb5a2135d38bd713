/** Shows a copied page. The query string names the page and the Worker. */

import { pages } from 'copied:pages';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const {
  worker = '',
  token = '',
  page = '',
  agent = 'hello',
} = Object.fromEntries(new URLSearchParams(location.search));
// The global that the edited pages read for their URL and key.
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
