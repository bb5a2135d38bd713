import { strict as assert } from 'node:assert';
import { type Client, openSession, type TimelineEvent } from './client.ts';
import type { Effect } from './counted-effects.ts';
import { endWrite, openWrite } from './files-scene.ts';
import { githubEffects } from './github-world.ts';
import { say } from './say.ts';
import { scenes, type TourMessage } from './scenes.ts';
import type { ServedFolder } from './served-folder.ts';
import type { Stage } from './stage.ts';
import { applyStyle, formatTimeline, shorten } from './timeline.ts';
import { createGithubVars, endTriage, openTriage } from './triage-scene.ts';

/** The expected effects of the tour's `once` calls, in the counter's format. */
export const tourEffects: readonly Effect[] = [
  { service: 'warehouse', what: '{"step":"pack_order"}' },
  { service: 'warehouse', what: '{"step":"ship_order"}' },
  { service: 'refunds', what: '{"orderId":1003,"amount":149}' },
  { service: 'refunds', what: '{"orderId":1002,"amount":118.5}' },
  ...githubEffects,
];

/**
 * Runs two turns of each agent with the offline planner, the second after a SIGKILL. An interrupted call or a
 * pending approval continues after the restart. Then shows a stream, a refund that waits for its approval,
 * and a policy that is delivered once.
 */
export async function runTour(stage: Stage, folder: ServedFolder): Promise<void> {
  await stage.start({ MODEL: 'offline', FILES_URL: folder.url, ...createGithubVars(stage) });
  for (const { agent, before } of scenes) await sendAndCheck(stage, agent, before);
  const triage = await openTriage(stage);
  const write = await openWrite(stage, folder);
  await stage.end('kill');
  triage.release();
  await stage.start();
  await say(
    `\n  ${applyStyle('yellow', 'wrangler dev was killed and restarted; each session is where it was.')}`,
  );
  for (const { agent, point, after } of scenes) {
    await say(`\n  ${applyStyle('bold', `${agent}: ${point}`)}`);
    await sendAndCheck(stage, agent, after);
  }
  await say(`\n  ${applyStyle('bold', 'triage: one comment, though the Worker died before it heard of it')}`);
  await endTriage(stage, triage);
  await say(`\n  ${applyStyle('bold', 'files: a write that waited for its approval through the kill')}`);
  await endWrite(stage, folder, write);
  await showStreaming(stage);
  await showApproval(stage);
  await showPolicy(stage);
}

/** Sends one message to the tour's session of an agent. @throws AssertionError if the outcome differs. */
async function sendAndCheck(
  stage: Stage,
  agent: string,
  { message, calls, answer }: TourMessage,
): Promise<void> {
  const client = openSession(stage.url, 'tour', agent);
  const { text, outcome } = await client.send(message);
  const made = listCallNames(await client.events());
  assert.equal(outcome, 'completed', `The outcome of "${message}"`);
  assert.deepEqual(made.slice(0, calls.length || 1), calls, `The first calls for "${message}"`);
  assert.match(text, answer);
  await show(client, text);
}

/**
 * Returns the calls of the last turn, including those of nested loops, in the order in which the model
 * requested them.
 */
const listCallNames = (events: readonly TimelineEvent[]): readonly string[] =>
  events
    .slice(events.findLastIndex(({ type }) => type === 'turn-started'))
    .flatMap((event) => (event.type === 'model-replied' ? event.toolCalls.map(({ name }) => name) : []));

async function showStreaming(stage: Stage): Promise<void> {
  const streamed: string[] = [];
  const client = openSession(stage.url, 'tour');
  await client.stream('Please refund order 1003', (type, data) => {
    streamed.push(
      type === 'text-delta' ? `text-delta ${JSON.stringify((data as { text: string }).text)}` : type,
    );
  });
  assert(streamed.at(-1) === 'answer', `The stream ended with ${streamed.at(-1)}.`);
  await show(client, `streamed: ${streamed.join(', ')}`, { length: 200 });
}

/** Shows that the only call with an effect waits for a decision, and runs once after the approval. */
async function showApproval(stage: Stage): Promise<void> {
  const client = openSession(stage.url, 'tour-approval', 'refunds');
  const asked = await client.send('Please refund order 1002');
  const [pending] = asked.pending ?? [];
  assert(asked.outcome === 'suspended' && pending, `The refund does not wait: ${asked.outcome}.`);
  const before = stage.effects.executions().length;
  const seq = await show(client, `202 suspended: ${pending.message}`);
  await say(`\n  ${applyStyle('yellow', `POST ${pending.links.approvals} {"decision":"approve"}`)}`);
  const answer = await client.decide(pending, { decision: 'approve' });
  assert(answer.outcome === 'completed', `The approved refund ended as ${answer.outcome}.`);
  assert.equal(stage.effects.executions().length - before, 1, 'Refunds since the approval');
  await show(client, answer.text, { seq });
}

/** Shows that a second request for a policy in the same loop returns a reference to the first result. */
async function showPolicy(stage: Stage): Promise<void> {
  const client = openSession(stage.url, 'tour-policy', 'refunds');
  await client.send('What does the policy say about returns?', 'policy');
  const again = await client.send('Show me the policy on flares again', 'policy');
  assert(/ALREADY LOADED/.test(again.text), `The policy was read twice: ${again.text}`);
  await show(client, again.text);
}

/** Prints the events of the last turn after `seq`, and its outcome. Returns the last sequence number. */
async function show(client: Client, answer: string, { length = 110, seq = 0 } = {}): Promise<number> {
  const events = await client.events();
  await say(`\n${formatTimeline(events, seq)}`);
  await say(`    ${applyStyle('green', `→ ${shorten(answer, length)}`)}`);
  return events.at(-1)?.seq ?? 0;
}
