import { strict as assert } from 'node:assert';
import { sign } from '@octokit/webhooks-methods';
import { type Answer, openSession } from './client.ts';
import { DEMO_SECRET, DEMO_TOKEN, getServiceName, openedIssue, openedName } from './github-world.ts';
import { pollUntil, withTimeLimit } from './ports.ts';
import { say } from './say.ts';
import type { Stage } from './stage.ts';
import { applyStyle, formatTimeline, shorten } from './timeline.ts';

interface DeliveryResult {
  readonly status: string;
  readonly session: string;
  readonly turn: string;
  /** The URL of the turn that it started. */
  readonly location: string;
}

/** Returns the Worker's vars with which the triage agent uses the effect counter's fake GitHub. */
export const createGithubVars = ({ effects }: Pick<Stage, 'effects'>): Readonly<Record<string, string>> => ({
  GITHUB_API_URL: `${effects.url}/github`,
  GITHUB_TOKEN: DEMO_TOKEN,
  GITHUB_WEBHOOK_SECRET: DEMO_SECRET,
});

/** A delivered issue whose comment is written, but whose response is held back. */
export interface OpenTriage {
  readonly delivered: DeliveryResult;
  /** Releases the response. Call it after the Worker is killed. */
  readonly release: () => void;
}

const comments = getServiceName({ what: 'comment' });

/**
 * Makes GitHub deliver an issue. Resolves when the comment is on the counter's disk and its response is held
 * back.
 */
export async function openTriage(stage: Stage): Promise<OpenTriage> {
  const hold = await stage.effects.hold(comments);
  const delivered = await deliver(stage, 'first');
  await say(
    `\n  ${applyStyle('bold', `triage: GitHub delivers ${openedName}, "${openedIssue.issue.title}"`)}`,
  );
  await say(`    ${applyStyle('dim', `POST /hooks/github: 202, Location: ${delivered.location}`)}`);
  await withTimeLimit(20_000, 'the comment reaches GitHub', hold.reached);
  return { delivered, release: hold.release };
}

/**
 * Checks the outcome in a Worker that knows the issue only from its journal. The Worker finds the comment by
 * the call's key, and the turn resumes. A repeated delivery with another id finds the same turn.
 *
 * @throws AssertionError if the outcome differs.
 */
export async function endTriage(stage: Stage, { delivered }: OpenTriage): Promise<void> {
  const again = await deliver(stage, 'second');
  assert.equal(again.location, delivered.location, 'The same delivery has one turn.');
  const answer = await readAnswer(stage.url + delivered.location);
  assert.equal(answer.outcome, 'completed', 'The outcome of the triage');
  const written = stage.effects.executions().filter(({ service }) => service === comments);
  assert.equal(written.length, 1, 'Comments on the disk of the counter');
  await show(stage, delivered.session, answer);
}

/** Signs and sends a delivery like GitHub, with a new id each time. */
async function deliver({ url }: Stage, id: string): Promise<DeliveryResult> {
  const body = JSON.stringify(openedIssue);
  const response = await fetch(`${url}/hooks/github`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': id,
      'x-hub-signature-256': await sign(DEMO_SECRET, body),
    },
    body,
    signal: AbortSignal.timeout(20_000),
  });
  assert.equal(response.status, 202, `The delivery was answered: ${await response.clone().text()}`);
  const told = (await response.json()) as Omit<DeliveryResult, 'location'>; // the contract of the route
  return { ...told, location: response.headers.get('location') ?? '' };
}

/** Polls the URL of a turn until it has an answer. Before that, the status is 202. */
async function readAnswer(address: string): Promise<Answer> {
  let answer: Answer | undefined;
  await pollUntil('the turn has its answer', 30_000, async () => {
    const response = await fetch(address, { signal: AbortSignal.timeout(5_000) });
    assert([200, 202].includes(response.status), `The turn's address answered ${response.status}.`);
    const body = (await response.json()) as Answer; // the contract of the route
    if (response.status === 200) answer = body;
    return answer !== undefined;
  });
  assert(answer);
  return answer;
}

/** Prints the journal, and the effects outside of it. */
async function show(stage: Stage, session: string, answer: Answer): Promise<void> {
  const events = await openSession(stage.url, session, 'triage').events();
  await say(`\n${formatTimeline(events)}`);
  await say(`    ${applyStyle('green', `→ ${shorten(answer.text, 110)}`)}`);
  const issue = await onGithub<{ labels: { name: string }[]; comments: number }>(stage, '');
  const [comment] = await onGithub<{ body: string }[]>(stage, '/comments');
  assert.deepEqual(
    issue.labels.map(({ name }) => name),
    ['documentation'],
  );
  assert.equal(issue.comments, 1, 'Comments on GitHub');
  const labels = issue.labels.map(({ name }) => name).join(', ');
  const line = `on GitHub: labeled ${labels}; ${issue.comments} comment: ${shorten(comment?.body ?? '', 70)}`;
  await say(`    ${applyStyle('green', `→ ${line}`)}`);
}

/** Asks the fake GitHub directly about the issue. */
async function onGithub<T>({ effects }: Stage, part: string): Promise<T> {
  const path = `/repos/${openedIssue.repository.full_name}/issues/${openedIssue.issue.number}${part}`;
  const headers = { authorization: `Bearer ${DEMO_TOKEN}`, 'user-agent': 'demo' };
  const response = await fetch(`${effects.url}/github${path}`, { headers });
  return response.json() as Promise<T>; // the fake uses these types
}
