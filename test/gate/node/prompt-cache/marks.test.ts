import { describe, expect, it } from 'vitest';
import { type BodyForm, parseParts } from '../../../prompt-cache/measure/request-parts.ts';

const CACHE_MARK = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } };

/** Returns bodies with these fields wherever the provider accepts cache marks. */
const MARKED_BODIES: Readonly<Record<Exclude<BodyForm, 'gemini'>, (mark: object, point: object) => object>> =
  {
    anthropic: (mark) => ({
      ...mark,
      tools: [{ name: 'look', input_schema: {}, ...mark }],
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Go.', ...mark }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {}, ...mark }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [{ type: 'text', text: 'x', ...mark }],
              ...mark,
            },
          ],
        },
      ],
    }),
    responses: (_, point) => ({
      ...(Object.keys(point).length > 0 && {
        prompt_cache_key: 'session',
        prompt_cache_options: { mode: 'explicit' },
      }),
      tools: [{ type: 'function', name: 'look' }],
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'Be brief.', ...point }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Go.', ...point }] },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [{ type: 'input_text', text: 'x', ...point }],
        },
      ],
    }),
    chat: (mark) => ({
      tools: [{ type: 'function', function: { name: 'look' }, ...mark }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }], ...mark },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Go.' },
            { type: 'text', text: 'Now.', ...mark },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'x', ...mark },
      ],
    }),
  };

describe('cache marks', () => {
  it.each(['anthropic', 'responses', 'chat'] as const)(
    'are not part of the compared text in the format %s',
    (form) => {
      const [marked, plain] = [MARKED_BODIES[form](CACHE_MARK, BREAKPOINT), MARKED_BODIES[form]({}, {})];
      expect(JSON.stringify(marked)).not.toBe(JSON.stringify(plain));
      expect(parseParts(form, marked)).toEqual(parseParts(form, plain));
      expect(JSON.stringify(parseParts(form, marked))).not.toMatch(/cache_/);
    },
  );

  it('are ignored if their only effect was to turn a text into a list in chat completions', () => {
    const content = [{ type: 'text', text: 'Go.', ...CACHE_MARK }];
    const [marked, plain] = [content, 'Go.'].map((one) =>
      parseParts('chat', { messages: [{ role: 'user', content: one }] }),
    );
    expect(marked).toEqual(plain);
  });

  it('are not assumed if a text became a list without a mark in chat completions', () => {
    const [list, plain] = [[{ type: 'text', text: 'Go.' }], 'Go.'].map((content) =>
      parseParts('chat', { messages: [{ role: 'user', content }] }),
    );
    expect(list).not.toEqual(plain);
  });

  it('are treated as ordinary content in model output and in schemas', () => {
    const input = { cache_control: 'no-store' };
    const createBody = (value: object) => ({
      tools: [{ name: 'fetch', input_schema: { properties: value } }],
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'fetch', input: value }] },
      ],
    });
    const [one, other] = [input, {}].map((value) => parseParts('anthropic', createBody(value)));
    expect(one?.tools).not.toEqual(other?.tools);
    expect(one?.messages).not.toEqual(other?.messages);
    const [inExample, without] = [[input], [{}]].map((input_examples) =>
      parseParts('anthropic', { tools: [{ name: 'fetch', input_examples }], messages: [] }),
    );
    expect(inExample).not.toEqual(without);
  });
});

describe('the parts of a request', () => {
  it('are the same for a system text and for a list with the same text in the Anthropic format', () => {
    const [one, other] = ['Be brief.', [{ type: 'text', text: 'Be brief.' }]].map((system) =>
      parseParts('anthropic', { system, messages: [] }),
    );
    expect(one).toEqual(other);
  });

  it('include a message that announces tools to a model', () => {
    const getMessageKeys = (form: BodyForm, body: object) =>
      parseParts(form, body).messages.map(({ key }) => key);
    const change = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'look' } };
    expect(getMessageKeys('anthropic', { messages: [{ role: 'system', content: [change] }] })).toEqual([
      'tools told',
    ]);
    expect(
      getMessageKeys('responses', {
        input: [
          { role: 'user', content: 'a' },
          { type: 'additional_tools', tools: [] },
        ],
      }),
    ).toEqual(['user', 'tools told']);
  });

  it('cannot be read if a body has no messages', () => {
    expect(() => parseParts('gemini', { messages: [] })).toThrow('The request has no list of messages.');
  });
});
