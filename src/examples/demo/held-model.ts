import type { IncomingMessage, ServerResponse } from 'node:http';
import { Gate, type Hold } from './gate.ts';
import { listen, readJson } from './loopback.ts';

export type ScriptedReply =
  | { readonly text: string }
  | { readonly calls: readonly { readonly name: string; readonly input: unknown }[] };

/** The replies to a user's message, in order. */
export type Script = ReadonlyMap<string, readonly ScriptedReply[]>;

/** A server that returns OpenAI chat completions from a script. */
export interface HeldModel {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseURL: string;
  /** Holds back the reply at this place in the script. */
  hold(message: string, place: number): Hold;
  stop(): void;
}

interface WireRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
}

/**
 * Starts a model whose replies depend only on the conversation. The last user message selects the script, and
 * the number of replies since then selects the reply. So a repeated request gets the same reply.
 */
export async function startHeldModel(script: Script): Promise<HeldModel> {
  const gate = new Gate();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = (await readJson(request)) as WireRequest; // our own adapter's body
    const { message, place } = findPlace(asked);
    await gate.pass(`${place} ${message}`);
    const reply = script.get(message)?.[place];
    if (reply === undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `There is no reply ${place} to '${message}'.` } }));
    } else if (asked.stream) sendEvents(response, reply, place);
    else sendJson(response, reply, place);
  };
  const { server, url } = await listen((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return {
    baseURL: `${url}/v1`,
    hold: (message, place) => gate.hold(`${place} ${message}`),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function findPlace({ messages }: WireRequest): { message: string; place: number } {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const place = messages.slice(last).filter(({ role }) => role === 'assistant').length;
  return { message: messages[last]?.content ?? '', place };
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const getFinishReason = (reply: ScriptedReply): string => ('calls' in reply ? 'tool_calls' : 'stop');

function toWire(
  reply: ScriptedReply,
  place: number,
): { role: string; content: string | null; tool_calls?: unknown[] } {
  if ('text' in reply) return { role: 'assistant', content: reply.text };
  const calls = reply.calls.map(({ name, input }, index) => ({
    index,
    id: `call_${place}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

function sendJson(response: ServerResponse, reply: ScriptedReply, place: number): void {
  const choice = { index: 0, message: toWire(reply, place), finish_reason: getFinishReason(reply) };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'chat.completion', model: 'held', choices: [choice], usage }));
}

function sendEvents(response: ServerResponse, reply: ScriptedReply, place: number): void {
  const send = (choices: unknown[], more: object = {}): void => {
    response.write(
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'held', choices, ...more })}\n\n`,
    );
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send([{ index: 0, delta: toWire(reply, place), finish_reason: null }]);
  send([{ index: 0, delta: {}, finish_reason: getFinishReason(reply) }]);
  send([], { usage });
  response.end('data: [DONE]\n\n');
}
