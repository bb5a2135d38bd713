import { strict as assert } from 'node:assert';
import { type Client, openSession, type TimelineEvent } from './client.ts';
import type { Hold } from './gate.ts';
import type { HeldModel } from './held-model.ts';
import type { Kill } from './kills.ts';
import { withTimeLimit } from './ports.ts';
import { say } from './say.ts';
import type { Stage } from './stage.ts';
import { applyStyle, formatTimeline } from './timeline.ts';

/**
 * Kills the Worker while a response is held back, restarts it, and waits until the turn finishes without a
 * client.
 *
 * @throws AssertionError if the kill happened at the wrong time, or the turn did not resume as expected.
 */
export async function runKill(stage: Stage, model: HeldModel, kill: Kill): Promise<void> {
  const open = await killInside(stage, model, kill);
  const before = open.at(-1)?.seq ?? 0;
  await say(formatTimeline(open));
  await say(`    ${applyStyle('red', 'SIGKILL. The process is gone; no client sends anything again.')}`);
  const killed = Date.now();
  await stage.start();
  const restarted = Date.now();
  const events = await openSession(stage.url, kill.session).turnEnded(before);
  const ended = Date.now();
  await say(`    ${applyStyle('dim', `The Worker is up again after ${restarted - killed} ms.`)}`);
  await say(formatTimeline(events, before));
  await say(`    ${applyStyle('dim', `The turn ended by itself ${ended - restarted} ms later.`)}`);
  checkKill(events, before, kill);
}

/** Kills the Worker while a response is held back. Resolves with the events before the kill. */
async function killInside(stage: Stage, model: HeldModel, kill: Kill): Promise<readonly TimelineEvent[]> {
  const counted = stage.effects.executions().length;
  const hold = await startHold(stage, model, kill);
  try {
    const client = openSession(stage.url, kill.session);
    const request = ask(client, kill);
    await withTimeLimit(
      20_000,
      'the answer to be held is asked for',
      Promise.race([hold.reached, request.failedEarly]),
    );
    const events = await client.events();
    assertOpen(events, kill);
    const done = stage.effects.executions().length - counted;
    assert.equal(done, kill.doneBefore, 'Effects on the disk before the kill');
    await stage.end('kill');
    const dies = kill.client !== 'background';
    assert.equal(await request.lost, dies, 'The connection of a client that waits dies with the process.');
    return events;
  } finally {
    // The response is released after the kill, so the process cannot have received it.
    hold.release();
  }
}

const startHold = async ({ effects }: Stage, model: HeldModel, { held, message }: Kill): Promise<Hold> =>
  'service' in held ? effects.hold(held.service) : model.hold(message, held.reply);

interface AskOutcome {
  /** Resolves with `true` if the connection was lost before the answer. */
  readonly lost: Promise<boolean>;
  /** Rejects if the request fails. Otherwise never settles. */
  readonly failedEarly: Promise<never>;
}

function ask(client: Client, { client: how, message }: Kill): AskOutcome {
  const ways = {
    json: () => client.send(message),
    stream: () => client.stream(message, () => {}),
    background: () => client.sendInBackground(message),
  };
  const asked: Promise<unknown> = ways[how]();
  const lost = asked.then(
    () => false,
    () => true,
  );
  const failedEarly = new Promise<never>((_, reject) => void asked.catch(reject));
  failedEarly.catch(() => {});
  return { lost, failedEarly };
}

function assertOpen(events: readonly TimelineEvent[], { endedBefore, held }: Kill): void {
  assert(!events.some(({ type }) => type === 'turn-ended'), 'The turn had ended before it was killed.');
  assert.deepEqual(listEndedCalls(events), endedBefore, 'Calls that had ended before the kill');
  const inside = 'service' in held && held.service !== 'shipments';
  const open = events.filter(({ type }) => type === 'tool-call-started').length - endedBefore.length;
  if (inside) assert.equal(open, 1, 'One call had started and not ended.');
}

function listEndedCalls(events: readonly TimelineEvent[]): string[] {
  const names = new Map(
    events.flatMap((event) =>
      event.type === 'model-replied' ? event.toolCalls.map(({ id, name }) => [id, name]) : [],
    ),
  );
  return events.flatMap((event) => (event.type === 'tool-call-ended' ? (names.get(event.call) ?? '') : []));
}

function checkKill(events: readonly TimelineEvent[], before: number, kill: Kill): void {
  const after = events.filter(({ seq }) => seq > before);
  const takenOver = after.some((event) => event.type === 'turn-resumed' && event.cause === 'expired');
  assert(takenOver, 'Another invocation took the turn over.');
  const end = after.find((event) => event.type === 'turn-ended');
  assert.equal(end?.outcome, 'completed', 'The turn is completed.');
  assert.equal(countUnknownOutcomes(events), kill.unknown, 'Unknown outcomes in the journal');
}

/** Returns the number of calls that ended with an unknown outcome. */
export const countUnknownOutcomes = (events: readonly TimelineEvent[]): number =>
  events.filter((event) => {
    const result = event.type === 'tool-call-ended' ? event.result : undefined;
    return result?.type === 'error' && result.reason === 'unknown-outcome';
  }).length;
