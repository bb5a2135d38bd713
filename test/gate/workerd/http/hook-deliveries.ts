import { expect } from 'vitest';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { fromGithub, SECRET, type SignedRequest } from '../../../fixtures/signed.ts';
import { appWith } from './app.ts';
import { json, type Send } from './client.ts';

export const HOOK = '/hooks/github';

/** Sends a delivery over HTTP. */
export const deliver = (app: Send, signed: SignedRequest, path = HOOK): Promise<Response> =>
  app(path, { method: 'POST', ...signed });

/** An issue with a new number, and so a separate session. */
export const issueBody = (more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    action: 'opened',
    issue: { number: 1, title: 'Broken' },
    repository: { full_name: `acme/${crypto.randomUUID()}` },
    sender: { login: 'ada', type: 'User' },
    ...more,
  });

/** The same, signed by the sender's own library. */
export const signedIssue = (body = issueBody(), delivery?: string): Promise<SignedRequest> =>
  fromGithub('issues', { secret: SECRET, body }, delivery);

/** The sessions belong to the caller that reads them here. */
export const config = { agent: 'scripted', secret: 'SECRET', owner: { id: 'local' } } as const;

/**
 * An app whose webhook starts turns with a scripted model. `message` adds the key that selects the script.
 */
export const appFor = (
  message: (text?: string) => string,
  more: Partial<Parameters<typeof githubWebhook>[0]> = {},
): Send =>
  appWith(
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
export const plainWebhook = appWith({ use: [githubWebhook(config)] }, ENV);

/** The body of a problem response. */
export const problem = (status: number, type: string, detail: string) => ({
  type: `urn:holdfast:problem:${type}`,
  title: type.replaceAll('-', ' '),
  status,
  detail,
});

export async function expectProblem(response: Response, expected: ReturnType<typeof problem>): Promise<void> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await json(response)).toEqual(expected);
  expect(response.status).toBe(expected.status);
}

export const NOT_SIGNED = problem(
  401,
  'invalid-signature',
  'The signature does not match the body: the two sides have different secrets, or the ' +
    'body was changed on its way.',
);

/** The sender's response to every internal failure. */
export const FAILED = problem(
  500,
  'webhook-failed',
  'The webhook failed inside the Worker, whose log says why. The delivery was not stored. Send it again.',
);
