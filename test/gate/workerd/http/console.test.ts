import { env, withEnv } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, exceptionProcessor } from '../../../../src/index.ts';
import { defineWebhook, WebhookRefusal } from '../../../../src/modules/webhooks/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { type AppConfig, createTestApp } from './app.ts';
import { createSessionPath, post, readJson } from './client.ts';
import { deliver, plainWebhook, signIssue } from './hook-deliveries.ts';

const saver = defineAgent({
  name: 'saver',
  description: 'Saves.',
  instructions: '',
  model: modelBySession,
  policies: { exceptions: exceptionProcessor({ alwaysThrow: true }) },
  tools: [
    defineTool({
      name: 'save',
      description: 'Saves.',
      run: () => {
        throw new Error('the vault at 10.0.0.7 is down');
      },
    }),
  ],
});

/** An app with the agent, and its log lines. */
function captureLog(config: AppConfig = {}) {
  const lines: LogEntry[] = [];
  const via = createTestApp({ agents: [saver], log: (line) => void lines.push(line), ...config });
  return { via, lines };
}

describe('a turn that a request began', () => {
  it('is logged in one line with agent, session, turn and request, and only the log contains tool errors', async () => {
    const { via, lines } = captureLog();
    const path = createSessionPath('saver');
    const { message } = registerScript({ calls: [{ name: 'save' }] });
    const response = await post(path, { message: message() }, { via });
    const detail = "Tool 'save' threw, which ended the turn. The exception is in the result of its call.";
    const body = await readJson(response);
    expect([response.status, body]).toMatchObject([
      502,
      {
        detail: `${detail} The conversation is kept. Send another message to continue.`,
        error: { type: 'tool-failure', message: detail },
        signal: { type: 'fail', reason: detail },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('vault');
    const place = {
      owner: { id: 'local' },
      principal: 'local',
      agent: 'saver',
      session: path.split('/').at(-1),
      turn: body.turn,
      requestId: response.headers.get('x-request-id'),
    };
    expect(lines).toEqual([
      {
        ...place,
        level: 'error',
        event: 'tool-threw',
        tool: 'save',
        message: "Tool 'save' threw: the vault at 10.0.0.7 is down",
        thrown: new Error('the vault at 10.0.0.7 is down'),
        stack: expect.stringMatching(/^Error: the vault at 10\.0\.0\.7 is down\n +at /),
      },
      {
        ...place,
        level: 'error',
        event: 'turn',
        outcome: 'failed',
        error: 'tool-failure',
        message: `a turn failed (tool-failure): ${detail}`,
        model: expect.any(String),
        ms: expect.any(Number),
        iterations: 1,
        usage: { inputTokens: 10, outputTokens: 5 },
        tools: { save: 1 },
      },
    ]);
  });

  it('is logged without the credentials of the environment', async () => {
    const { via, lines } = captureLog();
    const { message } = registerScript({ calls: [{ name: 'save' }] });
    await withEnv({ ...env, VAULT_KEY: '10.0.0.7 is', PLACE: 'the vault' }, () =>
      post(createSessionPath('saver'), { message: message() }, { via }),
    );
    expect(lines[0]).toMatchObject({
      message: "Tool 'save' threw: the vault at [secret VAULT_KEY] down",
      stack: expect.stringMatching(/^Error: the vault at \[secret VAULT_KEY\] down\n +at /),
      thrown: undefined,
    });
  });

  it('is not logged if log is false', async () => {
    const said = ['error', 'warn', 'info'] as const;
    const spies = said.map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
    onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()));
    const { via } = captureLog({ log: false });
    const { message } = registerScript({ calls: [{ name: 'save' }] });
    await post(createSessionPath('saver'), { message: message() }, { via });
    expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});

describe('a delivery that is refused', () => {
  it('is logged with the webhook and the reason', async () => {
    const refusing = defineWebhook({
      name: 'own',
      agent: 'saver',
      owner: { id: 'local' },
      verify: () => {
        throw new WebhookRefusal('invalid-signature', 'The signature does not match.');
      },
      start: () => ({ session: 's', message: 'Hello.' }),
    });
    const { via, lines } = captureLog({ use: [refusing] });
    const response = await deliver(via, { headers: {}, body: '' }, '/hooks/own');
    expect(response.status).toBe(401);
    expect(lines).toEqual([
      {
        level: 'warn',
        event: 'webhook-refused',
        requestId: response.headers.get('x-request-id'),
        message: "webhook 'own' refused a delivery (invalid-signature): The signature does not match.",
      },
    ]);
  });

  it('is logged with the reason if its body is invalid', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    await deliver(plainWebhook, await signIssue('{"action":'));
    expect(warn.mock.calls).toEqual([
      ["holdfast: webhook 'github' refused a delivery (bad-json): The body is not JSON."],
    ]);
  });
});
