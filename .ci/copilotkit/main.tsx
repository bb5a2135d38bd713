/** Shows the page, by the addresses that the test says, or one that is copied from the docs of CopilotKit. */
import { HttpAgent } from '@ag-ui/client';
import { createRoot } from 'react-dom/client';
import { App } from './page.tsx';

const {
  worker = '',
  token = '',
  thread = '',
  page,
} = Object.fromEntries(new URLSearchParams(location.search));
const headers = { authorization: `Bearer ${token}` };
const url = `${worker}/agents/guide/ag-ui`;
const agent = new HttpAgent({ url, headers });

async function copied(name: string) {
  Object.assign(globalThis, { AGENT: { url, headers } });
  const { pages } = await import('copied:pages');
  const Page = (await pages[name]?.())?.default;
  return Page && <Page />;
}

createRoot(document.getElementById('root') as HTMLElement).render(
  page === undefined ? <App agent={agent} thread={thread} /> : await copied(page),
);
