import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_STREAM_BYTES } from '../../../../doors/model.ts';
import {
  ask,
  askForFailure,
  askForReply,
  createBodyStream,
  createChoiceDelta,
  createCompletion,
  createStreamResponse,
  toSseText,
} from './fake-server.ts';

describe('an invalid reply', () => {
  const describeNonList = (key: string) => `The model's reply holds '${key}' that is not a list.`;
  const describeNonString = (key: string) => `The model's reply holds a '${key}' that is not a string.`;
  const noJson = "The model's reply is not JSON. Is the base URL right?";
  const withCalls = (tool_calls: unknown) => ({
    choices: [{ message: { tool_calls }, delta: { tool_calls } }],
  });

  it.each<[unknown, string]>([
    [null, "The model's reply is not a JSON object."],
    [[], "The model's reply is not a JSON object."],
    ['[1]', "The model's reply is not a JSON object."],
    ['{"choices"', noJson],
    ['<html>', noJson],
    [{}, "The model's reply has no choices."],
    [{ choices: null }, "The model's reply has no choices."],
    [{ choices: {} }, describeNonList('choices')],
    [{ choices: ['x'] }, "The model's reply holds a choice that is not an object."],
    [{ choices: [{ message: { content: 7 }, delta: { content: 7 } }] }, describeNonString('content')],
    [
      { choices: [{ message: { content: ['x'] }, delta: { content: ['x'] } }] },
      "The model's reply holds a content part that is not an object.",
    ],
    [{ choices: [{ message: { content: [{ type: 'text', text: 7 }] } }] }, describeNonString('text')],
    [{ choices: [{ message: { refusal: {} }, delta: { refusal: {} } }] }, describeNonString('refusal')],
    [{ choices: [{ message: {}, finish_reason: 7 }] }, describeNonString('finish_reason')],
    [withCalls({}), describeNonList('tool_calls')],
    [withCalls(['x']), "The model's reply holds a tool call that is not an object."],
    [
      withCalls([{ function: 'f' }]),
      "The model's reply holds a tool call whose 'function' is not an object.",
    ],
    [withCalls([{ function: { name: 7 } }]), describeNonString('name')],
    [withCalls([{ function: { name: 'f', arguments: {} } }]), describeNonString('arguments')],
    [withCalls([{ id: 7, function: { name: 'f' } }]), describeNonString('id')],
  ])('is not retried, streamed or not: %j', async (value, message) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const expected = {
      name: 'ModelError',
      failure: 'invalid-reply',
      message,
      status: undefined,
      outputBegan: false,
    };
    expect(await askForFailure(() => new Response(text))).toEqual(expected);
    expect(await askForFailure(() => createStreamResponse(toSseText(text)), { stream: true })).toEqual(
      expected,
    );
    expect((await ask(() => new Response(text))).requests).toHaveLength(1);
  });

  it.each<[unknown, string]>([
    [{ choices: [] }, "The model's reply has no choices."],
    [{ choices: [{ message: 'x' }] }, "The model's reply has no message."],
    [createCompletion({ tool_calls: [{ id: 'a' }] }), "The model's reply asks for a tool without naming it."],
    [
      createCompletion({ tool_calls: [{ id: 'a', function: { name: '' } }] }),
      "The model's reply asks for a tool without naming it.",
    ],
  ])('can be a completion: %j', async (value, message) => {
    expect(await askForFailure(() => Response.json(value))).toMatchObject({
      failure: 'invalid-reply',
      message,
    });
  });

  it.each<[unknown, string]>([
    [{ choices: [{ delta: 'x' }] }, "The model's reply holds a delta that is not an object."],
    [
      createChoiceDelta({ tool_calls: [{ index: '0', function: { name: 'f' } }] }),
      "The model's reply holds a tool call whose 'index' is not a number.",
    ],
  ])('can be a chunk: %j', async (value, message) => {
    expect(await askForFailure(() => createStreamResponse(toSseText(value)), { stream: true })).toMatchObject(
      {
        failure: 'invalid-reply',
        message,
      },
    );
  });

  it('can be a web page, even if a stream was requested', async () => {
    const respondWithPage = () =>
      new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(await askForFailure(respondWithPage, { stream: true })).toMatchObject({
      failure: 'invalid-reply',
      message: noJson,
    });
  });

  it('can be a body above the size limit, which is not read to its end', async () => {
    let cancelled = false;
    const filler = `: ${'x'.repeat(1024 * 1024)}\n\n`;
    const chunks = Array.from({ length: 70 }, () => filler);
    const message = `The model's reply is larger than ${MAX_STREAM_BYTES} bytes.`;
    const expected = { failure: 'invalid-reply', message };
    const letGo = () => {
      cancelled = true;
    };
    expect(
      await askForFailure(() => createStreamResponse(chunks, 'hang', letGo), { stream: true }),
    ).toMatchObject(expected);
    expect(cancelled).toBe(true);
    expect(await askForFailure(() => new Response(createBodyStream(chunks)))).toMatchObject(expected);
  });

  it.each(['text/event-stream', 'application/json', ''])(
    'can be a body of type "%s" with too much leading white space, which is not read to its end',
    async (type) => {
      let cancelled = false;
      const letGo = () => {
        cancelled = true;
      };
      const createBlankResponse = (pieces: number, more: string) =>
        new Response(createBodyStream([...Array(pieces).fill(' \n'.repeat(512)), more], 'hang', letGo), {
          headers: { 'content-type': type },
        });
      expect(
        await askForFailure(() => createBlankResponse(17, ''), { timeout: 5000, retries: 0 }),
      ).toMatchObject({
        failure: 'invalid-reply',
        message: "The model's reply begins with more than 16384 characters of white space.",
      });
      expect(cancelled).toBe(true);
    },
  );

  it.each([
    ['text/event-stream', toSseText(createChoiceDelta({ content: 'Hi' }, 'stop'), '[DONE]')],
    ['', toSseText(createChoiceDelta({ content: 'Hi' }, 'stop'), '[DONE]')],
    ['application/json', JSON.stringify(createCompletion({ content: 'Hi' }))],
    ['', JSON.stringify(createCompletion({ content: 'Hi' }))],
    // A gateway can state the requested type.
    ['text/event-stream', JSON.stringify(createCompletion({ content: 'Hi' }))],
  ])('does not include a reply of type "%s" after keep-alive white space', async (type, text) => {
    const answer = () =>
      new Response(createBodyStream([...Array(16).fill(' \r\n\n'.repeat(256)), text]), {
        headers: { 'content-type': type },
      });
    expect(await askForReply(answer)).toMatchObject({ text: 'Hi' });
  });

  it('leads to a reply or a ModelError, regardless of its form', async () => {
    const shape = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, '', 'stop', 0, -1, true, 'text'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'choices',
            'delta',
            'message',
            'content',
            'tool_calls',
            'function',
            'name',
            'arguments',
            'index',
            'error',
            'usage',
            'id',
            'finish_reason',
            'type',
            'code',
            '__proto__',
          ),
          tie('value'),
          { maxKeys: 5 },
        ),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(shape, fc.boolean(), async (value, stream) => {
        const text = JSON.stringify({ choices: [{ delta: value, message: value }], ...(value as object) });
        const outcome = await ask(
          () => (stream ? createStreamResponse(toSseText(text)) : new Response(text)),
          {
            stream,
            retries: 0,
          },
        );
        expect('reply' in outcome || outcome.error.name === 'ModelError').toBe(true);
      }),
      { seed: 20_261_117, numRuns: 300 },
    );
  });
});
