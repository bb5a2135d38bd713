/**
 * Kills the built Worker while an MCP client shows an approval to its user, and again while the approved call
 * runs.
 */
import { Client, type ElicitRequest, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { withTimeLimit } from '../../../src/examples/demo/ports.ts';
import { createKillableDesk } from './killable-desk.ts';

const desk = createKillableDesk();

/** Connects the official client, which asks its user. It reaches the Worker after each restart. */
async function connectClient(answer: (params: ElicitRequest['params']) => Promise<void>): Promise<Client> {
  const client = new Client(
    { name: 'approval-kill', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    await answer(params);
    return { action: 'accept', content: { decision: 'approve' } };
  });
  const transport = new StreamableHTTPClientTransport(new URL('http://desk.worker.invalid/mcp'), {
    fetch: (url, init) => fetch(new URL(new URL(url).pathname, desk.worker.url), init),
  });
  await client.connect(transport);
  return client;
}

const readExecutedInputs = (): unknown[] => desk.effects.executions().map(({ what }) => JSON.parse(what));

it('a call that is approved after a kill runs once, even if the Worker is killed again during the call', async () => {
  const questions: string[] = [];
  let killing: Promise<void> | undefined;
  const client = await connectClient(async ({ message }) => {
    questions.push(message.split('\n').at(-1) ?? '');
    expect(readExecutedInputs()).toEqual([]);
    await desk.worker.kill();
    await desk.start();
    const hold = await desk.effects.hold('refunds');
    killing = withTimeLimit(20_000, 'the refund reaches the shop', hold.reached).then(async () => {
      await desk.worker.kill();
      hold.release();
      await desk.start();
    });
  });
  const input = { message: 'Please refund order 1002', session: 'approval-kill' };
  // The kill breaks the connection of the approved call. The turn resumes without it.
  const broken = client.callTool({ name: 'refunds', arguments: input }).catch(String);
  await expect.poll(() => killing !== undefined, { timeout: 30_000 }).toBe(true);
  await killing;
  expect(questions).toEqual([
    'Refund 118.50 euro for order 1002 (2 x Mooring line, 20 m, 1 x Storm lantern) to Iker Sola?',
  ]);
  const fetchState = async (): Promise<unknown> => {
    const response = await fetch(`${desk.worker.url}/agents/refunds/sessions/approval-kill`);
    const { messages } = (await response.json()) as { messages: readonly { text: string }[] };
    return messages.at(-1)?.text;
  };
  await expect.poll(fetchState, { timeout: 30_000 }).toContain('amount: 118.5');
  expect(readExecutedInputs()).toEqual([{ orderId: 1002, amount: 118.5 }]);
  await client.close();
  await broken;
});
