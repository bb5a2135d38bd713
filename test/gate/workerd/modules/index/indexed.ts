import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { Caller, HoldfastConfig } from '../../../../../src/create-holdfast.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import type { IndexObject } from '../../../../../src/modules/index/entry.ts';
import { sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { toSessionName } from '../../../../doors/session.ts';
import { indexed } from '../../../../fixtures/clerk-agent.ts';
import { setTime } from '../../../../fixtures/held-time.ts';
import { indexDb } from '../../../../fixtures/index-db.ts';
import { registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { post, readJson, type Send } from '../../http/client.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly INDEX: DurableObjectNamespace<IndexObject>;
    }
  }
}

type ListedSession = Record<string, unknown>;

/** The path of the indexed agent's sessions. */
export const SESSIONS_PATH = '/agents/indexed/sessions';

/** An unused tenant with one of its people, and an app that has an index. */
export function createTenant(config: Partial<HoldfastConfig> = {}, more: Omit<Caller, 'id' | 'tenant'> = {}) {
  const name = `t-${crypto.randomUUID()}`;
  const as = (caller: Omit<Caller, 'tenant'>, vars = {}): Send =>
    createTestApp(
      {
        agents: [indexed],
        use: [answers, sessionIndex({ also: indexDb })],
        ...config,
        auth: () => ({ tenant: name, ...caller }),
      },
      vars,
    );
  const via = as({ id: 'ann', ...more });
  const get = async (path: string) => readJson(await via(path));
  return {
    name,
    key: `tenant:${name}`,
    as,
    via,
    get,
    /** Runs a turn in a session with these replies. */
    async say(session: string, ...replies: Parameters<typeof registerScript>) {
      const message = registerScript(...replies).message(`Hello from ${session}`);
      return readJson(await post(`${SESSIONS_PATH}/${session}`, { message }, { via }));
    },
    list: async (query = '') => (await get(SESSIONS_PATH + query)).sessions as ListedSession[],
    /** Waits until the list matches. */
    lists: (wanted: unknown, query = '') =>
      expect
        .poll(async () => (await get(SESSIONS_PATH + query)).sessions, { timeout: 20_000 })
        .toEqual(wanted),
    stub: (session: string) =>
      env.SESSIONS.getByName(toSessionName({ owner: { tenant: name }, agent: 'indexed', session })),
    index: () => env.INDEX.getByName(`tenant:${name}`),
    /** Advances the clock of a session's object, and runs its alarm. */
    async wait(session: string, ms: number) {
      setTime(toSessionName({ owner: { tenant: name }, agent: 'indexed', session }), () => Date.now() + ms);
      await runDurableObjectAlarm(
        env.SESSIONS.getByName(toSessionName({ owner: { tenant: name }, agent: 'indexed', session })),
      );
    },
  };
}

/** A session in a list. */
export const listEntry = (session: string, status: string, more: ListedSession = {}) =>
  expect.objectContaining({ session, agent: 'indexed', status, url: `${SESSIONS_PATH}/${session}`, ...more });
