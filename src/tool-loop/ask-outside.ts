import type { DecisionWait } from '../journal/events.ts';
import type { CallRecord } from '../journal/state.ts';
import type { Decision, DecisionRequest } from '../tools/decision.ts';
import type { JsonObject } from '../tools/json.ts';
import { parseToolInput } from '../tools/parse-tool-input.ts';
import type { AnyTool, ResultRequest, RunningDecisionRequest } from '../tools/tool.ts';
import { type ToolResult, toolResult } from '../tools/tool-result.ts';
import { type Asked, type CallQuestions, callQuestions, type Meanwhile } from './call-questions.ts';
import type { Loop } from './loop.ts';

/** How a call asks somebody outside the turn, and finds the answers when it begins anew. */
export interface AskOutside extends Pick<CallQuestions, 'hasRun' | 'assertAsked'> {
  decide(request: DecisionRequest): Promise<Decision>;
  /** As `decide`, but stays until the answer is there; several are put one after another. */
  decideWhileRunning(request: RunningDecisionRequest): Promise<Decision>;
  receive(request: ResultRequest): Promise<ToolResult>;
}

/** What this call may ask, in the form that its tool knows. */
export function askOutside(loop: Loop, record: CallRecord, tool: AnyTool): AskOutside {
  const { answerTo, hasRun, assertAsked } = callQuestions(loop, record, tool);

  async function decision(request: DecisionRequest, meanwhile: Meanwhile): Promise<Decision> {
    const answer = await answerTo(toQuestion(request, record, tool), meanwhile);
    if (answer.type === 'decision') return answer;
    throw new Error(`Call ${record.id} was sent a result where a decision was asked for.`);
  }

  return {
    decide: (request) => decision(request, 'suspended'),
    async decideWhileRunning(request) {
      // The type says so; without one, the call would wait for as long as it may run.
      if (request.expires === undefined) throw new Error(endless(record.name));
      return decision(request, 'running');
    },
    async receive({ message, expires }) {
      const answer = await answerTo({ for: 'result', message, ...expiring(expires) }, 'suspended');
      if (answer.type === 'result') return toolResult(answer.result);
      throw new Error(`Call ${record.id} was sent a decision where a result was asked for.`);
    },
    hasRun,
    assertAsked,
  };
}

const ALL: DecisionWait['allows'] = ['approve', 'edit', 'reject', 'exit'];

function toQuestion(request: DecisionRequest, record: CallRecord, tool: AnyTool): Asked {
  const { message, input, allows = ALL, schema = tool.inputSchema, by, expires } = request;
  return {
    for: 'decision',
    message,
    allows,
    schema,
    onExpiry: request.onExpiry ?? 'reject',
    ...(input !== undefined && !isSent(record, input) && { input }),
    ...(by !== undefined && { by }),
    ...expiring(expires),
  };
}

/** What the model sent is in the journal already. */
function isSent({ name, input: sent }: CallRecord, input: JsonObject): boolean {
  const parsed = parseToolInput(name, sent);
  return parsed.ok && JSON.stringify(parsed.input) === JSON.stringify(input);
}

/** JSON has no number for ever, and no time that is over before it began was meant. */
function expiring(expires: number | undefined): { readonly expires?: number } {
  if (expires === undefined) return {};
  if (Number.isFinite(expires) && expires > 0) return { expires };
  throw new Error(`A question cannot expire after ${expires} ms: leave expires out to wait for ever.`);
}

const endless = (tool: string): string =>
  `Tool '${tool}' asks while it runs, and does not say for how long it waits: give expires, in ms.`;
