import { describe, expect, it } from 'vitest';
import {
  type Body,
  forget,
  getBlock,
  last,
  newTool,
  nextTurn,
  type Sabotage,
  sendSabotaged,
  swap,
} from '../../../wires/anthropic-sabotage.ts';

const beta = 'thinking-binding-controls-2026-08-01';
const dropBlocks = ({ thinking }: Body) =>
  Object.assign(thinking, { block_binding: { prefix_mismatch_behavior: 'drop_block' } });

const acceptedChanges: readonly [string, Sabotage, (body: Body) => void][] = [
  ['its history is unchanged', { of: 'preserved' }, () => undefined],
  [
    'a text of the user follows the results',
    { of: 'preserved' },
    ({ messages }) => messages.at(-1)?.content.push({ type: 'text', text: 'Hurry.' }),
  ],
  ['all thinking of earlier turns is omitted', { of: 'plain', at: last }, (body) => forget(body, 0, 22)],
  [
    'all thinking of earlier turns is omitted when the next turn starts',
    { of: 'preserved', at: nextTurn },
    (body) => forget(body, 0, 99),
  ],
  [
    'its turn has no thinking, which the option allows',
    { of: 'plain', options: { mayOmitThinking: true } },
    (body) => forget(body, 0, 99),
  ],
  [
    'results are reordered without preserved thinking',
    { of: 'plain' },
    ({ messages }) => swap(messages[4]?.content, 0, 1),
  ],
  [
    'marks for the cache are moved',
    { of: 'preserved' },
    (body) => Object.assign(getBlock(body, 2, 0), { cache_control: { type: 'ephemeral' } }),
  ],
  [
    'a tool with deferred loading is added',
    { of: 'preserved' },
    ({ tools }) => tools.push({ ...newTool, defer_loading: true }),
  ],
  [
    'a system message adds a tool with its definition',
    { of: 'preserved' },
    ({ messages }) => {
      const tool = { type: 'tool_definition', definition: newTool };
      messages.push({ role: 'system', content: [{ type: 'tool_addition', tool }] });
    },
  ],
  [
    'its beginning is summarized, and the rest has no thinking',
    { of: 'plain' },
    (body) => {
      forget(body, 0, 99);
      body.messages.splice(1, 2);
    },
  ],
];

describe('the strict Anthropic server accepts a request if', () => {
  it.each(acceptedChanges)('%s', async (_title, sabotage, change) => {
    expect(await sendSabotaged(change, sabotage)).toMatchObject({ status: 200, message: undefined });
  });

  it('its prefix has changed, and drops the later thinking', async () => {
    const changeBody = (body: Body) => {
      dropBlocks(body);
      body.tools.push(newTool);
    };
    const { status, body } = await sendSabotaged(changeBody, { of: 'preserved', at: 2, beta });
    const paths = [
      'messages.1.content.0',
      'messages.3.content.0',
      'messages.3.content.1',
      'messages.3.content.3',
    ];
    expect(status).toBe(200);
    expect(body).toMatchObject({
      input_transformations: paths.map((path) => ({
        type: 'thinking_dropped',
        path,
        reason: 'prefix_binding_mismatch',
      })),
    });
  });

  it('it is repeated, and returns the same response', async () => {
    const [first, second] = [
      await sendSabotaged(() => undefined, { of: 'preserved' }),
      await sendSabotaged(() => undefined, { of: 'preserved' }),
    ];
    expect(second).toEqual(first);
  });
});
