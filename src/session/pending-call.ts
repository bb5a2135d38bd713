import type { DecisionWait } from '../journal/events.ts';
import type { DecisionKind } from '../tools/decision.ts';
import type { Json } from '../tools/json.ts';
import { parseToolInput } from '../tools/parse-tool-input.ts';
import type { JsonSchema } from '../tools/tool.ts';
import type { Question } from './questions.ts';

/** A call that waits for somebody outside, as whoever answers it is shown it. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  /** What the model sent: parsed, or its text where that is no JSON object. */
  readonly input: Json;
  /** `result`: whoever reads this runs the tool, and sends what came of it. */
  readonly for: 'decision' | 'result';
  readonly message: string;
  /** Of a decision: what may be decided. */
  readonly allows?: readonly DecisionKind[];
  /** What the input of an `edit` must match. */
  readonly schema?: JsonSchema;
  /** The role that may answer. */
  readonly by?: string;
  /** Milliseconds since the epoch after which no answer is taken. */
  readonly expiresAt?: number;
}

/** Shows an open question. */
export function toPendingCall({ call, wait, expiresAt }: Question): PendingCall {
  const parsed = parseToolInput(call.name, call.input);
  return {
    call: call.id,
    tool: call.name,
    input: (wait.for === 'decision' && wait.input) || (parsed.ok ? parsed.input : call.input),
    for: wait.for,
    message: wait.message,
    ...(wait.for === 'decision' && decisionOf(wait)),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const decisionOf = ({ allows, schema, by }: DecisionWait): Pick<PendingCall, 'allows' | 'schema' | 'by'> => ({
  allows,
  ...(allows.includes('edit') && { schema }),
  ...(by !== undefined && { by }),
});
