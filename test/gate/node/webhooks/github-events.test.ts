import examples from '@octokit/webhooks-examples';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/index.ts';
import { isPayloadOf } from '../../../doors/webhooks.ts';

/** GitHub payloads collected by its community. */
const SENT_PAYLOADS = examples.flatMap(
  ({ name, examples: payloads }) =>
    payloads.map((payload) => ({ name, payload: payload as unknown as JsonObject })), // Each payload is JSON.
);
const NAMES = [...new Set(SENT_PAYLOADS.map(({ name }) => name))];
/** Events that only the header distinguishes. */
const PAYLOAD_TWINS = ['dependabot_alert', 'secret_scanning_alert'];
const UNLISTED_NAMES = NAMES.filter((name) => isPayloadOf(name, {}));

it('every GitHub payload matches its own event', () => {
  expect(SENT_PAYLOADS.length).toBeGreaterThan(300);
  expect(SENT_PAYLOADS.filter(({ name, payload }) => !isPayloadOf(name, payload))).toEqual([]);
});

it('no GitHub payload matches another listed event', () => {
  const passed = SENT_PAYLOADS.flatMap(({ name, payload }) =>
    NAMES.filter(
      (other) => other !== name && !UNLISTED_NAMES.includes(other) && isPayloadOf(other, payload),
    ).map((other) => `${name} as ${other}`),
  );
  const known = passed.filter((one) => !PAYLOAD_TWINS.some((alike) => one.endsWith(` as ${alike}`)));
  expect([...new Set(known)]).toEqual([]);
});

it('an unknown event is accepted with its name', () => {
  expect(isPayloadOf('unheard_of', {})).toBe(true);
  expect(isPayloadOf('constructor', {})).toBe(true);
  expect(UNLISTED_NAMES).toContain('repository');
  expect(UNLISTED_NAMES).not.toContain('issues');
});
