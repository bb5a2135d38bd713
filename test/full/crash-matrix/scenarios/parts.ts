import * as v from 'valibot';
import { providerTool } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

type Call = string | readonly [name: string, input: string];

/** The data that a provider attaches to a part. Its bytes and their order must be preserved. */
const createSignature = (of: string) => ({
  maker: { signature: `${of}:`.repeat(12), 'b\u2028': [null, 1.5], a: 'é' },
});

/** A reply with a thought, a text and parallel calls. All parts are signed with `word`. */
const createThinkingReply = (word: string, text: string, ...calls: readonly Call[]): ScriptedReply => ({
  parts: [
    { type: 'reasoning', text: `I think ${word}.`, provider: createSignature(word) },
    ...(text === '' ? [] : [{ type: 'text', text, provider: createSignature(`${word} said`) } as const]),
    ...calls.map((call, index): ReplyPart => {
      const [name, input] = typeof call === 'string' ? [call, '{ }'] : call;
      const id = `${word}-${index}`;
      return { type: 'tool-call', id, name, input, provider: createSignature(id) };
    }),
    { type: 'reasoning', text: '', provider: { maker: { redacted: `${word}==` } } },
  ],
  provider: { maker: { reply: word } },
});

/** Signed thoughts around parallel calls, at the top level and in a nested loop, over two turns. */
const reasoning: Scenario = {
  kind: 'reasoning',
  tells: 'I think inside.',
  agent: (kit) => {
    const look = kit.tool({ name: 'look', care: 'read' });
    const pay = kit.tool({ name: 'pay', care: 'reconciled' });
    const task = v.object({ task: v.string() });
    const work = defineAgenticTool({
      name: 'work',
      description: 'Works.',
      input: task,
      tools: [look, kit.tool({ name: 'note', care: 'idempotent' })],
    });
    return defineSurvivor([look, pay, work]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        createThinkingReply('first', 'One moment.', 'look', 'pay', ['work', '{"task": "inside"}']),
        createThinkingReply('second', '', 'look', 'look'),
        createThinkingReply('third', 'Gone.'),
      ],
    },
    {
      to: 'inside',
      replies: [
        createThinkingReply('inside', '', 'look', 'note'),
        createThinkingReply('deeper', 'So.', 'note'),
        createThinkingReply('out', 'Inside it is.'),
      ],
    },
    {
      to: 'Again.',
      replies: [createThinkingReply('fourth', '', 'pay'), createThinkingReply('fifth', 'Gone again.')],
    },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** A reply with the provider's own tool calls and their sources, before calls of our tools. */
const searchReply = (word: string, ...calls: readonly string[]): ScriptedReply => ({
  parts: [
    { type: 'reasoning', text: `I search ${word}.`, provider: createSignature(word) },
    {
      type: 'tool-call',
      id: `srv-${word}`,
      name: 'web_search',
      input: `{"query":"${word}"}`,
      ranBy: 'provider',
    },
    {
      type: 'tool-result',
      id: `srv-${word}`,
      name: 'web_search',
      result: [{ url: 'https://kelp.test', encrypted: `${word}==` }],
      provider: createSignature(`found ${word}`),
    },
    { type: 'text', text: `Found ${word}.`, provider: { maker: { cites: [0] } } },
    { type: 'source', id: `src-${word}`, url: 'https://kelp.test', title: 'Kelp' },
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', provider: createSignature('file') },
    { type: 'custom', kind: 'maker.memory', provider: createSignature('memory') },
    ...calls.map((name, index): ReplyPart => {
      const id = `${word}-${index}`;
      return { type: 'tool-call', id, name, input: '{}', provider: createSignature(id) };
    }),
  ],
});

const providerTools: Scenario = {
  kind: 'provider-tools',
  tells: 'srv-kelp',
  agent: (kit) =>
    defineSurvivor([
      providerTool({ type: 'provider', id: 'maker.web_search_20260101', args: { maxUses: 2 } }),
      kit.tool({ name: 'look', care: 'read' }),
      kit.tool({ name: 'mail', care: 'once' }),
    ]),
  script: [
    {
      to: 'Go.',
      replies: [searchReply('kelp', 'look', 'mail'), searchReply('crates', 'look'), searchReply('nothing')],
    },
    { to: 'Again.', replies: [searchReply('more', 'mail'), 'Gone.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** Replies with several parts, which the next request repeats unchanged. */
export const parts: readonly Scenario[] = [reasoning, providerTools];
