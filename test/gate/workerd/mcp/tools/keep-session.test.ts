/** Server sessions stored in real objects, across restarts, take-overs and erasure. */
import {
  abortAllDurableObjects,
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { createHoldfast, type LogEntry } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { logTo } from '../../../../../src/modules/app/entry.ts';
import { type ScriptedReply, scriptedModel } from '../../../../../src/testing/entry.ts';
import { advanceTime } from '../../../../fixtures/held-time.ts';
import type { FakeServer, FakeTool } from '../../../../fixtures/mcp/fake-server.ts';
import { createHeldReply } from '../../../../fixtures/scripts.ts';
import { createScene, requestTool } from '../../../node/mcp/tools/scenes.ts';
import { createTestApp, wrapObjects } from '../../http/app.ts';
import { getSessionName, post, readJson, type Send, SSE_HEADERS } from '../../http/client.ts';
import { advanceClock, createManualSession, LONG_LEASE_MS } from '../../http/time.ts';

const ANEW_TEXT = "MCP server 'shop' has begun a new session: the state of earlier calls is lost.";

/** A tool that counts its calls per server session, and returns the session's id. */
function createThinkingTool(): FakeTool {
  const thoughts = new Map<string, number>();
  return {
    name: 'think',
    annotations: { readOnlyHint: true },
    run: (_, { sessionId = 'none' }) => {
      const count = (thoughts.get(sessionId) ?? 0) + 1;
      thoughts.set(sessionId, count);
      return { content: [{ type: 'text', text: `thought ${count} of ${sessionId}` }] };
    },
  };
}

const THINK_REPLIES = [requestTool('think'), 'Done.'];

/** An agent with a thinking server, its sessions and its log. */
function createDesk(replies: readonly ScriptedReply[], refreshAfter?: number) {
  const { server, client } = createScene([createThinkingTool()], {
    keepSession: true,
    ...(refreshAfter === 0 && { refreshAfter }),
  });
  const model = scriptedModel(replies);
  const tools = [mcpToolProvider({ clients: [client] })];
  // The tests' Worker ignores turns of an agent with this name.
  const agent = defineAgent({ name: 'agent', description: 'Thinks.', instructions: 'Think.', model, tools });
  const lines: LogEntry[] = [];
  const config = { agents: [agent], use: [logTo((line: LogEntry) => void lines.push(line))] };
  /** Another Worker over the same objects. */
  const createWorker = (vars: Readonly<Record<string, unknown>> = {}): Send => createTestApp(config, vars);
  const { TurnRunner } = createHoldfast(config);
  const session = createManualSession('agent');
  return {
    server,
    model,
    lines,
    worker: createWorker,
    session,
    say: async (via: Send = createWorker()) => readJson(await post(session, { message: 'Think.' }, { via })),
    goOn: (turn: string) =>
      new TurnRunner(createExecutionContext(), { ...env }).run({ name: getSessionName(session), turn }),
    /** Returns the model's last tool result. */
    shown: () => {
      const words = model.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? one.text : []));
      return words?.at(-1);
    },
  };
}

const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));

const HIDDEN_TEXT = '[secret mcp-session-id]';

/** Returns the sessions that the server has begun. */
const listSessionIds = ({ requests }: FakeServer): readonly string[] => [
  ...new Set(requests.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])),
];

const isEnd = ({ method }: { readonly method: string }): boolean => method === 'DELETE';

