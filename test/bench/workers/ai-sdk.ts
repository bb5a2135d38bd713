/** The peer: the AI SDK's in-memory loop with the same model, tools and requests. */
import { DurableObject } from 'cloudflare:workers';
import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { generateText, isStepCount, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import { takeCounts } from './meters.ts';
import { parsePlan, readTalkRequest, runConcurrently, type TalkRequest, think } from './talk.ts';

const USAGE: LanguageModelV4GenerateResult['usage'] = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'bench',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const asked = prompt.findLastIndex(({ role }) => role === 'user');
    const results = prompt.length - 1 - asked;
    const { calls, ms } = parsePlan(JSON.stringify(prompt[asked]?.content));
    await think(ms);
    const isDone = results / 2 >= calls;
    return {
      content: isDone
        ? [{ type: 'text', text: 'Done.' }]
        : [{ type: 'tool-call', toolCallId: `c${results}`, toolName: 'look', input: '{"id":7}' }],
      finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
      usage: USAGE,
      warnings: [],
    };
  },
  doStream: () => Promise.reject(new Error('This model does not support streaming.')),
};

const createLookTool = () =>
  tool({
    description: 'Looks.',
    inputSchema: z.object({ id: z.number() }),
    execute: ({ id }) => ({ id, found: true }),
  });

/** Returns another tool for the agent, with three fields. */
const createOtherTool = () =>
  tool({
    description: 'Another tool.',
    inputSchema: z.object({ id: z.number(), name: z.string(), all: z.boolean().optional() }),
    execute: () => 'no',
  });

const toolSets = new Map<number, ToolSet>();

function createTools(count: number): ToolSet {
  const others = Array.from(
    { length: count - 1 },
    (_, index) => [`other_${index}`, createOtherTool()] as const,
  );
  const tools = toolSets.get(count) ?? { look: createLookTool(), ...Object.fromEntries(others) };
  toolSets.set(count, tools);
  return tools;
}

/** Handles a request with JSON bodies, like a route of an app. */
async function serve(request: Request, tools: ToolSet): Promise<Response> {
  const { message } = (await request.json()) as { message: string }; // the body that `loop` sends
  const { text, finishReason } = await generateText({
    model,
    system: 'Be quick.',
    prompt: message,
    tools,
    stopWhen: isStepCount(20),
  });
  return Response.json({ outcome: finishReason === 'stop' ? 'completed' : finishReason, text });
}

async function runLoop({ message, tools }: TalkRequest): Promise<void> {
  const request = new Request('http://localhost/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  const response = await serve(request, createTools(tools));
  const { outcome } = (await response.json()) as { outcome: string }; // the body that `serve` returns
  if (outcome !== 'completed')
    throw new Error(`The loop ended with the outcome '${outcome}', not 'completed'.`);
}

export default {
  async fetch(request) {
    const asked = readTalkRequest(request);
    if (asked.path === '/counts') return Response.json(takeCounts());
    if (asked.path === '/define') Array.from({ length: asked.count }, createOtherTool);
    else await runConcurrently(asked.count, asked.atOnce, () => runLoop(asked));
    return new Response('ok');
  },
} satisfies ExportedHandler;

/** All measured Workers share one configuration, which requires this class. */
export class SessionObject extends DurableObject {}
