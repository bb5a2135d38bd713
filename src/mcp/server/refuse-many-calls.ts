import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { attempt } from '../../tools/attempt.ts';
import { isJsonObject } from '../../tools/json.ts';

/**
 * Answers 400 to a batch that calls more than one tool or agent, before anything has begun; `undefined` for any other request,
 * whose body stays unread. One request may begin one turn: its invocation has a budget for that, and whoever limits the requests
 * of a client limits its turns by that. The MCP specification has no batches since 2025-06-18; of what else older clients put
 * into one, the SDK takes up to 100 messages.
 */
export async function refuseManyCalls(request: Request): Promise<Response | undefined> {
  const calls = callsIn(await request.clone().text());
  return calls > 1 ? refusal(calls) : undefined;
}

/** More than one can only be in a batch, which is an array of messages; nothing else is parsed here. */
function callsIn(body: string): number {
  if (!/^\s*\[/.test(body)) return 0;
  const parsed = attempt((): unknown => JSON.parse(body));
  if (!parsed.ok || !Array.isArray(parsed.value)) return 0;
  return parsed.value.filter((message) => isJsonObject(message) && message.method === 'tools/call').length;
}

const refusal = (calls: number): Response => {
  const message = `A batch may hold one tools/call, and this one holds ${calls}. Send each in a request of its own.`;
  return Response.json(
    { jsonrpc: '2.0', error: { code: ErrorCode.InvalidRequest, message }, id: null },
    { status: 400 },
  );
};
