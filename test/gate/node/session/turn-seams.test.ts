/** The data that modules store when a turn stops, for every kind of stop. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { defineTool } from '../../../../src/index.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import type { ScriptedReply, SessionPort } from '../../../../src/testing/entry.ts';
import type { AgendaRow, AppendData } from '../../../doors/journal.ts';
import { Meter, STOP_SEAM, type StoppedTurn, UNLIMITED_PLATFORM } from '../../../doors/session.ts';
import type { ModuleUse } from '../../../doors/tools.ts';
import {
  advanceUntilSettled,
  callEvents,
  LEASE_MS,
  LONGEST_PAUSE,
  leaveHolderSilent,
} from './former-holder.ts';
import { type ClockedApp, createClockedApp } from './memory-app.ts';

afterEach(() => vi.restoreAllMocks());

const pay = requireApproval(
  defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' }),
  () => 'Pay?',
);
const PAY_REPLY: ScriptedReply = { calls: [{ name: 'pay', input: {} }] };

/** A module that adds an agenda row when a turn stops, and the stops that it has received. */
function recordStops(name = 'notes', key = '') {
  const stops: StoppedTurn[] = [];
  const use: ModuleUse = { module: { name, nested: false, state: [] }, key };
  STOP_SEAM.give(use, (turn) => {
    stops.push(turn);
    return { agenda: [{ ref: `${turn.stop} ${turn.id}@${turn.seq}` }] };
  });
  return { use, stops };
}

interface AppSetting {
  readonly replies?: readonly ScriptedReply[];
  readonly mostBytes?: number;
  readonly uses?: readonly ModuleUse[];
  readonly wrap?: (port: SessionPort) => SessionPort;
}

/** An app with these modules, and the agenda rows that were stored with each stop of a turn. */
function createApp({
  uses = [recordStops().use],
  wrap = (port) => port,
  replies = ['Done.'],
  ...more
}: AppSetting = {}) {
  const stored: (Pick<AppendData, 'release'> & {
    readonly seq: number;
    readonly agenda: readonly AgendaRow[];
  })[] = [];
  const app = createClockedApp({
    tools: [pay],
    replies,
    leaseMs: LEASE_MS,
    ...more,
    wrap: (port) =>
      wrap({
        ...port,
        append: async (epoch, from, change) => {
          const answer = await port.append(epoch, from, change);
          const { agenda, release, events } = change;
          if (agenda && answer.status === 'appended') {
            stored.push({ release, seq: from + events.length - 1, agenda });
          }
          return answer;
        },
      }),
  });
  const logged: LogEntry[] = [];
  const options = { uses, log: (entry: LogEntry) => void logged.push(entry) };
  return {
    ...{ app, stored, logged, options },
    say: (message: string) => advanceUntilSettled(app.clock, app.say(message, options)),
    /** Takes over the turn in another invocation. */
    takeOver: async (turn: string) =>
      advanceUntilSettled(app.clock, app.run(await app.resume(turn), options)),
  };
}

const readOpenTurn = async (app: ClockedApp): Promise<string> =>
  (await app.port.read({ from: 1 }))?.openTurn?.id ?? '';

/** The agenda row that the module `notes` stores with this stop. */
const createNoteRelease = (release: AppendData['release'], stop: string, turn: string, seq: number) => ({
  release,
  seq,
  agenda: [{ module: 'notes', key: '', ref: `${stop} ${turn}@${seq}` }],
});

