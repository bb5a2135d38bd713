/** The strict Responses API server, called by the AI SDK's own loop through OpenAI's package. */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { createResponsesWire } from '../../../wires/responses.ts';
import { createFetch, type Wire } from '../../../wires/wire.ts';
import { answers, askTwice, longScript, withoutThinkingAt } from './ask.ts';

const createModel = (wire: Wire, name = 'gpt-5-mini') =>
  createOpenAI({ apiKey: 'sk-1', fetch: createFetch(wire) }).responses(name);

describe.each([
  ['complete', false],
  ['streamed', true],
])('the Responses API with %s responses', (_, stream) => {
  it.each([
    ['stored by the provider', { store: true }],
    ['stored by the provider, with summaries', { store: true, reasoningSummary: 'detailed' }],
    ['not stored', { store: false }],
    ['not stored, with summaries', { store: false, reasoningSummary: 'detailed' }],
  ])('receives all items back from the AI SDK if they are %s', async (_how, openai) => {
    const wire = createResponsesWire({ script: longScript });
    expect(await askTwice({ model: createModel(wire), stream, providerOptions: { openai } })).toEqual(
      answers,
    );
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(22);
  });

  it('receives all items back from the AI SDK with empty summaries', async () => {
    const wire = createResponsesWire({ script: withoutThinkingAt(0, 1, 4) });
    const openai = { store: false, reasoningSummary: 'detailed' };
    expect(await askTwice({ model: createModel(wire), stream, providerOptions: { openai } })).toEqual(
      answers,
    );
    expect(wire.refused).toEqual([]);
  });
});

it('the Responses API refuses a call whose reasoning is lost because it was neither stored nor encrypted', async () => {
  const wire = createResponsesWire({ script: longScript });
  // By default the package requests encrypted reasoning only for known reasoning models.
  const said = await askTwice({
    model: createModel(wire, 'o-unknown'),
    providerOptions: { openai: { store: false } },
  });
  expect(wire.requests).toHaveLength(2);
  expect(said).toEqual(wire.refused.map(({ message }) => message));
  expect(said[0]).toMatch(
    /^Item 'fc_\w+' of type 'function_call' was provided without its required 'reasoning' item: 'rs_\w+'\.$/,
  );
});

it('the Responses API detects arguments that a client has parsed and encoded again', async () => {
  const wire = createResponsesWire({ script: longScript, exactArguments: true });
  const said = await askTwice({ model: createModel(wire), providerOptions: { openai: { store: true } } });
  expect(said[0]).toMatch(
    /^wire: reply 1 held function_call 'fc_\w+' as item 2, and its arguments are \{"page":100,/,
  );
});
