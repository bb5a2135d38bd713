import { describe, expect, it } from 'vitest';
import { ConfigurationError, createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';

const clerk = defineAgent({
  name: 'clerk',
  description: 'Works.',
  instructions: 'Work.',
  tools: [],
  use: [budget({ cost: 0.5 })],
});

describe('an app with a cost limit', () => {
  it('needs a model with prices', () => {
    const message =
      "Agent 'clerk' has a cost limit, but its model 'scripted' has no prices. Set its 'prices' in USD per million tokens.";
    expect(() => createHoldfast({ agents: [clerk], model: scriptedModel([]) })).toThrow(
      new ConfigurationError(message),
    );
  });

  it('is created if the model has prices, or is not known yet', () => {
    const prices = { input: 1, output: 2 };
    expect(() => createHoldfast({ agents: [clerk], model: scriptedModel([], { prices }) })).not.toThrow();
    expect(() => createHoldfast({ agents: [clerk], model: () => scriptedModel([]) })).not.toThrow();
    expect(() => createHoldfast({ agents: [clerk], model: openaiCompatible() })).not.toThrow();
    const own = { ...clerk, model: scriptedModel([], { prices }) };
    expect(() => createHoldfast({ agents: [own], model: scriptedModel([]) })).not.toThrow();
  });
});
