/**
 * A server of chat completions that returns the replies of an attack. It validates requests like a real server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, readJson } from '../../../../src/examples/demo/loopback.ts';
import { SECRETS } from './secrets.ts';

/** A call that the model requests. Its input can be text that is not JSON. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** A reply of the model: text or calls, and its token counts. A function receives the request. */
export type Reply =
  | string
  | readonly Call[]
  | { readonly calls: readonly Call[]; readonly tokens: number }
  | ((asked: PuppetRequest) => string | readonly Call[]);

/** The request that the model receives. */
export interface PuppetRequest {
  readonly messages: readonly WireMessage[];
  /** The names of the offered tools. */
  readonly tools: readonly string[];
}

interface WireMessage {
  readonly role: string;
  readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
}

interface WireRequest {
  readonly stream?: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Returns a reply that repeats the result of the last call. */
export const sayResult: Reply = ({ messages }) =>
  String(messages.findLast(({ role }) => role === 'tool')?.content);

export interface PuppetModel {
  readonly url: string;
  /** The request bodies that it received. */
  readonly bodies: readonly string[];
  /** The problems for which a real server would have refused requests. */
  readonly complaints: readonly string[];
  /** Sets the replies. Returns the message that selects them. */
  play(...replies: readonly Reply[]): string;
  stop(): void;
}

export async function startPuppetModel(): Promise<PuppetModel> {
  const plays: (readonly Reply[])[] = [];
  const bodies: string[] = [];
  const complaints: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = (await readJson(request)) as WireRequest; // sent by the adapter of the library
    bodies.push(JSON.stringify(asked));
    const complaint = findComplaint(asked, request.headers.authorization);
    if (complaint !== undefined) {
      complaints.push(complaint);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: complaint } }));
    } else if (asked.stream) sendEvents(response, createMessage(asked, plays));
    else sendJson(response, createMessage(asked, plays));
  };
  const { server, url } = await listen((request, response) => {
    handle(request, response).catch((failure: unknown) => response.writeHead(500).end(String(failure)));
  });
  return {
    url: `${url}/v1`,
    bodies,
    complaints,
    play(...replies) {
      plays.push(replies);
      return `Play ${plays.length - 1}.`;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the problems for which OpenAI's server would refuse a request. */
function findComplaint({ messages, tools = [] }: WireRequest, authorization?: string): string | undefined {
  if (authorization !== `Bearer ${SECRETS.MODEL_KEY}`) return 'Incorrect API key provided.';
  const names = tools.map((tool) => tool.function.name);
  const strange = names.find((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name));
  if (strange !== undefined) return `Invalid tool name '${strange.slice(0, 80)}'.`;
  if (new Set(names).size < names.length) return 'Two tools have one name.';
  let open = new Set<string>();
  for (const { role, tool_calls: calls = [], tool_call_id: id = '' } of messages) {
    if (role === 'tool') {
      if (!open.delete(id)) return `A message of a tool answers no call: '${id}'.`;
      continue;
    }
    if (open.size > 0) return 'A call has no answer.';
    open = new Set(calls.map((call) => call.id));
    if (!['system', 'developer', 'user', 'assistant'].includes(role)) return `Unknown role '${role}'.`;
  }
  return open.size > 0 ? 'A call has no answer.' : undefined;
}

/** The message and token count of a chat completion. */
interface PuppetMessage {
  readonly message: object;
  readonly tokens: number;
}

const TOKENS = 120;

/**
 * Returns the next reply of the last script that the conversation names. Files and steered messages are later
 * user messages, so the last message may not name the script.
 */
function createMessage(
  { messages, tools = [] }: WireRequest,
  plays: readonly (readonly Reply[])[],
): PuppetMessage {
  const named = messages.findLastIndex((message) => message.role === 'user' && PLAY.test(getText(message)));
  const at = messages[named];
  const play =
    plays[Number(at === undefined ? -1 : [...getText(at).matchAll(/Play (\d+)\./g)].at(-1)?.[1])] ?? [];
  const place = messages.slice(named).filter(({ role }) => role === 'assistant').length;
  const reply = play[place] ?? 'Done.';
  const said =
    typeof reply === 'function' ? reply({ messages, tools: tools.map((tool) => tool.function.name) }) : reply;
  if (typeof said === 'string') return { message: { role: 'assistant', content: said }, tokens: TOKENS };
  const { calls, tokens } = 'calls' in said ? said : { calls: said, tokens: TOKENS };
  const asked = calls.map(({ name, input }, index) => ({
    index,
    id: `call_${named}_${place}_${index}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  return { message: { role: 'assistant', content: null, tool_calls: asked }, tokens };
}

const PLAY = /Play \d+\./;

const getText = ({ content }: WireMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');

const createUsage = (tokens: number): object => ({
  prompt_tokens: tokens - 20,
  completion_tokens: 20,
  total_tokens: tokens,
});

function sendJson(response: ServerResponse, { message, tokens }: PuppetMessage): void {
  const choice = { index: 0, message, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      object: 'chat.completion',
      model: 'puppet',
      choices: [choice],
      usage: createUsage(tokens),
    }),
  );
}

function sendEvents(response: ServerResponse, { message, tokens }: PuppetMessage): void {
  const write = (choices: unknown[], more: object = {}): void => {
    const chunk = { object: 'chat.completion.chunk', model: 'puppet', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  write([{ index: 0, delta: message, finish_reason: null }]);
  write([{ index: 0, delta: {}, finish_reason: 'tool_calls' in message ? 'tool_calls' : 'stop' }]);
  write([], { usage: createUsage(tokens) });
  response.end('data: [DONE]\n\n');
}
