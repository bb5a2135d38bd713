/** The strict server of the Responses API, asked by the AI SDK's own loop through OpenAI's own package. */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { createResponsesWire } from '../../../wires/responses.ts';
import { fetchOf, type Wire } from '../../../wires/wire.ts';
import { answers, askTwice, longScript, thoughtlessAt } from './ask.ts';

const modelOf = (wire: Wire, name = 'gpt-5-mini') =>
  createOpenAI({ apiKey: 'sk-1', fetch: fetchOf(wire) }).responses(name);

describe.each([
  ['whole', false],
  ['in pieces', true],
])('the Responses API, answered %s,', (_, stream) => {
  it.each([
    ['kept by the provider', { store: true }],
    ['kept by the provider, with summaries', { store: true, reasoningSummary: 'detailed' }],
    ['not kept', { store: false }],
    ['not kept, with summaries', { store: false, reasoningSummary: 'detailed' }],
  ])('gets all items back from the AI SDK if they are %s', async (_how, openai) => {
    const wire = createResponsesWire({ script: longScript });
    expect(await askTwice({ model: modelOf(wire), stream, providerOptions: { openai } })).toEqual(answers);
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(22);
  });

  it('gets all items back from the AI SDK with empty summaries', async () => {
    const wire = createResponsesWire({ script: thoughtlessAt(0, 1, 4) });
    const openai = { store: false, reasoningSummary: 'detailed' };
    expect(await askTwice({ model: modelOf(wire), stream, providerOptions: { openai } })).toEqual(answers);
    expect(wire.refused).toEqual([]);
  });
});

it('refuses a call whose reasoning is lost because it was not stored or encrypted', async () => {
  const wire = createResponsesWire({ script: longScript });
  // The package asks for encrypted reasoning by itself only where it knows that the model reasons.
  const said = await askTwice({
    model: modelOf(wire, 'o-unknown'),
    providerOptions: { openai: { store: false } },
  });
  expect(wire.requests).toHaveLength(2);
  expect(said).toEqual(wire.refused.map(({ message }) => message));
  expect(said[0]).toMatch(
    /^Item 'fc_\w+' of type 'function_call' was provided without its required 'reasoning' item: 'rs_\w+'\.$/,
  );
});

it('detects arguments that a client has parsed and encoded again', async () => {
  const wire = createResponsesWire({ script: longScript, exactArguments: true });
  const said = await askTwice({ model: modelOf(wire), providerOptions: { openai: { store: true } } });
  expect(said[0]).toMatch(
    /^wire: reply 1 held function_call 'fc_\w+' as item 2, and its arguments are \{"page":100,/,
  );
});
