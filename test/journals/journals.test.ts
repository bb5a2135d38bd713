/**
 * Reads and continues sessions that earlier versions have stored. The responses must equal those of the version
 * that stored the session, byte for byte. Each session runs in a real Durable Object, with the clock at the
 * time when it was stored.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatUnknownOutcome } from '../full/deploys/texts.ts';
import { readDumps, restore } from './dump.ts';
import { formatValue, type KeptReading, listVersions, readFolder, toKept } from './kept.ts';
import { collectToolResults, getOfferedTools, getUserTexts } from './readings.ts';
import { type Reading, readJournals } from './record.ts';
import { journals } from './sessions/journals.ts';

/** Returns the lines that differ from the stored text, without the equal lines at both ends. */
function findChanges(
  was: string,
  is: string,
): { readonly was: readonly string[]; readonly is: readonly string[] } {
  const [before, now] = [was.split('\n'), is.split('\n')];
  const from = before.findIndex((line, index) => line !== now[index]);
  if (from < 0) return { was: [], is: now.slice(before.length) };
  const fromEnd = before.toReversed().findIndex((line, index) => line !== now.at(-1 - index));
  const cutLines = (lines: readonly string[]) =>
    lines.slice(from, Math.max(from, lines.length - fromEnd)).slice(0, 2000);
  return { was: cutLines(before), is: cutLines(now) };
}

/** The tools that each journal's memory makes available, by the name of the journal. */
const OFFERED_TOOLS: Readonly<Record<string, readonly string[]>> = {
  unfolded: ['files', 'office', 'shop', 'read_file', 'take_milk', 'take_tea', 'write_file', 'send_mail'],
  chained: [
    'get_customer',
    'greet',
    'last_order',
    'list_parcels',
    'ship',
    'parcel_p1_track',
    'parcel_p2_track',
  ],
  mcp: ['count_words', 'pages'],
  'process-tools': [
    'agent_process',
    'blackboard',
    'communicate',
    'keep',
    'progress',
    'schedule_message',
    'process_budget',
    'process_cost',
    'process_history',
    'process_models',
    'process_status',
    'process_tools_stats',
  ],
  'tool-group': ['fetch_page', 'note', 'search'],
};

const getBody = (answer: { readonly body?: unknown } | undefined): unknown => answer?.body;

const NO_DIFFERENCE = { was: [], is: [] };

describe.each(listVersions())('the journals of %s', (version) => {
  const folder = readFolder(version);
  const names = [...folder.journals.keys()];
  let readings: ReadonlyMap<string, Reading | Error>;

  beforeAll(async () => {
    const stored = names.map((name) => {
      const journal = journals.find((one) => one.name === name);
      const kept = folder.journals.get(name);
      if (!journal || !kept)
        throw new Error(
          `The journal ${name} of ${version} has no definition in test/journals/sessions, or no stored files.`,
        );
      return { journal, dump: kept.dump };
    });
    readings = await readJournals(stored, folder.at);
  });

  const getReading = (name: string): KeptReading => {
    const reading = readings.get(name);
    if (!reading) throw new Error(`The journal ${name} has no reading.`);
    if (reading instanceof Error) throw reading;
    return toKept(reading);
  };

  it.each(names)('%s is read and continued with the recorded result', (name) => {
    const was = folder.journals.get(name)?.reading;
    expect(findChanges(formatValue(was), formatValue(getReading(name)))).toEqual(NO_DIFFERENCE);
  });

  it.each(names)('%s contains the features that its entry lists', (name) => {
    const { holds = [] } = journals.find((one) => one.name === name) ?? {};
    const { sql = '' } = folder.journals.get(name)?.dump ?? {};
    expect(holds.length).toBeGreaterThan(0);
    expect(holds.filter((text) => !sql.includes(text))).toEqual([]);
  });

  it('have databases that are unchanged after they are restored', async () => {
    const storage = await mkdtemp(join(tmpdir(), 'holdfast-journals-'));
    const dumps = [...folder.journals.values()].map(({ dump }) => dump);
    try {
      restore(storage, dumps);
      expect(new Set(readDumps(storage).values())).toEqual(new Set(dumps));
    } finally {
      await rm(storage, { recursive: true });
    }
  });

  /**
   * Returns how often a tool of an open turn was executed before and after the session was stored, and with how
   * many keys.
   */
  function splitDeeds(name: string, tool: string) {
    const { before = [] } = folder.journals.get(name) ?? {};
    const all = [...before, ...getReading(name).done].filter((deed) => deed.tool === tool);
    const open = all.filter(({ call }) => !call.startsWith('new-turn'));
    return { times: open.length, keys: new Set(open.map(({ key }) => key)).size };
  }

  const doneBefore = 'charge was done before';
  it.each([
    ['killed-in-once', formatUnknownOutcome('charge')],
    ['killed-in-once-done', doneBefore],
    ['killed-in-once-not-done', 'charge is done'],
    ['killed-in-agentic-tool', formatUnknownOutcome('charge')],
    ['killed-in-subagent', doneBefore],
    ['killed-with-answer', formatUnknownOutcome('charge')],
    ['killed-with-cancel', formatUnknownOutcome('charge')],
  ])('the interrupted call in %s runs once, and the model receives: %s', (name, outcome) => {
    expect([...collectToolResults(getReading(name), 'charge')]).toEqual([outcome]);
    expect(splitDeeds(name, 'charge')).toEqual({ times: 1, keys: 1 });
  });

  it('interrupted calls that may be repeated run again under the same key', () => {
    expect(splitDeeds('killed-in-once', 'mail')).toEqual({ times: 2, keys: 1 });
    expect(splitDeeds('steered', 'look_up')).toEqual({ times: 3, keys: 2 });
  });

  it('a waiting call accepts its answer and has one effect', () => {
    const { answers, done } = getReading('suspended');
    expect(answers.at(-1)).toMatchObject({ status: 200, body: { text: 'Refunded.' } });
    expect(done.map(({ tool, input }) => [tool, input])).toEqual([
      ['refund', { amount: 5 }],
      ['refund', { amount: 6 }],
    ]);
    expect(splitDeeds('suspended-inside', 'pay')).toEqual({ times: 1, keys: 1 });
    expect(splitDeeds('killed-with-answer', 'refund')).toEqual({ times: 1, keys: 1 });
    expect(splitDeeds('killed-with-cancel', 'refund')).toEqual({ times: 0, keys: 0 });
    expect(splitDeeds('expired', 'refund')).toEqual({ times: 0, keys: 0 });
  });

  it('a repeated message and a repeated delivery are recognized', () => {
    const { answers, events } = getReading('finished');
    const again = { turn: (getBody(answers[0]) as { turn: string }).turn, message: 'Again.' };
    expect(getBody(events[0])).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining(again)]),
    });
    expect(answers[1]).toMatchObject({ status: 422 });
    expect(getReading('hooked').answers[0]).toMatchObject({ status: 202, body: { status: 'known' } });
  });

  it('the model receives the summary in place of the compacted messages', () => {
    expect(getUserTexts(getReading('compacted'))).toEqual([
      'Summary of the conversation so far, whose messages are not shown any more:\n\nIn short: it was paid twice.',
      'On.',
      'Yes?',
      'And now?',
    ]);
  });

  it.each(Object.entries(OFFERED_TOOLS))('the next request of %s offers its tools', (name, tools) => {
    expect(getOfferedTools(getReading(name))).toEqual(tools);
  });
});
