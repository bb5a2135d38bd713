/** Shows the page, by the addresses that the test says. */
import { HttpAgent } from '@ag-ui/client';
import { createRoot } from 'react-dom/client';
import { App } from './page.tsx';

const { worker = '', token = '', thread = '' } = Object.fromEntries(new URLSearchParams(location.search));
const headers = { authorization: `Bearer ${token}` };
const agent = new HttpAgent({ url: `${worker}/agents/guide/ag-ui`, headers });

createRoot(document.getElementById('root') as HTMLElement).render(<App agent={agent} thread={thread} />);
