import { describe, expect, it } from 'vitest';
import { recordings } from '../../../../fixtures/scripted-agent.ts';
import { holdReply, script } from '../../../../fixtures/scripts.ts';
import { json, post } from '../../http/client.ts';
import {
  appWithEndpoint,
  callTool,
  KEY,
  messagesOf,
  newId,
  postMcp,
  recordCall,
  rpcRequest,
  textsOf,
  viewOf,
} from './talk.ts';

const via = appWithEndpoint({ agents: ['scripted'] });

describe('a call that is repeated under its key', () => {
  it('returns its turn, even if the call named no session', async () => {
    const { message, model } = script(recordCall('mcp-retry'), 'Done.');
    const input = { message: message() };
    const key = crypto.randomUUID();
    const first = await callTool(via, 'scripted', input, { [KEY]: key });
    const again = await callTool(via, 'scripted', input, { [KEY]: key });
    expect(again).toEqual(first);
    expect(viewOf(first).session).toMatch(/^mcp-[0-9a-f]{32}$/);
    expect(model.requests.length).toBe(2);
    expect(recordings.filter(({ note }) => note === 'mcp-retry').length).toBe(1);
  });

  it('joins its turn while that runs', async () => {
    const answer = holdReply('Done.');
    const { message, model } = script(answer.reply);
    const input = { message: message() };
    const key = crypto.randomUUID();
    const first = callTool(via, 'scripted', input, { [KEY]: key });
    await answer.asked();
    const joined = callTool(via, 'scripted', input, { [KEY]: key });
    answer.release();
    expect(await joined).toEqual(await first);
    expect(model.requests.length).toBe(1);
  });

  it('with another message is refused', async () => {
    const { message } = script('Done.');
    const key = crypto.randomUUID();
    await callTool(via, 'scripted', { message: message() }, { [KEY]: key });
    const other = await callTool(via, 'scripted', { message: 'Something else' }, { [KEY]: key });
    expect([other.isError, textsOf(other)]).toEqual([
      true,
      ['This holdfast/idempotency-key was used with another input. Use a new key for a new message.'],
    ]);
  });

  it('from another caller is a new call', async () => {
    const shared = appWithEndpoint(
      { agents: ['scripted'] },
      { auth: ({ headers }) => ({ id: headers.get('x-user') ?? 'nobody', tenant: 'acme' }) },
    );
    const key = crypto.randomUUID();
    const told = async (user: string) => {
      const params = {
        name: 'scripted',
        arguments: { message: script(`Hello ${user}.`).message() },
        _meta: { [KEY]: key },
      };
      const response = await postMcp(shared, rpcRequest('tools/call', params), {
        headers: { 'x-user': user },
      });
      return Object((await messagesOf(response))[0]?.result);
    };
    const [ada, eve] = [await told('ada'), await told('eve')];
    expect([textsOf(ada)[0], textsOf(eve)[0]]).toEqual(['Hello ada.', 'Hello eve.']);
    expect(viewOf(eve).session).not.toBe(viewOf(ada).session);
  });

  it('is not confused with a key of the HTTP API', async () => {
    const id = newId();
    const { message } = script('By MCP.', 'By HTTP.');
    await callTool(via, 'scripted', { message: message(), session: id }, { [KEY]: 'same' });
    const headers = { 'idempotency-key': 'same' };
    const answer = await post(`/agents/scripted/sessions/${id}`, { message: 'Next' }, { headers, via });
    expect(await json(answer)).toMatchObject({ text: 'By HTTP.' });
  });
});
