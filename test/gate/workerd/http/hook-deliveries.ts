import { expect } from 'vitest';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { SECRET, type SignedRequest, signAsGithub } from '../../../fixtures/signed.ts';
import { createTestApp } from './app.ts';
import { readJson, type Send } from './client.ts';

export const HOOK_PATH = '/hooks/github';

/** Sends a delivery over HTTP. */
export const deliver = (app: Send, signed: SignedRequest, path = HOOK_PATH): Promise<Response> =>
  app(path, { method: 'POST', ...signed });

/** An issue in a new repository, and thus in a separate session. */
export const createIssueBody = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    action: 'opened',
    issue: { number: 1, title: 'Broken' },
    repository: { full_name: `acme/${crypto.randomUUID()}` },
    sender: { login: 'ada', type: 'User' },
    ...more,
  });

/** The same issue, signed by the sender's own library. */
export const signIssue = (body = createIssueBody(), delivery?: string): Promise<SignedRequest> =>
  signAsGithub('issues', { secret: SECRET, body }, delivery);

/** The sessions belong to the caller that reads them in these tests. */
export const config = { agent: 'scripted', secret: 'SECRET', owner: { id: 'local' } } as const;

/**
 * An app whose webhook starts turns with a scripted model. `message` adds the key that selects the script.
 */
export const createHookApp = (
  message: (text?: string) => string,
  more: Partial<Parameters<typeof githubWebhook>[0]> = {},
): Send =>
  createTestApp(
    {
      use: [
        githubWebhook({
          ...config,
          start: ({ usual }) => ({ ...usual, message: message(usual.message) }),
          ...more,
        }),
      ],
    },
    ENV,
  );

/** An app whose webhook uses the default mapping. */
export const plainWebhook = createTestApp({ use: [githubWebhook(config)] }, ENV);

/** The body of a problem response. */
export const createHookProblem = (status: number, type: string, detail: string) => ({
  type: `urn:holdfast:problem:${type}`,
  title: type.replaceAll('-', ' '),
  status,
  detail,
});

export async function expectProblem(
  response: Response,
  expected: ReturnType<typeof createHookProblem>,
): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await readJson(response)).toEqual(expected);
  expect(response.status).toBe(expected.status);
}

export const UNSIGNED_PROBLEM = createHookProblem(
  401,
  'invalid-signature',
  'The signature does not match the body: the two sides have different secrets, or the ' +
    'body was changed on its way.',
);

/** The response to the sender after any internal failure. */
export const FAILED_PROBLEM = createHookProblem(
  500,
  'webhook-failed',
  'The webhook failed inside the Worker, whose log says why. The delivery was not stored. Send it again.',
);
