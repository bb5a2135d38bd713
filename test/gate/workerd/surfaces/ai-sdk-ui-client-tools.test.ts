/** A page's tools with `useChat`, which the turn offers to the model and the page runs. */
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../src/index.ts';
import { clientTools } from '../../../../src/modules/client-tools/entry.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { getLastParts, openChat, VERSIONS } from '../../../fixtures/ui-chat.ts';
import { createTestApp } from '../http/app.ts';
import { waitUntilOver } from './chats.ts';

const base = { description: 'Guides.', instructions: '', model: modelBySession };
const lines: LogEntry[] = [];
const via = createTestApp({
  agents: [
    defineAgent({ ...base, name: 'guide', use: [clientTools()] }),
    defineAgent({ ...base, name: 'closed' }),
  ],
  use: [aiSdkUi()],
  log: (line) => lines.push(line),
});

const parameters = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] };
const paintTool = { name: 'paint_page', description: 'Paints the page.', parameters };
const paintReply = { calls: [{ name: 'paint_page', input: { color: 'red' } }] };

/** A new chat whose message declares these tools. */
function open(agent: string, version: 6 | 7, tools: unknown) {
  const asked = registerScript(paintReply, 'It is red.');
  const called: string[] = [];
  const opened = openChat({
    ...{ agent, via, version, sends: 'results', id: `chat-${crypto.randomUUID()}` },
    onToolCall: ({ toolCall }) => void called.push(toolCall.toolName),
  });
  const say = () => opened.chat.sendMessage({ text: asked.message() }, { body: { tools } });
  return { ...opened, sent: opened.asked, called, model: asked.model, say };
}

describe.each(VERSIONS)('a page with useChat of version %i', (version) => {
  it.each([
    ['a list', [paintTool]],
    [
      'an object by name, like assistant-ui',
      { paint_page: { description: paintTool.description, parameters } },
    ],
  ])('runs its own tools, which it sends as %s', async (_, tools) => {
    const { chat, sent, called, model, say } = open('guide', version, tools);
    await say();
    expect(called).toEqual(['paint_page']);
    const part = getLastParts(chat).at(-1);
    expect(part).toMatchObject({
      type: 'tool-paint_page',
      state: 'input-available',
      input: { color: 'red' },
      providerExecuted: false,
    });
    await chat.addToolOutput({ tool: 'paint_page', toolCallId: part?.toolCallId, output: { painted: true } });
    await waitUntilOver({ chat, asked: sent }, 2);
    expect(getLastParts(chat).at(-1)).toMatchObject({ type: 'text', text: 'It is red.' });
    const offered = { name: 'paint_page', description: 'Paints the page.', inputSchema: parameters };
    expect(model.requests.map((request) => request.tools)).toEqual([[offered], [offered]]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ text: '{"painted":true}' });
  });

  it('is not offered its tools for an agent that does not use clientTools, which is logged', async () => {
    lines.length = 0;
    const { model, say, chat } = open('closed', version, [paintTool]);
    await say();
    expect(model.requests[0]?.tools ?? []).toEqual([]);
    expect(getLastParts(chat).at(-1)).toMatchObject({ text: 'It is red.' });
    expect(lines.find(({ level }) => level === 'warn')).toMatchObject({
      message:
        "1 tools of a client were left out: agent 'closed' does not use clientTools() from 'holdfast/client-tools'",
    });
  });

  it.each([
    ['all', 'tools: must be a list of tools, or an object with tools by name'],
    [[7], 'tools: must be a list of tools, or an object with tools by name'],
    [[{ ...paintTool, name: '' }], 'tools[0].name: must be 1 to 64 of the characters A-Z a-z 0-9 _ -'],
    [{ 'no name': {} }, 'tools[0].name: must be 1 to 64 of the characters A-Z a-z 0-9 _ -'],
  ])('gets the problem of the invalid tools %j', async (tools, problem) => {
    const { chat, say } = open('guide', version, tools);
    await say();
    expect(chat.error?.message).toContain(problem);
  });
});
