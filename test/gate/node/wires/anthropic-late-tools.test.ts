import { createAnthropic } from '@ai-sdk/anthropic';
import type { JSONObject } from '@ai-sdk/provider';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { playTurn } from '../../../wires/rehearsal.ts';
import { createFetch, type Script } from '../../../wires/wire.ts';

const script: Script = {
  turns: [
    {
      steps: [{ calls: [{ name: 'unfold', input: {} }] }, { calls: [{ name: 'inner', input: {} }] }],
      answer: 'Unfolded.',
    },
    { steps: [{ calls: [{ name: 'inner', input: {} }] }], answer: 'Used again.' },
  ],
};

const none = jsonSchema<Record<string, never>>({ type: 'object', properties: {} });
const inner = tool({ description: 'Inner.', inputSchema: none, execute: () => 'done' });
const deferredTool = { ...inner, providerOptions: { anthropic: { deferLoading: true } } };
const unfold = tool({ description: 'Unfolds.', inputSchema: none, execute: () => 'open' });
/** An unfolding tool whose result references the inner tool. */
const openingTool = tool({
  description: 'Unfolds.',
  inputSchema: none,
  execute: () => 'open',
  toModelOutput: () => ({
    type: 'content',
    value: [
      { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'inner' } } },
    ],
  }),
});

function createPreservingWire(played: Script = script) {
  const wire = createAnthropicWire({ script: played, preserved: true });
  const model = createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })('claude-opus-5');
  const providerOptions = { anthropic: { thinking: { type: 'adaptive' as const } } };
  return { wire, model, stream: false, providerOptions };
}

/** A system message that adds a tool, by its name or by its definition. */
function createAdditionMessage(change: JSONObject): ModelMessage {
  const toolChanges = [{ type: 'tool_addition', ...change }];
  return { role: 'system', content: '', providerOptions: { anthropic: { toolChanges } } };
}

describe('late tools with preserved thinking', () => {
  it.each([true, false])('can be added by a reference in a tool result (stream: %s)', async (stream) => {
    const { wire, ...rehearsal } = createPreservingWire();
    const tools = { unfold: openingTool, inner: deferredTool };
    const first = await playTurn({ ...rehearsal, stream, tools }, [], 'Begin.');
    await playTurn({ ...rehearsal, stream, tools }, first, 'Again.');
    expect(wire.refused).toEqual([]);
    expect(wire.requests).toHaveLength(5);
  });

  const byValue = { type: 'function', name: 'inner', description: 'Inner.', inputSchema: { type: 'object' } };
  const ways = [
    ['by name', { toolName: 'inner' }, { unfold, inner: deferredTool }],
    ['with the definition', { tool: byValue }, { unfold }],
  ] as const;
  it.each(ways)('can be added by a system message, %s', async (_way, change, tools) => {
    const { wire, model, providerOptions } = createPreservingWire();
    const ask = (messages: ModelMessage[]) =>
      generateText({
        model,
        providerOptions,
        tools,
        messages,
        instructions: 'Be brief.',
        stopWhen: stepCountIs(1),
        maxRetries: 0,
        allowSystemInMessages: true,
      });
    const begun: ModelMessage[] = [{ role: 'user', content: 'Begin.' }];
    const opened = [...begun, ...(await ask(begun)).responseMessages, createAdditionMessage(change)];
    const called = await ask(opened);
    const answered = await ask([...opened, ...called.responseMessages]);
    expect(wire.refused).toEqual([]);
    expect(called.toolCalls).toMatchObject([{ toolName: 'inner' }]);
    expect(answered.text).toBe('Unfolded.');
  });

  it('are refused if they are added to the tool list without deferred loading', async () => {
    const turns = [{ steps: [{ calls: [{ name: 'unfold', input: {} }] }], answer: 'Done.' }, ...script.turns];
    const { wire, ...rehearsal } = createPreservingWire({ turns });
    const first = await playTurn({ ...rehearsal, tools: { unfold } }, [], 'Begin.');
    await expect(playTurn({ ...rehearsal, tools: { unfold, inner } }, first, 'Again.')).rejects.toThrow(
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. ' +
        'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting ' +
        'requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.',
    );
    expect(wire.refused).toHaveLength(1);
  });

  it('cannot be called before they are added', async () => {
    const { wire, ...rehearsal } = createPreservingWire();
    await expect(
      playTurn({ ...rehearsal, tools: { unfold, inner: deferredTool } }, [], 'Begin.'),
    ).rejects.toThrow('wire: the script calls `inner`, which the model cannot call in this request');
    expect(wire.refused).toHaveLength(1);
  });
});
