/** A turn whose client is asked what it waits for, and comes back with the answers. */
import type { CallToolResult, InputRequests, InputRequiredResult } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { TurnOutcome } from '../../session/watching/turn-outcome.ts';
import { sha256Hex } from '../../tool/async.ts';
import type { Target } from '../../worker/target.ts';
import { invalidParams } from '../content/rpc.ts';
import type { AgentInput } from './agent-tool.ts';
import { type AskingClient, asksPeople } from './asking-client.ts';
import { type Continued, inputRequestsOf, NOTHING_BEFORE } from './input-required.ts';
import { fromRequestState, invalidState, toRequestState } from './request-state.ts';
import { type AnsweredCall, toAgentResult } from './to-agent-result.ts';
import { textBlock } from './to-call-result.ts';

/** A call of a published agent, with its own input. */
export interface AskedCall extends AnsweredCall {
  readonly sent: AgentInput;
}

const State = v.strictObject({
  session: v.pipe(v.string(), v.maxLength(128)),
  turn: v.pipe(v.string(), v.maxLength(128)),
  asked: v.pipe(v.array(v.pipe(v.string(), v.maxLength(256))), v.maxLength(1_000)),
  call: v.string(),
});

/** A turn that an earlier request of the same call has begun. */
export interface ContinuedTurn extends Pick<v.InferOutput<typeof State>, 'session' | 'turn' | 'asked'> {
  readonly isNew: boolean;
  readonly sent: AgentInput;
}

/** Tells the first request of a call from those that go on with it. */
export const isFirst = ({ state, answers }: AskingClient): boolean =>
  state === undefined && Object.keys(answers).length === 0;

/**
 * Reads which turn a client goes on with. Who may answer what in that turn is not looked at: the state may be anybody's.
 *
 * @throws RpcError when the state is none, or was given out for another call: the client would get an answer to something else.
 */
export async function continuedTurn(
  { state }: AskingClient,
  name: string,
  sent: AgentInput,
): Promise<ContinuedTurn> {
  if (state === undefined) {
    throw invalidParams('`inputResponses` are answers to what `requestState` names, and there is none.');
  }
  const read = typeof state === 'string' ? v.safeParse(State, fromRequestState(state)) : undefined;
  if (!read?.success || read.output.call !== (await callOf(name, sent))) throw invalidState();
  const { session, turn, asked } = read.output;
  return { session, turn, asked, isNew: sent.session === undefined, sent };
}

/** Tells one call from another: a client that comes back sends the same one. */
const callOf = (name: string, { message, session }: AgentInput): Promise<string> =>
  sha256Hex(JSON.stringify([name, message, session ?? null]));

/** How a client is to be answered. */
interface Answering extends AskingClient {
  readonly before?: Continued;
}

/** Answers what a turn came to; or, where it waits for somebody whom the client can ask, what is to be asked. */
export async function toAgentAnswer(
  call: AskedCall,
  outcome: TurnOutcome,
  { capabilities, before = NOTHING_BEFORE }: Answering,
): Promise<CallToolResult | InputRequiredResult> {
  const { target } = call;
  if (asksPeople(capabilities) && outcome.status === 'suspended') {
    const inputRequests = inputRequestsOf(target.caller, outcome.events, before);
    if (Object.keys(inputRequests).length > 0) {
      const { turn } = outcome.answer;
      return {
        resultType: 'input_required',
        inputRequests,
        requestState: await stateOf(call, turn, inputRequests),
      };
    }
  }
  const result = toAgentResult(call, outcome);
  return { ...result, content: [...result.content, ...before.told.map(textBlock)] };
}

const stateOf = async (
  { name, sent, target }: AskedCall,
  turn: string,
  requests: InputRequests,
): Promise<string> => {
  const { session }: Target = target;
  return toRequestState({ session, turn, asked: Object.keys(requests), call: await callOf(name, sent) });
};
