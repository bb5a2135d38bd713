import { describe, expect, it } from 'vitest';
import { script } from '../../../fixtures/scripts.ts';
import { clientOf } from './openai-app.ts';

const client = clientOf();

describe('the client of OpenAI', () => {
  it('gets the answer of a turn with several iterations', async () => {
    const { message } = script(
      { toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      { toolCalls: [{ name: 'look_up', input: { id: '7' } }] },
      'It is 3.',
    );
    const response = await client.responses.create({ model: 'scripted', input: message() });
    console.log(JSON.stringify(response, null, 1));
    expect(response.output_text).toBe('It is 3.');
  });
  it('streams', async () => {
    const { message } = script({ toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.');
    const stream = client.responses.stream({ model: 'scripted', input: message() });
    for await (const event of stream) console.log(JSON.stringify(event).slice(0, 200));
    const last = await stream.finalResponse();
    expect(last.output_text).toBe('It is 3.');
  });
});
