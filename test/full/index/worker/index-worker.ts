/**
 * The Worker whose index is compared with its journals. `x-owner` selects a tenant, and `x-operator` makes the
 * caller an operator. `/journal` returns the state from a journal, `/shown` returns when the index stored each
 * report, and `/left` returns the remaining data of an owner.
 */
import { SessionObject } from '../../../../durable-objects/index.ts';
import { createHoldfast, type Env } from '../../../../src/create-holdfast.ts';
import { createR2Files } from '../../../../src/examples/files-in-r2/r2-files.ts';
import { type ChatModel, defineAgent, defineTool, ModelError } from '../../../../src/index.ts';
import { answers } from '../../../../src/modules/answers/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { d1Reports } from '../../../../src/modules/index/d1/entry.ts';
import { IndexObject as Index, sessionIndex } from '../../../../src/modules/index/entry.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { computeFacts, type ShownSession } from './journal-facts.ts';

interface IndexEnv extends Env {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
  readonly INDEX: DurableObjectNamespace<IndexObject>;
  readonly INDEX_DB: D1Database;
  readonly FILES: R2Bucket;
}

/** An index that records when it stores each report. */
export class IndexObject extends Index {
  override async report(report: Parameters<Index['report']>[0]): Promise<boolean> {
    const isTaken = await super.report(report);
    if (isTaken && report.standing) {
      const { sql } = this.ctx.storage;
      sql.exec('CREATE TABLE IF NOT EXISTS shown (session TEXT, seq INTEGER, at INTEGER)');
      sql.exec('INSERT INTO shown VALUES (?, ?, ?)', report.session, report.standing.seq, Date.now());
    }
    return isTaken;
  }

  shown(): ShownSession[] {
    const { sql } = this.ctx.storage;
    if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'shown'").toArray().length === 0) return [];
    return sql.exec<ShownSession & Record<string, SqlStorageValue>>('SELECT * FROM shown').toArray();
  }
}

const pay = askFirst(defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' }));

/** The time that the model takes for a reply, in ms. */
const THINKING_MS = 20;

/**
 * Replies according to the message: `pay` waits for an approval, `fail` fails, and any other message is
 * answered.
 */
const model: ChatModel = {
  name: 'planned',
  async ask({ messages }) {
    await new Promise((resolve) => setTimeout(resolve, THINKING_MS));
    const said = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    if (said.startsWith('fail')) throw new ModelError('bad-request', 'No.');
    const usage = { inputTokens: 10 + said.length, outputTokens: 3 };
    if (said.startsWith('pay') && messages.at(-1)?.role !== 'tool')
      return { text: '', toolCalls: [{ id: '0', name: 'pay', input: '{}' }], finish: 'tool-calls', usage };
    return { text: `Heard: ${said}`, toolCalls: [], finish: 'stop', usage };
  },
};

const clerk = defineAgent({
  name: 'clerk',
  description: 'Pays when it may.',
  instructions: '',
  accepts: ['image/png'],
  tools: [pay],
  model,
});

const { worker, TurnRunner } = createHoldfast<IndexEnv>({
  agents: [clerk],
  use: [
    answers,
    sessionIndex({ also: d1Reports() }),
    files({ store: ({ FILES }) => createR2Files(FILES as R2Bucket) }),
  ],
  auth: (request) => ({
    id: 'ann',
    tenant: request.headers.get('x-owner') ?? 'nobody',
    operator: request.headers.has('x-operator'),
  }),
});

export { SessionObject, TurnRunner };

export default {
  ...worker,
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    const owner = searchParams.get('owner') ?? '';
    const getStub = (session: string) =>
      env.SESSIONS.getByName(JSON.stringify([{ tenant: owner }, 'clerk', session]));
    switch (pathname) {
      case '/journal':
        return Response.json(
          computeFacts(await getStub(searchParams.get('session') ?? '').read({ from: 1 })),
        );
      case '/shown':
        return Response.json(await env.INDEX.getByName(`tenant:${owner}`).shown());
      case '/rows': {
        const query = 'SELECT * FROM holdfast_sessions WHERE owner = ?';
        return Response.json((await env.INDEX_DB.prepare(query).bind(`tenant:${owner}`).all()).results);
      }
      case '/sql':
        await env.INDEX_DB.batch(
          ((await request.json()) as string[]).map((sql) => env.INDEX_DB.prepare(sql)),
        );
        return new Response();
      case '/left': {
        const prefix = encodeURIComponent(JSON.stringify([{ tenant: owner }]).slice(0, -1));
        const countRows = async (table: string): Promise<unknown> =>
          env.INDEX_DB.prepare(`SELECT count(*) FROM ${table} WHERE owner = ?`)
            .bind(`tenant:${owner}`)
            .first('count(*)');
        const { objects } = await env.FILES.list({ prefix });
        return Response.json({
          files: objects.length,
          rows: await countRows('holdfast_sessions'),
          used: await countRows('holdfast_usage'),
        });
      }
      default:
        return worker.fetch(request, env, ctx);
    }
  },
} satisfies typeof worker;
