import { describe, expect, it } from 'vitest';
import { recordings } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import {
  callTool,
  createEndpointApp,
  createRpcRequest,
  createSessionId,
  getTexts,
  getView,
  IDEMPOTENCY_META,
  postMcp,
  readMessages,
  recordCall,
} from './talk.ts';

const via = createEndpointApp({ agents: ['scripted'] });

describe('a call that is repeated under its key', () => {
  it('returns its turn, even if the call specified no session', async () => {
    const { message, model } = registerScript(recordCall('mcp-retry'), 'Done.');
    const input = { message: message() };
    const key = crypto.randomUUID();
    const first = await callTool(via, 'scripted', input, { [IDEMPOTENCY_META]: key });
    const again = await callTool(via, 'scripted', input, { [IDEMPOTENCY_META]: key });
    expect(again).toEqual(first);
    expect(getView(first).session).toMatch(/^mcp-[0-9a-f]{32}$/);
    expect(model.requests.length).toBe(2);
    expect(recordings.filter(({ note }) => note === 'mcp-retry').length).toBe(1);
  });

  it('joins its turn while the turn runs', async () => {
    const answer = createHeldReply('Done.');
    const { message, model } = registerScript(answer.reply);
    const input = { message: message() };
    const key = crypto.randomUUID();
    const first = callTool(via, 'scripted', input, { [IDEMPOTENCY_META]: key });
    await answer.asked();
    const joined = callTool(via, 'scripted', input, { [IDEMPOTENCY_META]: key });
    answer.release();
    expect(await joined).toEqual(await first);
    expect(model.requests.length).toBe(1);
  });

  it('with another message is refused', async () => {
    const { message } = registerScript('Done.');
    const key = crypto.randomUUID();
    await callTool(via, 'scripted', { message: message() }, { [IDEMPOTENCY_META]: key });
    const other = await callTool(via, 'scripted', { message: 'Something else' }, { [IDEMPOTENCY_META]: key });
    expect([other.isError, getTexts(other)]).toEqual([
      true,
      ['This holdfast/idempotency-key was used with another input. Use a new key for a new message.'],
    ]);
  });

  it('is a new call if it comes from another caller', async () => {
    const shared = createEndpointApp(
      { agents: ['scripted'] },
      { auth: ({ headers }) => ({ id: headers.get('x-user') ?? 'nobody', tenant: 'acme' }) },
    );
    const key = crypto.randomUUID();
    const callAs = async (user: string) => {
      const params = {
        name: 'scripted',
        arguments: { message: registerScript(`Hello ${user}.`).message() },
        _meta: { [IDEMPOTENCY_META]: key },
      };
      const response = await postMcp(shared, createRpcRequest('tools/call', params), {
        headers: { 'x-user': user },
      });
      return Object((await readMessages(response))[0]?.result);
    };
    const [ada, eve] = [await callAs('ada'), await callAs('eve')];
    expect([getTexts(ada)[0], getTexts(eve)[0]]).toEqual(['Hello ada.', 'Hello eve.']);
    expect(getView(eve).session).not.toBe(getView(ada).session);
  });

  it('is not confused with a key of the HTTP API', async () => {
    const id = createSessionId();
    const { message } = registerScript('By MCP.', 'By HTTP.');
    await callTool(via, 'scripted', { message: message(), session: id }, { [IDEMPOTENCY_META]: 'same' });
    const headers = { 'idempotency-key': 'same' };
    const answer = await post(`/agents/scripted/sessions/${id}`, { message: 'Next' }, { headers, via });
    expect(await readJson(answer)).toMatchObject({ text: 'By HTTP.' });
  });
});
