/** Approvals through MCP clients of 2026-07-28. The Worker is killed between the question and its answer. */
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KilledWorker, MCP_URL, startKilled } from './killed-worker.ts';

let worker: KilledWorker;
beforeAll(async () => {
  worker = await startKilled();
});
afterAll(() => worker?.stop());

type Decide = (asked: unknown) => ElicitResult | Promise<ElicitResult>;

/** Calls a refund with the client of the second SDK. Its user decides in a form. */
async function refund(orderId: number, decide: Decide) {
  const client = new Client(
    { name: 'foreign-client', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => decide(params));
  await client.connect(new StreamableHTTPClientTransport(MCP_URL, { fetch: worker.fetch }));
  try {
    const message = `Please refund order ${orderId}`;
    return await client.callTool({ name: 'refunds', arguments: { message } }, { timeout: 50_000 });
  } finally {
    await client.close();
  }
}

const listRefunds = (orderId: number): readonly unknown[] =>
  worker.done('refunds').filter((what) => JSON.stringify(what).includes(`"orderId":${orderId}`));

describe('an approval that was waiting when its Worker was killed', () => {
  it('is shown as a form, and the call runs once if it is approved', async () => {
    const asked: unknown[] = [];
    const answer = await refund(1002, async (params) => {
      asked.push(params);
      expect(listRefunds(1002)).toEqual([]);
      await worker.restart();
      return { action: 'accept', content: { decision: 'approve' } };
    });
    expect(asked).toMatchObject([
      {
        message: expect.stringContaining('Refund 118.50 euro for order 1002'),
        requestedSchema: { required: ['decision'] },
      },
    ]);
    expect(answer.structuredContent).toMatchObject({ outcome: 'completed' });
    expect(listRefunds(1002)).toEqual([{ orderId: 1002, amount: 118.5 }]);
  });

  it('runs the call with the edited input', async () => {
    const answer = await refund(1002, async () => {
      await worker.restart();
      return { action: 'accept', content: { decision: 'edit', orderId: 1002, amount: 100 } };
    });
    expect(answer.structuredContent).toMatchObject({ outcome: 'completed' });
    expect(listRefunds(1002)).toEqual([
      { orderId: 1002, amount: 118.5 },
      { orderId: 1002, amount: 100 },
    ]);
  });

  it('does not run the call if it is declined', async () => {
    const before = worker.done('refunds').length;
    const answer = await refund(1001, async () => {
      await worker.restart();
      return { action: 'decline' };
    });
    expect(answer.structuredContent).toMatchObject({ outcome: 'completed' });
    expect(worker.done('refunds')).toHaveLength(before);
  });
});
