import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ElicitRequestSchema,
  type ElicitResult,
  ErrorCode,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  type RequestId,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { shorten } from '../../tool/json.ts';
import { RpcError } from '../rpc-error.ts';
import { type CallInFlight, type CallsInFlight, isInterrupted, MAX_QUESTIONS } from './calls-in-flight.ts';
import type { Wire } from './wire/wire.ts';

/** What a server may reach of this side. */
export interface Reached {
  readonly calls: CallsInFlight;
  readonly elicits: boolean;
  listChanged(): void;
}

const REFUSED: ReadonlyMap<string, string> = new Map([
  [
    'sampling/createMessage',
    'This client does not sample: its models do not work for servers. Ask for what the tool needs as input.',
  ],
  ['roots/list', 'This client has no roots: it shares no files.'],
  ['elicitation/create', 'This client does not let servers ask people.'],
]);

/**
 * Answers a server's requests, and passes on what it says: progress to the call that it is about, logs to every call that
 * runs, questions to the call on whose stream they come, or to the only one that runs. Everything else is refused.
 */
export function serveRequests(sdk: Client, wire: Wire, { calls, elicits, listChanged }: Reached): void {
  sdk.setNotificationHandler(ToolListChangedNotificationSchema, listChanged);
  sdk.setNotificationHandler(ProgressNotificationSchema, ({ params: { progressToken, ...progress } }) =>
    calls.get(progressToken)?.options.progress(progress),
  );
  sdk.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    for (const { options } of calls.all()) options.log(params);
  });
  if (elicits) {
    sdk.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId }) => {
      const call = askedBy(wire, calls, requestId);
      return elicit(call, params);
    });
  }
  sdk.fallbackRequestHandler = async ({ method }) => {
    const text = REFUSED.get(method) ?? `This client does not know the method '${shorten(method, 80)}'.`;
    throw new RpcError(ErrorCode.MethodNotFound, text);
  };
}

function askedBy(wire: Wire, calls: CallsInFlight, id: RequestId): CallInFlight {
  const request = wire.askedDuring(id);
  const call = request ? calls.get(request.params?._meta?.progressToken) : calls.only;
  if (call && !call.mayAsk()) {
    throw new RpcError(
      ErrorCode.InvalidRequest,
      `Nobody is asked more than ${MAX_QUESTIONS} times in one call.`,
    );
  }
  if (call) return call;
  const why = calls.all().length === 0 ? 'no call is running' : 'it does not show which call asks';
  throw new RpcError(ErrorCode.InvalidRequest, `Nobody can be asked: ${why}. Ask on the stream of the call.`);
}

/** What is thrown here is for the server to read, so it says nothing of what happened on this side. */
async function elicit(
  call: CallInFlight,
  params: Parameters<CallInFlight['options']['elicit']>[0],
): Promise<ElicitResult> {
  try {
    return await call.options.elicit(params);
  } catch (error) {
    if (!isInterrupted(error)) throw new RpcError(ErrorCode.InternalError, 'The question could not be put.');
    call.end(error);
    // The call is left, and its request cancelled: there is nothing more to answer.
    return new Promise(() => undefined);
  }
}
