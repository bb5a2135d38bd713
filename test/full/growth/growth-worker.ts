/**
 * The Worker that `npm run growth` measures from outside. It fills sessions, opens them and appends to them.
 */
import { SessionObject as Base } from '../../../durable-objects/index.ts';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineAgent } from '../../../src/index.ts';
import { summarize } from '../../../src/modules/compaction/entry.ts';
import { createObjectSession } from '../../doors/durable-objects.ts';
import { REDUCER_VERSION } from '../../doors/journal.ts';
import { BUILT_IN_KINDS } from '../../doors/kinds.ts';
import { foldLeased, toReader, toSessionName } from '../../doors/session.ts';
import { beginTurn, createIteration, fillBlackboard, fillSession } from './fill-session.ts';

/** A session object that reports its size, and the rows that its database has read and written. */
export class SessionObject extends Base {
  readonly #cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];

  constructor(...[ctx, env]: ConstructorParameters<typeof Base>) {
    const { sql } = ctx.storage;
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = sql.exec.bind(sql);
    sql.exec = (...given) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor as never; // the caller determines the type of the rows
    };
    super(ctx, env);
    this.#cursors = cursors;
  }

  /** Returns the rows since the previous call. */
  rows(): { readonly read: number; readonly written: number } {
    const cursors = this.#cursors.splice(0);
    return {
      read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    };
  }

  size(): { readonly database: number; readonly journal: number; readonly snapshot: number } {
    const { sql } = this.ctx.storage;
    const sum = (query: string): number => sql.exec<{ bytes: number }>(query).one().bytes;
    return {
      database: sql.databaseSize,
      journal: sum('SELECT coalesce(sum(bytes), 0) AS bytes FROM events'),
      snapshot: sum(`SELECT coalesce(sum(length(body)), 0) AS bytes FROM chunks WHERE owner = 'snapshot'`),
    };
  }
}

const model = {
  name: 'measured',
  ask: async () => ({ text: 'Done.', toolCalls: [], finish: 'stop' as const }),
};
const base = { description: 'Grows.', instructions: 'Be quick.', model };
const plain = defineAgent({ ...base, name: 'plain' });
const compacting = defineAgent({
  ...base,
  name: 'compacting',
  use: [summarize({ overTokens: 1, summarize: () => 'They talked.' })],
});

const holdfast = createHoldfast({ agents: [plain, compacting], auth: () => ({ id: 'owner' }) });

interface Env {
  readonly SESSIONS: DurableObjectNamespace<SessionObject>;
  readonly [name: string]: unknown;
}

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams: query } = new URL(request.url);
    const agent = query.get('agent') ?? 'plain';
    const count = Number(query.get('count') ?? 1);
    const name = toSessionName({ owner: { id: 'owner' }, agent, session: query.get('session') ?? '' });
    const port = createObjectSession(env.SESSIONS, name);
    switch (pathname) {
      case '/fill':
        await fillSession(port, agent, count);
        break;
      case '/fill-blackboard':
        await fillBlackboard(port, agent, count);
        break;
      case '/rows':
        return Response.json(await env.SESSIONS.getByName(name).rows());
      case '/size':
        return Response.json(await env.SESSIONS.getByName(name).size());
      case '/open': {
        // A repeated nonce receives the same lease, so each request opens the session as a new holder does.
        const { request: again } = await beginTurn(port, agent, query.get('turn') ?? '');
        const reducer = query.get('from') === 'journal' ? 0 : REDUCER_VERSION;
        for (let i = 0; i < count; i += 1) {
          const leased = await port.begin({ ...again, reader: { ...toReader(), reducer } });
          if (leased.status !== 'leased')
            throw new Error(`The session granted no lease: it is ${leased.status}.`);
          await foldLeased(port, leased, { memories: BUILT_IN_KINDS.memories });
        }
        break;
      }
      case '/append': {
        const turn = query.get('turn') ?? '';
        const { leased } = await beginTurn(port, agent, turn);
        for (let i = 0, head = leased.page.head; i < count; i += 1, head += 3) {
          const answer = await port.append(leased.epoch, head + 1, { events: createIteration(turn, head) });
          if (answer.status !== 'appended')
            throw new Error(`The session refused an append: ${answer.status}.`);
        }
        break;
      }
      case '/end': {
        const { leased } = await beginTurn(port, agent, query.get('turn') ?? '');
        const end = { events: [], release: 'ended' } as const;
        await port.append(leased.epoch, leased.page.head + 1, end);
        break;
      }
      default:
        return holdfast.worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, env, ctx); // no code reads `cf`
    }
    return new Response('ok');
  },
} satisfies ExportedHandler<Env>;

export const { TurnRunner } = holdfast;
