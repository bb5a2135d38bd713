import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { invalidReply, jsonTextOf, listOf } from '../untrusted-reply.ts';

/** Workers AI has calls of OpenAI's shape and flat ones, and in either the input may be parsed already. */
const toCall = (call: unknown): unknown => {
  if (!isRecord(call)) return call;
  const called = call.function ?? { name: call.name, arguments: call.arguments };
  if (!isRecord(called)) return call;
  return { ...call, function: { ...called, arguments: jsonTextOf(called.arguments) } };
};

/** A stream closes a call with a fragment in which everything is `null`. */
const saysSomething = (call: unknown): boolean =>
  !isRecord(call) ||
  !isRecord(call.function) ||
  Boolean(call.id || call.function.name || call.function.arguments);

const withCalls = (message: UntrustedRecord): UntrustedRecord => ({
  ...message,
  tool_calls: listOf(message, 'tool_calls').map(toCall).filter(saysSomething),
});

const toChoice = (choice: unknown): unknown => {
  if (!isRecord(choice)) return choice;
  const { message, delta } = choice;
  return {
    ...choice,
    ...(isRecord(message) ? { message: withCalls(message) } : {}),
    ...(isRecord(delta) ? { delta: withCalls(delta) } : {}),
  };
};

/**
 * A reply of Workers AI, or one chunk of it, in the shape of chat completions: which of two shapes it has depends on the
 * model. `ending` is the finish reason of the shape that names none.
 *
 * @throws ModelError `invalid-reply` for neither.
 */
export const toCompletion = (value: unknown, ending: string | null): unknown => {
  if (typeof value === 'string') {
    return { choices: [{ message: { content: value }, finish_reason: ending }] };
  }
  // An error that is reported in either shape is read from it as it is.
  if (!isRecord(value) || value.error || value.object === 'error') return value;
  if (value.choices !== undefined && value.choices !== null)
    return { ...value, choices: listOf(value, 'choices').map(toChoice) };
  const { response, usage, finish_reason: reason } = value;
  if (response === undefined && value.tool_calls === undefined && !isRecord(usage)) {
    throw invalidReply("The model's reply has neither a response nor choices.");
  }
  // In JSON mode the response is the parsed object; some models also answer a bare number as one.
  const message = withCalls({ content: jsonTextOf(response), tool_calls: value.tool_calls });
  return { choices: [{ message, finish_reason: reason ?? ending }], usage };
};
