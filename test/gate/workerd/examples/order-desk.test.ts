/** The resources of docs/mcp.md. */
import { expect, it } from 'vitest';
import { orderDesk } from '../../../../src/examples/mcp/order-desk.ts';
import { createTestApp } from '../http/app.ts';
import { connectNewest } from '../mcp/server/both-revisions.ts';

const via = createTestApp({
  use: [orderDesk],
  auth: ({ headers }) => ({ id: 'anna', tenant: headers.get('x-tenant') ?? 'corner' }),
});

it('clients receive the shop’s messages, and only their tenant’s orders', async () => {
  const client = await connectNewest(via);
  expect(await client.readResource({ uri: 'shop://terms' })).toMatchObject({
    contents: [{ mimeType: 'text/markdown', text: '# Terms\n\nRope that was cut is not taken back.' }],
    ttlMs: 3_600_000,
    cacheScope: 'public',
  });
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'shop://terms',
    'shop://orders/1001',
    'shop://orders/1002',
  ]);
  const { contents } = await client.readResource({ uri: 'shop://orders/1002' });
  expect(contents).toMatchObject([{ text: '{"order":"1002","tenant":"corner","lines":["tar"]}' }]);
  await expect(client.readResource({ uri: 'shop://orders/2001' })).rejects.toThrow(
    "There is no resource 'shop://orders/2001'.",
  );
  await client.close();
});

it('a person who types an order number gets suggestions only from their own tenant', async () => {
  const client = await connectNewest(via, { 'x-tenant': 'harbor' });
  const typed = { name: 'order', value: '' };
  const prompt = await client.complete({ ref: { type: 'ref/prompt', name: 'chase' }, argument: typed });
  expect(prompt.completion.values).toEqual(['2001']);
  const ref = { type: 'ref/resource', uri: 'shop://orders/{order}' } as const;
  expect((await client.complete({ ref, argument: typed })).completion.values).toEqual(['2001']);
  expect((await client.getPrompt({ name: 'chase', arguments: { order: '2001' } })).messages).toEqual([
    {
      role: 'user',
      content: { type: 'text', text: 'Read shop://orders/2001, and ask the warehouse where it is.' },
    },
  ]);
  await client.close();
});