describe('the seam `ended`', () => {
  it.each<[stop: string, replies: readonly ScriptedReply[]]>([
    ['ended', ['Done.']],
    [
      'failed',
      [
        () => {
          throw new Error('no model');
        },
      ],
    ],
  ])('is called with the append that ends a turn, with `stop` set to %s', async (stop, replies) => {
    const { use, stops } = recordStops();
    const { app, say, stored } = createApp({ uses: [use], replies });
    await say('Go.');
    const [{ turn, seq } = expect.fail('Nothing is stored.')] =
      (await app.port.read({ from: 1 }))?.rows.slice(-1) ?? [];
    expect(stored).toEqual([createNoteRelease('ended', stop, turn, seq)]);
    expect(stops).toEqual([{ id: turn, stop, seq, name: '["owner","tester","s1"]' }]);
  });

  it('is called with the append that suspends a turn, and with the one that ends it as cancelled', async () => {
    const { app, say, stored, takeOver } = createApp({ replies: [PAY_REPLY] });
    await say('Pay.');
    const turn = await readOpenTurn(app);
    const { head: suspended = 0 } = (await app.port.read({ from: 1 })) ?? {};
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await takeOver(turn);
    const { head: ended = 0 } = (await app.port.read({ from: 1 })) ?? {};
    expect(ended).toBeGreaterThan(suspended);
    expect(stored).toEqual([
      createNoteRelease('suspended', 'suspended', turn, suspended),
      createNoteRelease('ended', 'ended', turn, ended),
    ]);
  });

  it('is not called if a turn is handed over', async () => {
    const { app, options, stored } = createApp();
    await app.run(await app.lease('Go.'), { ...options, leave: AbortSignal.abort() });
    expect(stored).toEqual([]);
  });

  it.each([
    ['completed', 'ended'],
    ['failed', 'failed'],
  ])(
    'is called with the release if the end of the turn was already stored, for a turn that %s',
    async (outcome, stop) => {
      const { app, stored, takeOver } = createApp();
      const { epoch, page } = await app.lease('Go.');
      const turn = page.openTurn?.id ?? '';
      const error = outcome === 'failed' && { error: { type: 'internal', message: 'x' } };
      const body = JSON.stringify({ v: 1, type: 'turn-ended', turn, outcome, ...error });
      await app.port.append(epoch, page.head + 1, { events: [{ type: 'turn-ended', turn, body }] });
      await app.clock.advance(LEASE_MS + 1);
      await takeOver(turn);
      expect(stored).toEqual([{ ...createNoteRelease('ended', stop, turn, page.head + 1) }]);
    },
  );

  it('is called if an unreadable turn is cancelled', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { app, stored, takeOver } = createApp();
    const { epoch, page } = await app.lease('Go.');
    const turn = page.openTurn?.id ?? '';
    await app.port.append(epoch, page.head + 1, { events: [{ type: 'model-replied', turn, body: '{' }] });
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await app.clock.advance(LEASE_MS + 1);
    await takeOver(turn);
    expect(stored).toEqual([createNoteRelease('ended', 'ended', turn, page.head + 2)]);
  });

  it('is called if a turn is abandoned unread because its holders fell silent', async () => {
    const { app, stored, takeOver } = createApp();
    const { turn } = await leaveHolderSilent(app, callEvents(['pay', 'once']));
    for (let holder = 0; holder < 8; holder += 1) {
      await app.clock.advance(LEASE_MS + LONGEST_PAUSE);
      await app.resume(turn);
    }
    await app.clock.advance(LEASE_MS + LONGEST_PAUSE);
    await takeOver(turn);
    const { head = 0 } = (await app.port.read({ from: 1 })) ?? {};
    expect(stored).toEqual([createNoteRelease('ended', 'failed', turn, head)]);
  });

  it('is called if a turn ends because its session is full', async () => {
    const { app, say, stored } = createApp({
      mostBytes: 16 * 1024 * 1024 + 100_000,
      replies: ['x'.repeat(400_000)],
    });
    await say('Go.');
    const { head = 0, rows = [] } = (await app.port.read({ from: 1 })) ?? {};
    expect(JSON.parse(rows.at(-1)?.body ?? '').error.type).toBe('session-full');
    expect(stored).toEqual([createNoteRelease('ended', 'failed', rows.at(-1)?.turn ?? '', head)]);
  });

  it('is called if a turn ends because no invocation can read its session', async () => {
    const { app, options, stored } = createApp({
      wrap: (port) => ({
        ...port,
        begin: async (request) => {
          const answer = await port.begin(request);
          return answer.status === 'leased'
            ? { ...answer, page: { ...answer.page, rows: answer.page.rows.slice(0, 1), next: 2 } }
            : answer;
        },
      }),
    });
    const meter = new Meter({ ...UNLIMITED_PLATFORM, internalSubrequests: 1 }, () => 0);
    const leased = await app.lease('Go.');
    await app.run(leased, { ...options, meter });
    const turn = leased.page.openTurn?.id ?? '';
    expect(stored).toEqual([createNoteRelease('ended', 'failed', turn, leased.page.head + 1)]);
  });

  it('stores the additions of the modules in the order of `use`', async () => {
    const quiet: ModuleUse = { module: { name: 'quiet', nested: false, state: [] }, key: '' };
    STOP_SEAM.give(quiet, () => undefined);
    const uses = [recordStops('b', 'two').use, quiet, recordStops('a').use, recordStops('b', 'one').use];
    const { say, stored } = createApp({ uses });
    await say('Go.');
    expect(stored.flatMap(({ agenda }) => agenda.map(({ module, key }) => `${module} ${key}`))).toEqual([
      'b two',
      'a ',
      'b one',
    ]);
  });

  it('stores the end without the additions of a module that throws, and logs the error', async () => {
    const broken: ModuleUse = { module: { name: 'broken', nested: false, state: [] }, key: '' };
    const thrown = new TypeError('no ref');
    STOP_SEAM.give(broken, () => {
      throw thrown;
    });
    const { say, stored, logged } = createApp({ uses: [broken, recordStops().use] });
    expect(await say('Go.')).toMatchObject({ status: 'ended', turn: { outcome: 'completed' } });
    expect(stored.flatMap(({ agenda }) => agenda.map(({ module }) => module))).toEqual(['notes']);
    expect(logged.filter(({ event }) => event === 'other')).toMatchObject([
      {
        level: 'error',
        event: 'other',
        message: "module 'broken' failed when a turn stopped",
        thrown,
      },
    ]);
  });
});
