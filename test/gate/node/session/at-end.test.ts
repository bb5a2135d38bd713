import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ToolProvider } from '../../../../src/index.ts';
import { toolProvider } from '../../../../src/index.ts';
import type { Discovery } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { listings } from '../../../../src/modules/listings/entry.ts';
import {
  createManualClock,
  type ManualClock,
  type ScriptedReply,
  type SessionPort,
} from '../../../../src/testing/entry.ts';
import type { TurnEnd, TurnHost } from '../../../doors/session.ts';
import { neverResolve } from '../tool-loop/outside.ts';
import { callTools, createReadingTool } from '../tool-loop/scenes.ts';
import { advanceUntilSettled, LEASE_MS } from './former-holder.ts';
import { createHeldSession } from './held.ts';
import { createMemoryApp } from './memory-app.ts';

let clock: ManualClock;
let endedCleanups: string[];
beforeEach(() => {
  clock = createManualClock(1_000_000);
  endedCleanups = [];
});

/** A source that registers one task for the end of each invocation. */
function createSource(cleanUp: (discovery: Discovery) => Promise<unknown>): ToolProvider {
  const seen = new WeakSet<object>();
  return toolProvider({
    toolsNow: () => [],
    uses: [listings],
    async discover(discovery) {
      const invocation = discovery.view.made('at-end', () => []);
      if (!seen.has(invocation)) discovery.atEnd(() => cleanUp(discovery));
      seen.add(invocation);
      return [];
    },
  });
}

interface SceneOptions {
  readonly replies: readonly ScriptedReply[];
  readonly cleanUp?: (discovery: Discovery) => Promise<unknown>;
  readonly wrap?: (port: SessionPort) => SessionPort;
}

/** An app whose source records each run of its task in `endedCleanups`. */
function createScene({ replies, cleanUp = async () => {}, wrap }: SceneOptions) {
  const tools = [
    createSource(async (discovery) => {
      endedCleanups.push('over');
      return cleanUp(discovery);
    }),
    createReadingTool('look', () => {}),
    requireApproval(createReadingTool('pay'), 'Pay?'),
  ];
  return createMemoryApp({ tools, replies, clock, leaseMs: LEASE_MS, ...(wrap && { wrap }) });
}

describe('a task that is registered for the end of an invocation', () => {
  it.each<[string, SceneOptions, Partial<TurnEnd> | object]>([
    ['has ended', { replies: ['Done.'] }, { status: 'ended', turn: { outcome: 'completed' } }],
    ['is suspended', { replies: [callTools('pay')] }, { status: 'suspended' }],
    [
      'fails',
      {
        replies: [
          () => {
            throw new Error('broken');
          },
        ],
      },
      { status: 'ended', turn: { outcome: 'failed' } },
    ],
    [
      'is lost',
      {
        replies: ['Done.'],
        wrap: (port) => ({ ...port, append: async () => ({ status: 'stale' }) }),
      },
      { status: 'lost' },
    ],
  ])('runs once if its turn %s', async (_, given, expected) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const work: Promise<unknown>[] = [];
    const app = createScene(given);
    const waitUntil: TurnHost['waitUntil'] = (promise) => work.push(promise);
    expect(await advanceUntilSettled(clock, app.say('Go.', { waitUntil }))).toMatchObject(expected);
    await Promise.all(work);
    expect([endedCleanups, work.length]).toEqual([['over'], 1]);
    vi.restoreAllMocks();
  });

  it('runs once if its turn is handed over, and again in the invocation that resumes the turn', async () => {
    const client = new AbortController();
    const app = createScene({
      replies: [
        () => {
          client.abort();
          return callTools('look');
        },
        'Done.',
      ],
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(clock, app.run(leased, { leave: client.signal }))).toMatchObject({
      status: 'handed-over',
    });
    expect(endedCleanups).toEqual(['over']);
    expect(await advanceUntilSettled(clock, app.run(await app.resume(turn)))).toMatchObject({
      status: 'ended',
    });
    expect(endedCleanups).toEqual(['over', 'over']);
  });

  it('runs after the lease is released', async () => {
    const heads: unknown[] = [];
    const app = createScene({
      replies: ['Done.'],
      cleanUp: async () => heads.push((await app.port.read({ from: 1 }))?.openTurn),
    });
    await advanceUntilSettled(clock, app.say('Go.'));
    await clock.advance(0);
    expect(heads).toEqual([null]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['rejects', () => Promise.reject(new Error('later'))],
    ['hangs', neverResolve],
  ])('does not change the turn if it %s', async (_, cleanUp) => {
    const app = createMemoryApp({
      tools: [createSource(cleanUp)],
      replies: ['Done.'],
      clock,
      leaseMs: LEASE_MS,
    });
    expect(await advanceUntilSettled(clock, app.say('Go.'), 0)).toMatchObject({
      status: 'ended',
      turn: { text: 'Done.' },
    });
  });
});

describe('a held session', () => {
  it('runs every task when it closes, even if other tasks fail or hang', async () => {
    const { session } = await createHeldSession();
    const did: string[] = [];
    session.atEnd(() => {
      throw new Error('at once');
    });
    session.atEnd(async () => did.push('second'));
    await session.close();
    await session.close();
    expect(did).toEqual(['second']);
  });

  it('runs a task at once if it is registered after the session has closed', async () => {
    const { session } = await createHeldSession();
    const did: string[] = [];
    await session.close();
    session.atEnd(async () => did.push('late'));
    expect(did).toEqual(['late']);
  });
});
