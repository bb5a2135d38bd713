import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { objectSession } from '../../src/session/object-session.ts';
import { SessionUnavailableError } from '../../src/session/session-unavailable-error.ts';
import { event, lease, starting } from '../session-contract/harness.ts';
import { makeObjectHarness } from './object-harness.ts';

type Namespace = typeof env.SESSIONS;

/** A namespace whose stubs break once each, for `times` stubs: before `append` is sent, or when it was answered. */
function breaking(when: 'before' | 'after', { times, error }: { times: number; error: Error }) {
  const count = { stubs: 0 };
  const namespace: Namespace = new Proxy(env.SESSIONS, {
    get: (target, key) => (key === 'getByName' ? getByName : Reflect.get(target, key)),
  });
  const getByName: Namespace['getByName'] = (...args) => {
    count.stubs += 1;
    const isBroken = count.stubs <= times;
    return new Proxy(env.SESSIONS.getByName(...args), {
      get: (target, key) => (key === 'append' && isBroken ? append(target) : Reflect.get(target, key)),
    });
  };
  const append =
    (target: ReturnType<Namespace['getByName']>) =>
    async (...args: Parameters<typeof target.append>) => {
      if (when === 'after') await target.append(...args);
      throw error;
    };
  return { namespace, count };
}

const lost = () => new Error('Network connection lost.');

describe('objectSession', () => {
  it.each(['before', 'after'] as const)(
    'sends an append again on a new stub when the line broke %s it was stored',
    async (when) => {
      const { name, session, raw } = makeObjectHarness();
      const { epoch } = await lease(raw, starting('t1', 'a'));
      const { namespace, count } = breaking(when, { times: 2, error: lost() });
      const answer = await objectSession(namespace, name).append(epoch, 3, { events: [event('t1', 'x')] });
      expect(answer).toMatchObject({ status: 'appended', head: 3 });
      expect(count.stubs).toBe(3);
      expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
    },
  );

  it('gives up after five tries', async () => {
    const { name, raw } = makeObjectHarness();
    const { epoch } = await lease(raw, starting('t1', 'a'));
    const { namespace, count } = breaking('before', { times: 99, error: lost() });
    const appended = objectSession(namespace, name).append(epoch, 3, { events: [event('t1', 'x')] });
    await expect(appended).rejects.toThrow(new SessionUnavailableError(lost()));
    expect(count.stubs).toBe(5);
  });

  it.each([
    [
      'an overloaded object',
      Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true, retryable: true }),
    ],
    ['an error of the object itself', new Error('no such column')],
  ])('does not ask again after %s', async (_, error) => {
    const { name, raw } = makeObjectHarness();
    const { epoch } = await lease(raw, starting('t1', 'a'));
    const { namespace, count } = breaking('before', { times: 99, error });
    const appended = objectSession(namespace, name).append(epoch, 3, { events: [event('t1', 'x')] });
    await expect(appended).rejects.toThrow(error.message);
    expect(count.stubs).toBe(1);
  });

  it('sends again what the platform calls retryable', async () => {
    const { name, raw } = makeObjectHarness();
    const { epoch } = await lease(raw, starting('t1', 'a'));
    const error = Object.assign(new Error('internal error'), { retryable: true });
    const { namespace } = breaking('before', { times: 1, error });
    const answer = await objectSession(namespace, name).append(epoch, 3, { events: [event('t1', 'x')] });
    expect(answer).toMatchObject({ status: 'appended', head: 3 });
  });

  it('answers plain data', async () => {
    const { session } = makeObjectHarness();
    const answer = await session.begin(starting('t1', 'a'));
    expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
  });
});
