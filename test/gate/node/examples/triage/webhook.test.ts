import examples from '@octokit/webhooks-examples';
import { sign } from '@octokit/webhooks-methods';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { triageWebhook } from '../../../../../src/examples/triage/triage-webhook.ts';
import { createOfflineOptions, createScene, HELLO_REPOSITORY, listComments, SECRET } from './scene.ts';

afterEach(() => vi.unstubAllGlobals());

interface IssuesPayload {
  readonly action: string;
  readonly issue: object;
  readonly sender: object;
}

describe('the webhook of the triage agent', () => {
  const payloads = examples.flatMap(
    ({ name, examples: all }) => (name === 'issues' ? (all as readonly IssuesPayload[]) : []), // All types of this event.
  );
  const opened = payloads.find(({ action }) => action === 'opened');

  async function receiveEvent(payload: object, event = 'issues') {
    const text = JSON.stringify(payload);
    return triageWebhook.receive({
      headers: new Headers({ 'x-github-event': event, 'x-hub-signature-256': await sign(SECRET, text) }),
      body: Uint8Array.from(new TextEncoder().encode(text)),
      env: { GITHUB_WEBHOOK_SECRET: SECRET },
      now: Date.now(),
    });
  }

  it('starts a turn about an opened issue, and passes the issue number to the tools', async () => {
    expect(await receiveEvent(opened ?? {})).toMatchObject({
      type: 'start',
      agent: 'triage',
      session: 'Codertocat:Hello-World:1',
      message: JSON.stringify({
        repository: HELLO_REPOSITORY,
        issue: 1,
        title: 'Spelling error in the README file',
        author: 'Codertocat',
        body: "It looks like you accidently spelled 'commit' with two 't's.",
      }),
      context: { issue: { repository: HELLO_REPOSITORY, number: 1 } },
    });
  });

  it('shortens long text so that the message is still JSON', async () => {
    const issue = { ...opened?.issue, body: 'x"\n'.repeat(10_000) };
    const started = await receiveEvent({ ...opened, issue });
    const message = started.type === 'start' ? JSON.parse(started.message) : undefined;
    expect(message.body).toHaveLength(2_000);
  });

  it('accepts only opened issues that are not from bots', async () => {
    const others = payloads.filter(({ action }) => action !== 'opened');
    const answers = await Promise.all(others.map((payload) => receiveEvent(payload)));
    expect(new Set(answers.map(({ type }) => type))).toEqual(new Set(['ignored']));
    const bot = { ...opened?.sender, type: 'Bot' };
    expect(await receiveEvent({ ...opened, sender: bot })).toMatchObject({ type: 'ignored' });
    expect(await receiveEvent({ ...opened, issue: undefined })).toMatchObject({
      type: 'ignored',
      reason: "Its payload does not match the event 'issues'.",
    });
  });

  it('ignores a pull request, regardless of the event in its unsigned header', async () => {
    const { issue, ...rest } = { issue: {}, ...opened };
    const pull = { ...rest, pull_request: issue };
    expect(await receiveEvent(pull, 'pull_request')).toMatchObject({ type: 'ignored' });
    expect(await receiveEvent(pull)).toEqual({
      type: 'ignored',
      reason: "Its payload does not match the event 'issues'.",
      acknowledge: 'address',
    });
    expect(await receiveEvent({ ...opened, issue: {} })).toMatchObject({ reason: 'It is about no issue.' });
  });

  it('turns a delivery into a comment on its issue', async () => {
    const stage = createScene(createOfflineOptions());
    const started = await receiveEvent(opened ?? {});
    if (started.type !== 'start') throw new Error(`The turn did not start: it is ${started.type}.`);
    const { message, context } = started;
    expect(await stage.session.send(message, { context })).toMatchObject({ outcome: 'completed' });
    expect(listComments(stage)).toHaveLength(1);
  });
});
