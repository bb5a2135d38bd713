import { describe, expect, it } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { SessionUnavailableError } from '../../../doors/session.ts';
import { createHeldSession } from './held.ts';

const throwUnavailable = async () => {
  throw new SessionUnavailableError(new Error('gone'));
};

const withAnswers =
  (changed: Partial<Pick<SessionPort, 'credential' | 'keepCredential'>>) => (port: SessionPort) => ({
    ...port,
    ...changed,
  });

describe('the credentials of a held session', () => {
  it('are returned after they are stored, and are missing before', async () => {
    const { session } = await createHeldSession();
    const { credentials } = session;
    expect(await credentials.find('k')).toEqual({ status: 'none' });
    expect(await credentials.keep('k', 'secret')).toBe(true);
    expect(await credentials.find('k')).toEqual({ status: 'found', value: 'secret' });
    expect(await credentials.keep('k', null)).toBe(true);
    expect(await credentials.find('k')).toEqual({ status: 'none' });
  });

  it('cannot be read or stored by a holder that has lost its lease', async () => {
    const { session, outbox } = await createHeldSession();
    await session.credentials.keep('k', 'secret');
    await outbox.release('yielded');
    expect(await session.credentials.find('k')).toEqual({ status: 'lost' });
    expect(await session.credentials.keep('k', 'late')).toBe(false);
  });

  it('are unavailable while the object cannot be reached', async () => {
    const unreached = withAnswers({ credential: throwUnavailable, keepCredential: throwUnavailable });
    const { session } = await createHeldSession({ wrap: unreached });
    expect(await session.credentials.find('k')).toEqual({ status: 'lost' });
    expect(await session.credentials.keep('k', 'secret')).toBe(false);
  });

  it('are not stored if the session is full', async () => {
    const full = { status: 'session-full', most: 1, used: 1 } as const;
    const { session } = await createHeldSession({ wrap: withAnswers({ keepCredential: async () => full }) });
    expect(await session.credentials.keep('k', 'secret')).toBe(false);
  });
});
