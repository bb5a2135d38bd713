import { describe, expect, it } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { SessionError, START_KEY_TTL_MS, startInBackground, toBackgroundTurn } from '../../../doors/agent.ts';
import { type StartRefusal, type TurnStart, toRow } from '../../../doors/journal.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';

const outside = {
  by: 'schedule:daily',
  owner: { tenant: 'acme' },
  agent: 'scripted',
  session: 's1',
  message: 'Report.',
  context: { locale: 'de' },
  key: 'cron daily 1',
  whenBusy: 'steer',
} as const;

/** An app whose sessions answer this, one after another, and what they were sent. */
function here(...answers: readonly Awaited<ReturnType<SessionPort['accept']>>[]) {
  return hereWith({}, ...answers);
}

/** `open`: who began the turn that is open. */
function hereWith(
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
  // What starting a turn uses of an app.
  return { app: { host, env: {} } as unknown as Parameters<typeof toBackgroundTurn>[0], sent, names };
}

describe('a turn that is started from outside', () => {
  it('is for a session of its owner, with its source and its key', async () => {
    const { app, sent, names } = here();
    expect(await startInBackground(await toBackgroundTurn(app, outside))).toEqual({
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

  it('is for a session of one caller, and not for a tenant of that name', async () => {
    const { app, sent, names } = here();
    await startInBackground(await toBackgroundTurn(app, { ...outside, owner: { id: 'acme' } }));
    expect(names).toEqual(['["acme","scripted","s1"]']);
    expect(JSON.parse(sent[0]?.started.body ?? '').principal).toEqual({ id: 'schedule:daily' });
  });

  it.each(['schedule:daily', 'ann'])(
    'is queued if it would steer a turn of %s that waits for an outside answer',
    async (open) => {
      const suspended = { status: 'suspended', turn: 't1' } as const;
      const { app, sent } = hereWith({ open }, suspended, { status: 'queued', turn: 'id' });
      const taken = await startInBackground(await toBackgroundTurn(app, outside));
      expect(taken).toEqual({ status: 'queued', turn: 'id' });
      const [first, second] = sent;
      expect([sent.length, second]).toEqual([2, { ...first, whenBusy: 'queue' }]);
    },
  );

  const busy = { status: 'busy', turn: 't1', retryAfter: 1 } as const;
  it.each([
    ['steers the turn that its like has begun, and no other', 'schedule:daily', { steer: 't1' }],
    ['waits in line behind a turn of somebody else', 'ann', 'queue'],
    ['waits in line behind a turn that is there no more', undefined, 'queue'],
  ] as const)('%s', async (_, open, whenBusy) => {
    const { app, sent } = hereWith({ ...(open && { open }) }, busy, { status: 'queued', turn: 'id' });
    await startInBackground(await toBackgroundTurn(app, outside));
    expect(sent.map((start) => start.whenBusy)).toEqual([undefined, whenBusy]);
  });

  it('does not belong to a tenant member of that name', async () => {
    const { app, sent } = hereWith({ open: 'schedule:daily' }, busy, { status: 'queued', turn: 'id' });
    await startInBackground(await toBackgroundTurn(app, { ...outside, owner: { id: 'acme' } }));
    expect(sent.map(({ whenBusy }) => whenBusy)).toEqual([undefined, 'queue']);
  });

  it('can steer a turn of any principal if the app allows that', async () => {
    const steering = { status: 'steering', turn: 'id', into: 't1' } as const;
    const { app, sent } = hereWith({ open: 'ann', steering: 'anyone' }, steering);
    expect(await startInBackground(await toBackgroundTurn(app, outside))).toEqual(steering);
    expect(sent.map(({ whenBusy }) => whenBusy)).toEqual(['steer']);
  });

  it.each<StartRefusal>([
    { status: 'known', turn: 't1' },
    { status: 'full', most: 100 },
  ])('is reported with its outcome: %j', async (answer) => {
    const { app } = here(answer);
    expect(await startInBackground(await toBackgroundTurn(app, outside))).toEqual(answer);
  });

  it.each<StartRefusal>([{ status: 'busy', turn: 't1', retryAfter: 1 }, { status: 'key-reused' }])(
    'is never lost silently: %j',
    async (answer) => {
      const { app } = here(answer, answer);
      await expect(startInBackground(await toBackgroundTurn(app, outside))).rejects.toThrow(
        `The session did not accept the message: it is ${answer.status}.`,
      );
    },
  );

  it.each([
    [
      { owner: { tenant: ' ' } },
      new Error(
        process.env.NODE_ENV === 'production'
          ? 'Its owner is blank.'
          : 'Its owner is blank. Use { tenant } for the sessions of all callers of a tenant, or { id } for those of one caller.',
      ),
    ],
    [{ message: '\n' }, new Error('Its message is blank.')],
    [
      { agent: 'clerk' },
      new SessionError('unknown-agent', "There is no agent 'clerk'. GET /agents lists them."),
    ],
    [
      { session: 'a/b' },
      new SessionError(
        'invalid-session-id',
        'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
      ),
    ],
  ])('is refused before it is sent if it has %j', async (change, problem) => {
    const { app, sent } = here();
    await expect(toBackgroundTurn(app, { ...outside, ...change })).rejects.toThrow(problem);
    expect(sent).toEqual([]);
  });
});
