import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import type { Caller, HoldfastConfig } from '../../../../../src/create-holdfast.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import type { OwnerLimits, OwnerPlan } from '../../../../../src/modules/owner-limits/entry.ts';
import { toSessionName } from '../../../../doors/session.ts';
import { limited } from '../../../../fixtures/clerk-agent.ts';
import { setTime } from '../../../../fixtures/held-time.ts';
import { getLimitsName, limitsOfTests, plans } from '../../../../fixtures/limits-of-tests.ts';
import { registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { post, readJson, type Send } from '../../http/client.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly OWNER_LIMITS: DurableObjectNamespace<OwnerLimits>;
    }
  }
}

/** The path of the sessions whose owners have limits. */
export const SESSIONS_PATH = '/agents/limited/sessions';

/** Noon by the clock of an owner's object. */
export const NOON = Date.UTC(2026, 10, 30, 12);
export const MIDNIGHT = '2026-12-01T00:00:00.000Z';
export const HOUR = 3_600_000;

type Script = Parameters<typeof registerScript>;

/** An unused tenant with these limits and one of its people, and an app that limits owners. */
export function createLimitedOwner(
  limits: OwnerPlan,
  { config = {}, vars = {} }: { config?: Partial<HoldfastConfig>; vars?: Record<string, unknown> } = {},
) {
  const name = `t-${crypto.randomUUID()}`;
  let now = NOON;
  plans.set(name, limits);
  setTime(getLimitsName(`tenant:${name}`), () => now);
  const as = (caller: Omit<Caller, 'tenant'> & { tenant?: string | undefined }, more = vars): Send =>
    createTestApp(
      {
        agents: [limited],
        use: [answers, limitsOfTests],
        ...config,
        auth: () => ({ tenant: name, ...caller }),
      },
      more,
    );
  const via = as({ id: 'ann' });
  const getAccount = () => env.OWNER_LIMITS.getByName(`tenant:${name}`);
  const fetchLimits = async (query = '', send = via) => readJson(await send(`/limits${query}`));
  return {
    name,
    as,
    via,
    account: getAccount,
    report: fetchLimits,
    /** Sends a message to a session, with these replies. */
    send: (session: string, replies: Script, headers: Record<string, string> = {}) =>
      post(
        `${SESSIONS_PATH}/${session}`,
        { message: registerScript(...replies).message() },
        { via, headers },
      ),
    /** Returns the usage of each limit. */
    async used(): Promise<Record<string, unknown>> {
      const { limits: all } = await fetchLimits();
      return Object.fromEntries(
        (all as { limit: string; used: number }[]).map((one) => [one.limit, one.used]),
      );
    },
    stub: (session: string) =>
      env.SESSIONS.getByName(toSessionName({ owner: { tenant: name }, agent: 'limited', session })),
    /** Advances the clock of a session's object, and runs its alarm if due. */
    async wait(session: string, ms: number) {
      const object = toSessionName({ owner: { tenant: name }, agent: 'limited', session });
      setTime(object, () => Date.now() + ms);
      await runDurableObjectAlarm(env.SESSIONS.getByName(object));
    },
    /** Waits until the usage matches. */
    async uses(wanted: unknown) {
      await expect.poll(() => this.used(), { timeout: 20_000 }).toEqual(wanted);
    },
    /** Advances the clock of the owner's object, and runs its alarm if due. */
    async pass(ms: number) {
      now += ms;
      await runDurableObjectAlarm(getAccount());
    },
    /** Returns the rows of a table of the object. */
    rows: (table: string) =>
      runInDurableObject(getAccount(), (_, { storage }) =>
        storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
      ),
  };
}
