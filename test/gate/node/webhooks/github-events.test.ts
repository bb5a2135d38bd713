import examples from '@octokit/webhooks-examples';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/index.ts';
import { isPayloadOf } from '../../../doors/webhooks.ts';

/** What GitHub sends, as its community has collected it. */
const SENT = examples.flatMap(
  ({ name, examples: payloads }) =>
    payloads.map((payload) => ({ name, payload: payload as unknown as JsonObject })), // it is JSON
);
const NAMES = [...new Set(SENT.map(({ name }) => name))];
/** These differ by the header alone, or are not listed. */
const ALIKE = ['dependabot_alert', 'secret_scanning_alert'];
const UNLISTED = NAMES.filter((name) => isPayloadOf(name, {}));

it('every payload of GitHub matches its own event', () => {
  expect(SENT.length).toBeGreaterThan(300);
  expect(SENT.filter(({ name, payload }) => !isPayloadOf(name, payload))).toEqual([]);
});

it('no payload of GitHub matches another event, for the events that start an agent', () => {
  const passed = SENT.flatMap(({ name, payload }) =>
    NAMES.filter((other) => other !== name && !UNLISTED.includes(other) && isPayloadOf(other, payload)).map(
      (other) => `${name} as ${other}`,
    ),
  );
  const known = passed.filter((one) => !ALIKE.some((alike) => one.endsWith(` as ${alike}`)));
  expect([...new Set(known)]).toEqual([]);
});

it('an unknown event is accepted by its name', () => {
  expect(isPayloadOf('unheard_of', {})).toBe(true);
  expect(isPayloadOf('constructor', {})).toBe(true);
  expect(UNLISTED).toContain('repository');
  expect(UNLISTED).not.toContain('issues');
});
