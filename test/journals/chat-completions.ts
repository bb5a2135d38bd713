/** Parses chat completions requests as strictly as real servers do. */
import * as v from 'valibot';

const call = v.strictObject({
  id: v.string(),
  type: v.literal('function'),
  function: v.strictObject({
    name: v.string(),
    arguments: v.pipe(v.string(), v.parseJson(), v.looseObject({})),
  }),
});

const message = v.variant('role', [
  v.strictObject({ role: v.literal('system'), content: v.string() }),
  v.strictObject({ role: v.literal('user'), content: v.string() }),
  v.strictObject({
    role: v.literal('assistant'),
    content: v.nullable(v.string()),
    tool_calls: v.optional(v.pipe(v.array(call), v.minLength(1))),
  }),
  v.strictObject({ role: v.literal('tool'), tool_call_id: v.string(), content: v.string() }),
]);

const request = v.strictObject({
  model: v.literal('scripted'),
  messages: v.array(message),
  stream: v.literal(true),
  stream_options: v.strictObject({ include_usage: v.literal(true) }),
  max_tokens: v.optional(v.number()),
  tools: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          type: v.literal('function'),
          function: v.strictObject({
            name: v.string(),
            description: v.string(),
            parameters: v.looseObject({ type: v.literal('object') }),
          }),
        }),
      ),
      v.minLength(1),
    ),
  ),
  tool_choice: v.optional(v.literal('none')),
  response_format: v.optional(v.looseObject({ type: v.literal('json_schema') })),
});

type Message = v.InferOutput<typeof message>;

/** The data of a request that selects its reply. */
export interface ParsedRequest {
  /** The last user message. */
  readonly said: string;
  /** The number of replies to this message. */
  readonly replies: number;
  /** The number of replies in the conversation. */
  readonly all: number;
}

/** Parses a request. @throws Error if a server would refuse it. */
export function readRequest(body: string): ParsedRequest {
  const { messages } = v.parse(request, JSON.parse(body));
  checkAnswers(messages);
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const said = messages[last];
  if (said?.role !== 'user') throw new Error('The request has no user message.');
  return { said: said.content, replies: countReplies(messages.slice(last)), all: countReplies(messages) };
}

const countReplies = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'assistant').length;

/** Checks that each call has one result before any other message. */
function checkAnswers(messages: readonly Message[]): void {
  let open: readonly string[] = [];
  for (const [index, one] of messages.entries()) {
    if (one.role === 'tool') {
      if (!open.includes(one.tool_call_id))
        throw new Error(`Message ${index} is a result without an open call.`);
      open = open.filter((id) => id !== one.tool_call_id);
      continue;
    }
    if (open.length > 0) throw new Error(`Calls ${open.join(', ')} have no results before message ${index}.`);
    if (one.role === 'assistant') open = one.tool_calls?.map(({ id }) => id) ?? [];
  }
  if (open.length > 0) throw new Error(`Calls ${open.join(', ')} have no results.`);
}

/** A tool call. Its input is sent as JSON, or unchanged if it is a string. */
export type Call = readonly [tool: string, input?: object | string];

/** One reply of a script: a text, calls, or an error of the server. */
export type Line = string | readonly Call[] | { readonly refuses: string };

/** Returns the status and body of a response. `place` is the index of the reply in the conversation. */
export function toResponse(line: Line, place: number): readonly [status: number, body: unknown] {
  if (typeof line === 'object' && 'refuses' in line)
    return [400, { error: { message: line.refuses, type: 'invalid_request_error' } }];
  const message =
    typeof line === 'string'
      ? { role: 'assistant', content: line }
      : {
          role: 'assistant',
          content: null,
          tool_calls: line.map((one, index) => toCall(one, `${place}_${index}`)),
        };
  const finish_reason = typeof line === 'string' ? 'stop' : 'tool_calls';
  return [
    200,
    {
      id: 'chatcmpl-scripted',
      object: 'chat.completion',
      created: 0,
      model: 'scripted',
      choices: [{ index: 0, message, finish_reason }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    },
  ];
}

const toCall = ([name, input = {}]: Call, place: string): unknown => ({
  id: `call_${place}`,
  type: 'function',
  function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
});
