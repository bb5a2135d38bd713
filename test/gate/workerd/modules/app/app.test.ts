import { describe, expect, it } from 'vitest';
import { ConfigurationError, createHoldfast } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { logTo, placeSessions, retain } from '../../../../../src/modules/app/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';

const createTestAgent = (use: Parameters<typeof defineAgent>[0]['use']) =>
  defineAgent({ name: 'keeper', description: 'Keeps.', instructions: '', model: scripted.model, use });

describe('an app-wide module', () => {
  it.each([
    ['log', logTo(false)],
    ['place', placeSessions({ jurisdiction: 'eu' })],
  ])('is refused as a module of an agent: %s', (name, use) => {
    expect(() => createHoldfast({ agents: [createTestAgent([use])] })).toThrow(
      `The module '${name}' is for the whole app. Add it to \`use\` of createHoldfast.`,
    );
  });

  it('can be used only once', () => {
    expect(() => createHoldfast({ agents: [scripted], use: [logTo(false), logTo(() => {})] })).toThrow(
      "The module 'log' is used twice with different settings. Use it once.",
    );
  });
});

describe('a retention', () => {
  it('can differ between an agent and the app, and can be declared twice if both are equal', () => {
    const agents = [createTestAgent([retain({ days: 1 })])];
    expect(retain({ days: 1 })).toBe(retain({ days: 1 }));
    expect(() => createHoldfast({ agents, use: [retain({ days: 1 })] })).not.toThrow();
    expect(() => createHoldfast({ agents, use: [retain({ days: 2 })] })).not.toThrow();
  });

  it.each([
    ['The app', { agents: [scripted], use: [retain({ days: 1 }), retain({ days: 2 })] }],
    ["Agent 'keeper'", { agents: [createTestAgent([retain({ days: 1 }), retain('forever')])] }],
  ])('can be set only once by %s', (whose, config) => {
    expect(() => createHoldfast(config)).toThrow(
      new ConfigurationError(`${whose} sets the retention of its sessions twice. Use retain() once.`),
    );
  });
});

describe('createHoldfast', () => {
  it.each([
    ['log', 'use: [logTo(...)]'],
    ['retention', 'use: [retain({ days })]'],
    ['location', 'use: [placeSessions({ jurisdiction })]'],
    ['platform', 'limits'],
    ['maxStreams', 'http: { maxStreams }'],
    ['steering', 'policies: { steering } of each agent'],
  ])('throws an error with the correct place of the misplaced option %s', (key, place) => {
    expect(() => createHoldfast({ agents: [scripted], [key]: 1 })).toThrow(
      `createHoldfast has '${key}' instead of '${place}'. `,
    );
  });

  it('suggests the nearest name for a misspelt option of http', () => {
    const http: object = { basepath: '/ai' };
    expect(() => createHoldfast({ agents: [scripted], http })).toThrow(
      "createHoldfast has '/ai' as its 'http.basepath'. Use 'basePath'.",
    );
  });
});