describe('a server session that is kept in a real object', () => {
  it.each(['aborted', 'evicted'] as const)(
    'continues in another Worker if the object was %s',
    async (how) => {
      const { server, session, say, shown } = createDesk([...THINK_REPLIES, ...THINK_REPLIES]);
      await say();
      if (how === 'aborted') await abortAllDurableObjects();
      else await evictDurableObject(getStub(session));
      expect(await say()).toMatchObject({ outcome: 'completed' });
      expect(shown()).toBe(`thought 2 of ${HIDDEN_TEXT}`);
      expect([listSessionIds(server).length, server.requests.some(isEnd)]).toEqual([1, false]);
    },
  );

  it('is not shared with an invocation that takes over while the former invocation can still be alive', async () => {
    const lost = createHeldReply(requestTool('think'));
    const one = createDesk([...THINK_REPLIES, lost.reply, ...THINK_REPLIES, ...THINK_REPLIES], 0);
    const { server, session, worker, say, goOn, shown } = one;
    await say();
    const refuse = () =>
      Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
    const abandoned = worker({ SESSIONS: wrapObjects(() => ({ append: refuse, renew: refuse })) });
    const answering = say(abandoned);
    await lost.asked();
    const turn = (await getStub(session).read({ from: 1 }))?.openTurn?.id;
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, LONG_LEASE_MS);
    await goOn(String(turn));
    expect(shown()).toBe(`${ANEW_TEXT}\n\nthought 1 of ${HIDDEN_TEXT}`);
    lost.release();
    await answering;
    await say();
    expect(shown()).toBe(`thought 2 of ${HIDDEN_TEXT}`);
    const used = server.requests.filter(({ rpc }) => rpc === 'tools/call');
    const [first, second] = listSessionIds(server);
    expect(used.map(({ headers }) => headers['mcp-session-id'])).toEqual([first, second, second]);
  });

  it('is erased with its session, so the next session of that name does not see it', async () => {
    const { server, session, say, worker, shown } = createDesk([...THINK_REPLIES, ...THINK_REPLIES]);
    await say();
    expect((await worker()(session, { method: 'DELETE' })).status).toBe(204);
    const left = await runInDurableObject(getStub(session), (_, { storage }) => [...storage.kv.list()]);
    expect(left).toEqual([]);
    await say();
    expect(shown()).toBe(`thought 1 of ${HIDDEN_TEXT}`);
    expect([listSessionIds(server).length, server.requests.some(isEnd)]).toEqual([2, false]);
  });

  it('appears in no answer, stream, event, log line or table, for any response of the server', async () => {
    const { server, session, worker, lines } = createDesk([
      ...THINK_REPLIES,
      ...THINK_REPLIES,
      ...THINK_REPLIES,
    ]);
    const written: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void written.push(words)),
    );
    const via = worker();
    const readText = async (path: string, init?: RequestInit) => (await via(path, init)).text();
    const body = { method: 'POST', body: JSON.stringify({ message: 'Think.' }) };
    const type = { 'content-type': 'application/json' };
    const seen = [await readText(`${session}/messages`, { ...body, headers: { ...type, ...SSE_HEADERS } })];
    server.forgetSessions();
    seen.push(await readText(`${session}/messages`, { ...body, headers: type }));
    server.misbehave = ({ rpc, headers }) => {
      if (rpc !== 'ping') return undefined;
      throw new TypeError(`no route for ${headers['mcp-session-id']}`);
    };
    seen.push(await readText(`${session}/messages`, { ...body, headers: type }));
    seen.push(await readText(session), await readText(`${session}/events`), JSON.stringify(lines));
    for (const spy of spies) spy.mockRestore();
    seen.push(JSON.stringify(written));
    const decodeBuffer = (_: string, value: unknown): unknown =>
      value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value;
    const rows = await runInDurableObject(getStub(session), (_, { storage: { sql } }) =>
      ['events', 'lease', 'requests', 'inbox', 'agenda', 'blobs', 'chunks', 'schema'].map((table) =>
        JSON.stringify(sql.exec(`SELECT * FROM ${table}`).toArray(), decodeBuffer),
      ),
    );
    const ids = listSessionIds(server);
    expect(ids).toHaveLength(2);
    const all = [...seen, ...rows].join('\n');
    expect(all).toContain(`thought 1 of ${HIDDEN_TEXT}`);
    expect(all).toContain(ANEW_TEXT);
    for (const id of ids) {
      expect(all).not.toContain(id);
      expect(all).not.toContain(btoa(id).slice(0, 40));
    }
  });
});
