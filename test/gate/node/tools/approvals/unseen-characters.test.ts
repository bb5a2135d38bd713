/** Questions make invisible characters visible. */

import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, type JsonObject } from '../../../../../src/index.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  humanInput,
  type ReviewRequest,
  requireApproval,
  withReview,
} from '../../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';

const OVERRIDE_CHARACTER = '\u202e';
const FAMILY_EMOJI = '👩\u200d👧';

function createMailing() {
  const sent: unknown[] = [];
  const mail = defineTool({
    name: 'mail',
    description: 'Mails.',
    input: jsonSchema({
      type: 'object',
      properties: { to: { type: 'string' }, file: { type: 'string' }, words: { type: 'string' } },
    }),
    run: (input) => {
      sent.push(input);
      return 'Sent.';
    },
  });
  return { mail, sent };
}

const ask = async (input: JsonObject) => {
  const { mail, sent } = createMailing();
  const tool = requireApproval(mail, ({ file, words }) => `Mail ${file}?\n${words}`);
  const agent = defineAgent({ name: 'clerk', description: 'Mails.', instructions: '', tools: [tool] });
  const session = createTestSession(agent, { replies: [{ calls: [{ name: 'mail', input }] }, 'Done.'] });
  await session.send('Mail it.');
  return { session, sent, events: await session.events(), pending: await session.pending() };
};

describe('a question', () => {
  it.each([
    ['a direction override', OVERRIDE_CHARACTER, '\\u{202e}'],
    ['an isolate', '\u2066', '\\u{2066}'],
    ['a zero-width space', '\u200b', '\\u{200b}'],
    ['a byte order mark', '\ufeff', '\\u{feff}'],
    ['a soft hyphen', '\u00ad', '\\u{ad}'],
    ['a tag', '\u{e0041}', '\\u{e0041}'],
    ['a filler', '\u3164', '\\u{3164}'],
    ['a control character', '\u001b[2K', '\\u{1b}[2K'],
    ['a lone carriage return', 'a\rb', 'a\\u{d}b'],
    ['a line separator', '\u2028', '\\u{2028}'],
    ['half a surrogate pair', '\ud800', '\\u{d800}'],
    ['line breaks, tabs, an emoji and an accent unchanged', 'a\n\tb\r\nc ❤\ufe0f é', 'a\n\tb\r\nc ❤\ufe0f é'],
  ])('shows %s in its message and in the input to run', async (_, character, shown) => {
    const input = {
      to: 'a@b.test',
      file: `x${character}fdp.exe`,
      words: 'Hi.',
      [`k${character}`]: [character],
    };
    const { session, sent, events, pending } = await ask(input);
    expect(pending).toMatchObject([
      {
        message: `Mail x${shown}fdp.exe?\nHi.`,
        input: { to: 'a@b.test', file: `x${shown}fdp.exe`, words: 'Hi.', [`k${shown}`]: [shown] },
      },
    ]);
    const asked = events.find((event) => event.type === 'tool-call-suspended');
    expect(asked).toMatchObject({ wait: { message: `Mail x${shown}fdp.exe?\nHi.` } });
    await session.decide('mail', 'approve');
    expect(sent).toEqual([input]); // The tool receives the model's input unchanged.
  });

  it('keeps the hidden characters of an input if an edit still shows them as escapes', async () => {
    const { session, sent, pending } = await ask({
      to: `a@b.test${OVERRIDE_CHARACTER}`,
      file: 'x.pdf',
      words: FAMILY_EMOJI,
    });
    const [{ input } = { input: {} }] = pending;
    expect(input).toEqual({ to: 'a@b.test\\u{202e}', file: 'x.pdf', words: '👩\\u{200d}👧' });
    const edited = { ...(input as JsonObject), to: 'a@b.test', file: 'y\\u{200b}.pdf' };
    await session.decide('mail', { decision: 'edit', input: edited });
    expect(sent).toEqual([{ to: 'a@b.test', file: 'y\\u{200b}.pdf', words: FAMILY_EMOJI }]);
  });

  it('also shows hidden characters in the schema of its answer, and accepts the selected value', async () => {
    const answered: unknown[] = [];
    const schema = {
      type: 'object',
      properties: {
        file: {
          title: `Invoice${OVERRIDE_CHARACTER}fdp.exe`,
          enum: [`x${OVERRIDE_CHARACTER}`, FAMILY_EMOJI],
        },
      },
      required: ['file'],
    };
    const choose = defineTool({
      name: 'choose',
      description: 'Asks.',
      effect: 'read',
      run: async (_, call) =>
        void answered.push((await call.ask({ for: 'decision', message: 'Which?', schema })).input),
    });
    const agent = defineAgent({
      name: 'clerk',
      description: 'Asks.',
      instructions: '',
      tools: [choose],
      use: [answers],
    });
    const session = createTestSession(agent, { replies: [{ calls: [{ name: 'choose' }] }, 'Done.'] });
    await session.send('Ask.');
    const [asked] = await session.pending();
    expect(asked?.schema).toMatchObject({
      properties: { file: { title: 'Invoice\\u{202e}fdp.exe', enum: ['x\\u{202e}', '👩\\u{200d}👧'] } },
    });
    await session.decide('choose', { decision: 'edit', input: { file: 'x\\u{202e}' } });
    expect(answered).toEqual([{ file: `x${OVERRIDE_CHARACTER}` }]);
  });

  it('shows a deeply nested input as text only, and refuses an edit that is nested as deeply', async () => {
    let deep: JsonObject = { file: OVERRIDE_CHARACTER };
    for (let level = 0; level < 3_000; level += 1) deep = { a: deep };
    const { session, sent, pending } = await ask({ file: OVERRIDE_CHARACTER, deep });
    expect(JSON.stringify(pending)).not.toContain(OVERRIDE_CHARACTER);
    const edit = session.decide('mail', { decision: 'edit', input: { deep } });
    await expect(edit).rejects.toThrow('The answer is not valid: input: is nested too deeply.');
    await session.decide('mail', 'approve');
    expect(sent).toMatchObject([{ file: OVERRIDE_CHARACTER }]);
  });

  it('shows hidden characters in a question that a model asks', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Asks.',
      instructions: '',
      tools: [humanInput()],
    });
    const call = { name: 'human_input', input: { question: `Pay${OVERRIDE_CHARACTER}?` } };
    const session = createTestSession(agent, { replies: [{ calls: [call] }, 'Done.'] });
    await session.send('Ask.');
    expect(await session.pending()).toMatchObject([
      { message: 'Pay\\u{202e}?', input: { question: 'Pay\\u{202e}?' } },
    ]);
  });

  it('shows hidden characters to a synchronous reviewer in its message, but passes the input unchanged', async () => {
    const { mail, sent } = createMailing();
    const asked: Pick<ReviewRequest, 'message' | 'input'>[] = [];
    const tool = withReview(
      mail,
      ({ message, input }) => {
        asked.push({ message, input });
        return { decision: 'approve' };
      },
      { message: ({ file }) => `Mail ${file}?` },
    );
    const agent = defineAgent({ name: 'clerk', description: 'Mails.', instructions: '', tools: [tool] });
    const input = { file: `x${OVERRIDE_CHARACTER}y` };
    const session = createTestSession(agent, { replies: [{ calls: [{ name: 'mail', input }] }, 'Done.'] });
    await session.send('Mail it.');
    expect(asked).toEqual([{ message: 'Mail x\\u{202e}y?', input }]);
    expect(sent).toEqual([input]);
  });
});
