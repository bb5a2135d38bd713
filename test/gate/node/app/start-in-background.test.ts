import { describe, expect, it } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { SessionError, START_KEY_TTL_MS, startInBackground, toBackgroundTurn } from '../../../doors/agent.ts';
import { type StartRefusal, type TurnStart, toRow } from '../../../doors/journal.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';

const backgroundStart = {
  by: 'schedule:daily',
  owner: { tenant: 'acme' },
  agent: 'scripted',
  session: 's1',
  message: 'Report.',
  context: { locale: 'de' },
  key: 'cron daily 1',
  whenBusy: 'steer',
} as const;

/** Returns an app whose sessions return these responses in turn, and the starts that they receive. */
function startHere(...answers: readonly Awaited<ReturnType<SessionPort['accept']>>[]) {
  return startHereWith({}, ...answers);
}

/** Returns such an app whose open turn was started by the principal `open`. */
function startHereWith(
  { open, steering = 'requester' }: { readonly open?: string; readonly steering?: 'requester' | 'anyone' },
  ...answers: readonly Awaited<ReturnType<SessionPort['accept']>>[]
) {
  const sent: TurnStart[] = [];
  const names: string[] = [];
  const accept: SessionPort['accept'] = async (start) => {
    sent.push(start);
    return answers[sent.length - 1] ?? { status: 'accepted', turn: start.turn };
  };
  const read: SessionPort['read'] = async ({ from, turn = '' }) => {
    const principal = { id: open ?? '', tenant: 'acme' };
    const row = toRow({ type: 'turn-started', turn, loopId: turn, message: 'One', context: {}, principal });
    const rows = open === undefined ? [] : [{ ...row, seq: from, at: 0 }];
    return { rows, next: null, head: rows.length, openTurn: null, waiting: [] };
  };
  const host = {
    agents: new Map([[scripted.name, { ...scripted, policies: { ...scripted.policies, steering } }]]),
    newId: () => 'id',
    session: (_: unknown, name: string) => {
      names.push(name);
      return { accept, read };
    },
  };
  // The parts of an app that are needed to start a turn.
  return { app: { host, env: {} } as unknown as Parameters<typeof toBackgroundTurn>[0], sent, names };
}

describe('a turn that is started in the background', () => {
  it('is sent to a session of its tenant, with its source as the principal and with its key', async () => {
    const { app, sent, names } = startHere();
    expect(await startInBackground(await toBackgroundTurn(app, backgroundStart))).toEqual({
      status: 'accepted',
      turn: 'id',
    });
    expect(names).toEqual(['[{"tenant":"acme"},"scripted","s1"]']);
    expect(sent).toMatchObject([
      {
        turn: 'id',
        request: { key: 'cron daily 1', bodyHash: 'cron daily 1', ttl: START_KEY_TTL_MS },
      },
    ]);
    expect(JSON.parse(sent[0]?.started.body ?? '')).toMatchObject({
      message: 'Report.',
      context: { locale: 'de' },
      principal: { id: 'schedule:daily', tenant: 'acme' },
    });
  });

  it('is sent to a session of one caller, not to a session of a tenant with the same name', async () => {
    const { app, sent, names } = startHere();
    await startInBackground(await toBackgroundTurn(app, { ...backgroundStart, owner: { id: 'acme' } }));
    expect(names).toEqual(['["acme","scripted","s1"]']);
    expect(JSON.parse(sent[0]?.started.body ?? '').principal).toEqual({ id: 'schedule:daily' });
  });

  it.each(['schedule:daily', 'ann'])(
    'is queued if it would steer a turn of %s that waits for an answer from outside',
    async (open) => {
      const suspended = { status: 'suspended', turn: 't1' } as const;
      const { app, sent } = startHereWith({ open }, suspended, { status: 'queued', turn: 'id' });
      const taken = await startInBackground(await toBackgroundTurn(app, backgroundStart));
      expect(taken).toEqual({ status: 'queued', turn: 'id' });
      const [first, second] = sent;
      expect([sent.length, second]).toEqual([2, { ...first, whenBusy: 'queue' }]);
    },
  );

  const busy = { status: 'busy', turn: 't1', retryAfter: 1 } as const;
  it.each([
    ['steers an open turn that the same source has started', 'schedule:daily', { steer: 't1' }],
    ['waits behind an open turn of another principal', 'ann', 'queue'],
    ['waits behind an open turn that ended in the meantime', undefined, 'queue'],
  ] as const)('%s', async (_, open, whenBusy) => {
    const { app, sent } = startHereWith({ ...(open && { open }) }, busy, { status: 'queued', turn: 'id' });
    await startInBackground(await toBackgroundTurn(app, backgroundStart));
    expect(sent.map((start) => start.whenBusy)).toEqual([undefined, whenBusy]);
  });

  it('waits behind the turn of a tenant member with the same name', async () => {
    const { app, sent } = startHereWith({ open: 'schedule:daily' }, busy, { status: 'queued', turn: 'id' });
    await startInBackground(await toBackgroundTurn(app, { ...backgroundStart, owner: { id: 'acme' } }));
    expect(sent.map(({ whenBusy }) => whenBusy)).toEqual([undefined, 'queue']);
  });

  it('steers the turn of any principal if the policy of the agent allows it', async () => {
    const steering = { status: 'steering', turn: 'id', into: 't1' } as const;
    const { app, sent } = startHereWith({ open: 'ann', steering: 'anyone' }, steering);
    expect(await startInBackground(await toBackgroundTurn(app, backgroundStart))).toEqual(steering);
    expect(sent.map(({ whenBusy }) => whenBusy)).toEqual(['steer']);
  });

  it.each<StartRefusal>([
    { status: 'known', turn: 't1' },
    { status: 'full', most: 100 },
  ])('returns the answer of the session: %j', async (answer) => {
    const { app } = startHere(answer);
    expect(await startInBackground(await toBackgroundTurn(app, backgroundStart))).toEqual(answer);
  });

  it.each<StartRefusal>([{ status: 'busy', turn: 't1', retryAfter: 1 }, { status: 'key-reused' }])(
    'throws if the session does not accept it: %j',
    async (answer) => {
      const { app } = startHere(answer, answer);
      await expect(startInBackground(await toBackgroundTurn(app, backgroundStart))).rejects.toThrow(
        `The session did not accept the message (${answer.status}).`,
      );
    },
  );

  it.each([
    [
      { owner: { tenant: ' ' } },
      new Error(
        process.env.NODE_ENV === 'production'
          ? 'The owner of the turn is blank.'
          : 'The owner of the turn is blank. Use { tenant } for the sessions of all callers of a tenant, or { id } for those of one caller.',
      ),
    ],
    [{ message: '\n' }, new Error('The message of the turn is blank.')],
    [
      { agent: 'clerk' },
      new SessionError('unknown-agent', "There is no agent 'clerk'. GET /agents lists the agents."),
    ],
    [
      { session: 'a/b' },
      new SessionError(
        'invalid-session-id',
        'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
      ),
    ],
  ])('is refused before it is sent if it has %j', async (change, problem) => {
    const { app, sent } = startHere();
    await expect(toBackgroundTurn(app, { ...backgroundStart, ...change })).rejects.toThrow(problem);
    expect(sent).toEqual([]);
  });
});
