/** Server sessions that are kept in real objects, across restarts, take-overs and erasure. */
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
import { holdReply } from '../../../../fixtures/scripts.ts';
import { calls, scene } from '../../../node/mcp/tools/scenes.ts';
import { appWith, objectsWith } from '../../http/app.ts';
import { json, post, type Send, SSE, sessionName } from '../../http/client.ts';
import { advanceClock, LONG_LEASE_MS, newManualSession } from '../../http/time.ts';

const ANEW = "MCP server 'shop' has begun a new session: the state of earlier calls is lost.";

/** Counts its calls by the server's session, and returns the id. */
function thinkingTool(): FakeTool {
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

const THINK = [calls('think'), 'Done.'];

/** An agent whose server thinks, its sessions and its log. */
function desk(replies: readonly ScriptedReply[], refreshAfter?: number) {
  const { server, client } = scene([thinkingTool()], {
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
  const worker = (vars: Readonly<Record<string, unknown>> = {}): Send => appWith(config, vars);
  const { TurnRunner } = createHoldfast(config);
  const session = newManualSession('agent');
  return {
    server,
    model,
    lines,
    worker,
    session,
    say: async (via: Send = worker()) => json(await post(session, { message: 'Think.' }, { via })),
    goOn: (turn: string) =>
      new TurnRunner(createExecutionContext(), { ...env }).run({ name: sessionName(session), turn }),
    /** Returns the model's last tool result. */
    shown: () => {
      const words = model.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? one.text : []));
      return words?.at(-1);
    },
  };
}

const stubOf = (session: string) => env.SESSIONS.getByName(sessionName(session));

const HIDDEN = '[secret mcp-session-id]';

/** Returns the sessions that the server has begun. */
const idsOf = ({ requests }: FakeServer): readonly string[] => [
  ...new Set(requests.flatMap(({ headers }) => headers['mcp-session-id'] ?? [])),
];

const isEnd = ({ method }: { readonly method: string }): boolean => method === 'DELETE';

describe('a server session that is kept in a real object', () => {
  it.each(['aborted', 'evicted'] as const)(
    'continues in another Worker if the object was %s',
    async (how) => {
      const { server, session, say, shown } = desk([...THINK, ...THINK]);
      await say();
      if (how === 'aborted') await abortAllDurableObjects();
      else await evictDurableObject(stubOf(session));
      expect(await say()).toMatchObject({ outcome: 'completed' });
      expect(shown()).toBe(`thought 2 of ${HIDDEN}`);
      expect([idsOf(server).length, server.requests.some(isEnd)]).toEqual([1, false]);
    },
  );

  it('is not shared with an invocation that takes over while the former one can still be alive', async () => {
    const lost = holdReply(calls('think'));
    const one = desk([...THINK, lost.reply, ...THINK, ...THINK], 0);
    const { server, session, worker, say, goOn, shown } = one;
    await say();
    const refuse = () =>
      Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
    const abandoned = worker({ SESSIONS: objectsWith(() => ({ append: refuse, renew: refuse })) });
    const answering = say(abandoned);
    await lost.asked();
    const turn = (await stubOf(session).read({ from: 1 }))?.openTurn?.id;
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, LONG_LEASE_MS);
    await goOn(String(turn));
    expect(shown()).toBe(`${ANEW}\n\nthought 1 of ${HIDDEN}`);
    lost.release();
    await answering;
    await say();
    expect(shown()).toBe(`thought 2 of ${HIDDEN}`);
    const used = server.requests.filter(({ rpc }) => rpc === 'tools/call');
    const [first, second] = idsOf(server);
    expect(used.map(({ headers }) => headers['mcp-session-id'])).toEqual([first, second, second]);
  });

  it('is erased with its session, so the next session of that name does not see it', async () => {
    const { server, session, say, worker, shown } = desk([...THINK, ...THINK]);
    await say();
    expect((await worker()(session, { method: 'DELETE' })).status).toBe(204);
    const left = await runInDurableObject(stubOf(session), (_, { storage }) => [...storage.kv.list()]);
    expect(left).toEqual([]);
    await say();
    expect(shown()).toBe(`thought 1 of ${HIDDEN}`);
    expect([idsOf(server).length, server.requests.some(isEnd)]).toEqual([2, false]);
  });

  it('appears in no answer, stream, event, log line or table, for any response of the server', async () => {
    const { server, session, worker, lines } = desk([...THINK, ...THINK, ...THINK]);
    const written: unknown[] = [];
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void written.push(words)),
    );
    const via = worker();
    const text = async (path: string, init?: RequestInit) => (await via(path, init)).text();
    const body = { method: 'POST', body: JSON.stringify({ message: 'Think.' }) };
    const type = { 'content-type': 'application/json' };
    const seen = [await text(`${session}/messages`, { ...body, headers: { ...type, ...SSE } })];
    server.forgetSessions();
    seen.push(await text(`${session}/messages`, { ...body, headers: type }));
    server.misbehave = ({ rpc, headers }) => {
      if (rpc !== 'ping') return undefined;
      throw new TypeError(`no route for ${headers['mcp-session-id']}`);
    };
    seen.push(await text(`${session}/messages`, { ...body, headers: type }));
    seen.push(await text(session), await text(`${session}/events`), JSON.stringify(lines));
    for (const spy of spies) spy.mockRestore();
    seen.push(JSON.stringify(written));
    const inText = (_: string, value: unknown): unknown =>
      value instanceof ArrayBuffer ? new TextDecoder().decode(value) : value;
    const rows = await runInDurableObject(stubOf(session), (_, { storage: { sql } }) =>
      ['events', 'lease', 'requests', 'inbox', 'agenda', 'blobs', 'chunks', 'schema'].map((table) =>
        JSON.stringify(sql.exec(`SELECT * FROM ${table}`).toArray(), inText),
      ),
    );
    const ids = idsOf(server);
    expect(ids).toHaveLength(2);
    const all = [...seen, ...rows].join('\n');
    expect(all).toContain(`thought 1 of ${HIDDEN}`);
    expect(all).toContain(ANEW);
    for (const id of ids) {
      expect(all).not.toContain(id);
      expect(all).not.toContain(btoa(id).slice(0, 40));
    }
  });
});
