import { describe, expect, it, vi } from 'vitest';
import { bearerToken, type LogEntry } from '../../../../src/create-holdfast.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { rateLimit } from '../../../../src/modules/http/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { outgoingWebhook } from '../../../../src/modules/outgoing-webhooks/entry.ts';
import { githubWebhook, standardWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { readJson } from './client.ts';

it('GET /health calls an object until it has responded once', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const answers = [
    () => Promise.reject(Object.assign(new Error('no'), { overloaded: true })),
    async () => null,
  ];
  const read = vi.fn(() => answers.shift()?.());
  const via = createTestApp({}, { SESSIONS: wrapObjects(() => ({ read })) });
  const asked = [await via('/health'), await via('/health'), await via('/health')];
  expect(asked.map(({ status }) => status)).toEqual([503, 200, 200]);
  expect(await Promise.all(asked.map(readJson))).toEqual([
    {
      type: 'urn:holdfast:problem:session-unavailable',
      title: 'session unavailable',
      status: 503,
      detail: 'The session cannot be reached now. Send the request again.',
    },
    { status: 'ok' },
    { status: 'ok' },
  ]);
  expect(read).toHaveBeenCalledTimes(2);
  log.mockRestore();
});

describe('GET /health', () => {
  const spending = {
    ...scripted,
    name: 'spender',
    model: undefined,
    modelOf: Object.assign(() => scriptedModel(['Hello.'], { name: 'of-vars' }), { isChecked: true }),
    uses: [budget({ cost: 1 })],
  };
  const keyless = { ...scripted, name: 'keyless', model: undefined, modelOf: openaiCompatible() };
  const hooks = [
    githubWebhook({ agent: 'scripted', secret: 'GITHUB_SECRET' }),
    standardWebhook({ agent: 'scripted', name: 'mail', secret: 'MAIL_SECRET' }),
    outgoingWebhook({ url: (vars) => String(vars.DESK_URL), secret: 'DESK_SECRET' }),
  ];
  const lacking = {
    LEASE_MS: '1',
    SUBREQUESTS: '1',
    HOLDFAST_AUTH: undefined,
    MODEL: '',
    MAIL_SECRET: 'short',
    RATE_LIMIT: undefined,
    DESK_URL: 'http://desk.example',
    TOOL_GROUPS: '{"web":"none"}',
  };
  const problems = [
    'SUBREQUESTS is 1. It must be a whole number of at least 20.',
    'LEASE_MS is 1. It must be a whole number of at least 100.',
    expect.stringMatching(/^`rateLimit\(\)` needs .*RATE_LIMIT/),
    "Agent 'spender' has a cost limit, but its model 'of-vars' has no prices. Set its 'prices' in USD per million tokens.",
    expect.stringMatching(/^This Worker has no model: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set\./),
    expect.stringMatching(/^This Worker has no authentication yet\. Set the secret HOLDFAST_TOKEN /),
    "Webhook 'github' has no secret, so it refuses every delivery. Set the var that its `secret` reads (wrangler secret put, or .dev.vars for wrangler dev, which reads it when it starts).",
    expect.stringMatching(/^Webhook 'mail' cannot use its secret: .*whsec_/),
    "Outgoing webhook 'outgoing' has no usable 'url'. It must be an https URL without a user, or http on localhost.",
  ];

  it('lists every problem of the deployment, and logs each problem once', async () => {
    const lines: LogEntry[] = [];
    const config = {
      agents: [scripted, spending, keyless, { ...keyless, name: 'other' }],
      use: [...hooks, rateLimit()],
      log: (line: LogEntry) => void lines.push(line),
    };
    const via = createTestApp(config, lacking);
    const [first, again] = [await via('/health'), await via('/health')];
    const { detail, problems: told, ...rest } = await readJson(first);
    expect(rest).toEqual({
      type: 'urn:holdfast:problem:misconfigured',
      title: 'misconfigured',
      status: 500,
    });
    expect(told).toEqual(problems);
    expect([told].flat().join('\n\n')).toBe(detail);
    expect((await readJson(again)).detail).toBe(detail);
    expect(lines.map(({ level, event, message }) => [level, event, message])).toEqual(
      problems.map((message) => ['error', 'request-failed', message]),
    );
  });

  it('returns ok if every binding is present', async () => {
    const set = {
      ...{
        HOLDFAST_TOKEN: 'a-token',
        GITHUB_SECRET: 'a-secret',
        OPENAI_API_KEY: 'a-key',
        MODEL: 'gpt-5-mini',
      },
      ...{ MAIL_SECRET: `whsec_${btoa('x'.repeat(24))}`, DESK_SECRET: `whsec_${btoa('y'.repeat(24))}` },
      DESK_URL: 'https://desk.example',
    };
    const via = createTestApp({ agents: [scripted, keyless], use: hooks }, set);
    expect(await readJson(await via('/health'))).toEqual({ status: 'ok' });
  });

  it('warns about each missing compatibility flag, in the response and in the log', async () => {
    const lines: LogEntry[] = [];
    const via = createTestApp({ log: (line) => void lines.push(line) });
    const {
      enable_request_signal: _,
      global_fetch_strictly_public: __,
      ...flags
    } = Cloudflare.compatibilityFlags;
    vi.stubGlobal('Cloudflare', { compatibilityFlags: flags });
    const health = await readJson(await via('/health'));
    vi.unstubAllGlobals();
    const warnings = [
      'The flag enable_request_signal is off. The Worker does not notice when a client disconnects. Add it to ' +
        '`compatibility_flags` in wrangler.toml.',
      'The flag global_fetch_strictly_public is off. A URL that comes from data may reach servers behind ' +
        "the Worker's own zone. Add it to `compatibility_flags` in wrangler.toml.",
    ];
    expect(health).toEqual({ status: 'ok', warnings });
    expect(lines.map(({ level, message }) => [level, message])).toEqual(
      warnings.map((message) => ['warn', message]),
    );
  });

  it('reports a missing token that bearerToken needs', async () => {
    const via = createTestApp({ auth: bearerToken('SHOP_TOKEN') });
    expect((await readJson(await via('/health'))).detail).toBe(
      'This Worker has no token yet. Set the secret that its bearerToken reads.',
    );
  });
});
