import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { createClient } from '../../../../src/client/entry.ts';
import { useSession } from '../../../../src/client/react/entry.ts';

it('a session is empty and makes no requests when a server renders the page', () => {
  let asked = 0;
  const client = createClient({
    url: 'https://agents.test',
    agent: 'desk',
    fetch: async () => {
      asked += 1;
      return new Response();
    },
  });
  const Page = () => {
    const { status, messages, pending, isConnected } = useSession({ client, session: 's1' });
    return createElement('p', null, JSON.stringify({ status, messages, pending, isConnected }));
  };
  const nothing = '{"status":"loading","messages":[],"pending":[],"isConnected":false}';
  expect(renderToString(createElement(Page)).replaceAll('&quot;', '"')).toBe(`<p>${nothing}</p>`);
  expect(asked).toBe(0);
});
