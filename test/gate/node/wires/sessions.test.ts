/**
 * The sessions of `npm run wires`, in memory: both turns of each wire, uninterrupted and killed at each
 * append.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChatModel } from '../../../../src/index.ts';
import type { Change } from '../../../wires/session/names.ts';
import { WIRES, type WireName } from '../../../wires/session/servers.ts';
import { createDrawnStops, createEveryStop, noStops } from '../../../wires/session/stops.ts';
import { type MemoryResult, playInMemory } from './play.ts';

const noProblems = { refused: [], lost: [], miscounted: [] };

/**
 * Without streaming, kills follow an event's append. With streaming, they precede it but follow the event's
 * work.
 */
const playCases = WIRES.flatMap((wire) => [
  { wire, isWatched: false, side: 'after' as const, manner: 'as JSON' },
  { wire, isWatched: true, side: 'before' as const, manner: 'as a stream' },
]);

const playsAsJson = new Map<WireName, Promise<MemoryResult>>();

/** Plays a session without streaming, killed after each append. Several tests share the result. */
function playKilledAsJson(wire: WireName): Promise<MemoryResult> {
  const play =
    playsAsJson.get(wire) ?? playInMemory({ wire, isWatched: false, stops: createEveryStop('after') });
  playsAsJson.set(wire, play);
  return play;
}

describe('a session that uses every kind of tool', () => {
  it.each(playCases)('is complete over $wire $manner', async ({ wire, isWatched }) => {
    const { verdict, kills } = await playInMemory({ wire, isWatched, stops: noStops });
    expect(verdict).toMatchObject({ ...noProblems, unknown: 0 });
    expect(kills).toBe(0);
  });

  it.each(playCases)('is complete over $wire $manner if it is killed $side each append', async (play) => {
    const { verdict, kills } = play.isWatched
      ? await playInMemory({ ...play, stops: createEveryStop(play.side) })
      : await playKilledAsJson(play.wire);
    expect(verdict).toMatchObject(noProblems);
    expect(kills).toBeGreaterThan(30);
  });
});

/**
 * With `flap` the models take over from each other, so the partner's wire is played too. The cases include
 * every wire, and each change with each value of `wantsThoughts`. `npm run wires` plays all combinations.
 */
const changingCases = (
  [
    ['gemini', 'flap'],
    ['anthropic-budget', 'fallback'],
    ['anthropic-budget', 'upgrade'],
    ['anthropic-preserved', 'flap'],
    ['anthropic-preserved', 'upgrade'],
    ['responses-stored', 'flap'],
    ['deepseek-sdk', 'flap'],
    ['kimi', 'fallback'],
    ['kimi', 'flap'],
    ['kimi-sdk', 'upgrade'],
    ['reasoning', 'flap'],
    ['openrouter-sdk', 'flap'],
    ['extra-content', 'flap'],
    ['extra-content', 'upgrade'],
    ['extra-content-sdk', 'fallback'],
  ] satisfies readonly (readonly [WireName, Change])[]
).map(([wire, change], at) => ({ wire, change, isWatched: at % 2 === 0 }));

describe('a session whose models change within a turn', () => {
  it.each(changingCases)('is complete over $wire with the change $change', async (play) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const { verdict } = await playInMemory({ ...play, stops: noStops });
    expect(verdict).toMatchObject({ ...noProblems, unknown: 0 });
  });
});

it('a session changes models at the same replies even if other replies are lost in a kill', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  const stops = createDrawnStops([2, 4].map((seq) => ({ side: 'before', seq })));
  const play = { wire: 'extra-content-sdk', change: 'fallback', isWatched: true } as const;
  const { verdict, played, kills } = await playInMemory({ ...play, stops });
  const models = played.events.flatMap((event) =>
    event.type === 'model-replied' && event.frame === undefined ? event.model : [],
  );
  expect([models.slice(0, 4), kills, verdict]).toMatchObject([
    [...Array(3).fill('gemini-3-flash-preview'), 'some-model'],
    2,
    noProblems,
  ]);
});

describe('the cached part of a session’s requests', () => {
  const collectBodies = async (wire: WireName): Promise<Record<string, readonly string[]>> => {
    const { played } = await playKilledAsJson(wire);
    const { main, research, order } = played.servers;
    return Object.fromEntries(
      Object.entries({ main, research, order }).map(([loop, { requests }]) => [
        loop,
        requests.map((request) => JSON.stringify(request)),
      ]),
    );
  };
  const countMarks = (body: string): number => body.split('"cache_control":').length - 1;

  it.each(WIRES.filter((wire) => wire.startsWith('anthropic')))(
    'is marked in every request over %s: tools, system text, the end of the previous request, and its own end',
    async (wire) => {
      for (const requests of Object.values(await collectBodies(wire))) {
        const marks = requests.map(countMarks);
        expect(marks[0]).toBe(3);
        expect(new Set(marks.slice(marks.lastIndexOf(3) + 1))).toEqual(new Set([4]));
        expect(marks.filter((found) => found !== 3 && found !== 4)).toEqual([]);
      }
    },
  );

  it.each(['responses-stored', 'responses-unstored'] as const)(
    'has one key per loop over %s',
    async (wire) => {
      const loops = Object.values(await collectBodies(wire));
      const keys = loops.map((requests) => [
        ...new Set(requests.map((body) => /"prompt_cache_key":"([0-9a-f]{64})"/.exec(body)?.[1])),
      ]);
      expect(keys.map(({ length }) => length)).toEqual([1, 1, 1]);
      expect(new Set(keys.flat()).size).toBe(3);
      expect(keys.flat()).not.toContain(undefined);
    },
  );

  it.each(['gemini', 'deepseek', 'deepseek-sdk', 'openrouter', 'kimi-sdk'] as const)(
    'is not marked for %s, which caches automatically',
    async (wire) => {
      const sent = Object.values(await collectBodies(wire)).flat();
      expect(sent.filter((body) => /cache_?(?:control|key)/i.test(body))).toEqual([]);
    },
  );
});

/**
 * The adapters of these models write calls without thoughts as text, which their servers accept. With
 * `wantsThoughts: false` they send the calls as they are, and the servers miss the thoughts.
 */
const WORDS_WIRES: ReadonlySet<WireName> = new Set(['anthropic-budget', 'anthropic-interleaved']);

describe('missing provider metadata', () => {
  it.each(WIRES)('is detected by the strict server of %s', async (wire) => {
    const { verdict } = await playInMemory({
      wire,
      isWatched: false,
      stops: noStops,
      around: createForgettingModel,
      ...(WORDS_WIRES.has(wire) && { wantsThoughts: false }),
    });
    expect(verdict.refused).not.toEqual([]);
    expect(verdict.lost[0]).toMatch(/^outcomes, at 1: failed: The model's server answered 400/);
  });
});

/** A model that receives only the text and the calls of its replies. */
const createForgettingModel = (model: ChatModel): ChatModel => ({
  ...model,
  ask: ({ messages, ...request }, options) =>
    model.ask(
      {
        ...request,
        messages: messages.map((message) =>
          message.role === 'assistant'
            ? { role: message.role, text: message.text, toolCalls: message.toolCalls }
            : message,
        ),
      },
      options,
    ),
});
