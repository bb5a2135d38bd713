/** Tests the client options in docs/mcp.md. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { definePartsDesk } from '../../../../src/examples/mcp/parts-desk.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createFakeServer } from '../../../fixtures/mcp/fake-server.ts';
import { createSayingTool, requestTool } from '../mcp/tools/scenes.ts';
import { getLastResults, getOfferedTools } from '../unfolding/scenes.ts';

it('the parts desk calls each server with its own options, and offers all of their tools', async () => {
  const warehouse = createFakeServer({ tools: [createSayingTool('count', 'Seven.')] });
  const customer = createFakeServer({ tools: [createSayingTool('count', 'Two on order.')] });
  const archive = createFakeServer({
    kind: 'sse',
    url: 'https://archive.example/sse',
    tools: [createSayingTool('find', 'Page 7.')],
  });
  const asked: string[] = [];
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const { origin } = new URL(String(input));
    asked.push(origin);
    return (origin === 'http://10.1.2.3:8080' ? customer : archive).fetch(String(input), init);
  });
  onTestFinished(() => fetching.mockRestore());
  const desk = createTestSession(
    definePartsDesk({ fetch: (input, init) => warehouse.fetch(String(input), init) }),
    {
      replies: [
        requestTool('count'),
        requestTool('customer_count'),
        requestTool('archive_find'),
        'Seven, and two on order.',
      ],
      context: { customerServer: 'http://10.1.2.3:8080/mcp' },
      secrets: () => ({ CUSTOMER_TOKEN: 'token-of-the-customer' }),
    },
  );
  expect(await desk.send('How many?')).toMatchObject({ outcome: 'completed' });
  expect(getOfferedTools(desk)[0]).toEqual(['archive_find', 'count', 'customer_count']);
  expect(getLastResults(desk)).toEqual(['Seven.', 'Two on order.', 'Page 7.']);
  expect(new Set(asked)).toEqual(new Set(['http://10.1.2.3:8080', 'https://archive.example']));
  expect(new Set(customer.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(['Bearer token-of-the-customer']),
  );
  expect(warehouse.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});
