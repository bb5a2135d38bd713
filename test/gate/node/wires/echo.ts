/** A client without any package, which sends back every message as it received it. */
import { isRecord, type Wire } from '../../../wires/wire.ts';

export type Json = Readonly<Record<string, unknown>>;

const questions = ['First question.', 'Second question.'];
const names = ['look', 'note'];

/** Plays a script of chat completions. Returns the messages without the last answer. */
export async function echoChatMessages(wire: Wire): Promise<{ readonly messages: Json[] }> {
  const tools = names.map((name) => ({ type: 'function', function: { name } }));
  const messages: Json[] = [];
  for (const content of questions) {
    messages.push({ role: 'user', content });
    for (let goesOn = true; goesOn; ) {
      const { choices } = await post(wire, '/v1/chat/completions', { model: 'echo', tools, messages });
      const message =
        filterRecords(choices)
          .map((choice) => choice.message)
          .find(isRecord) ?? {};
      const calls = filterRecords(message.tool_calls);
      messages.push(message, ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' })));
      goesOn = calls.length > 0;
    }
  }
  messages.pop();
  return { messages };
}

/** Plays a script of the Responses API. Returns the input without the last output. */
export async function echoResponses(wire: Wire, settings: Json): Promise<{ readonly input: Json[] }> {
  const tools = names.map((name) => ({ type: 'function', name }));
  const input: Json[] = [];
  let output: readonly Json[] = [];
  for (const content of questions) {
    input.push({ role: 'user', content });
    for (let goesOn = true; goesOn; ) {
      output = filterRecords(
        (await post(wire, '/v1/responses', { model: 'echo', tools, input, ...settings })).output,
      );
      const calls = output.filter(({ type }) => type === 'function_call');
      input.push(...output);
      input.push(...calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'done' })));
      goesOn = calls.length > 0;
    }
  }
  input.splice(-output.length);
  return { input };
}

/** Sends a single request to a wire, and returns the response. */
export async function postToWire(
  wire: Wire,
  path: string,
  body: Json,
): Promise<{ status: number; body: unknown }> {
  const response = await wire.handle(
    new Request(`https://server.example${path}`, { method: 'POST', body: JSON.stringify(body) }),
  );
  return { status: response.status, body: await response.json() };
}

async function post(wire: Wire, path: string, body: Json): Promise<Json> {
  const { status, body: answer } = await postToWire(wire, path, body);
  if (status !== 200 || !isRecord(answer)) throw new Error(JSON.stringify(answer));
  return answer;
}

function filterRecords(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
