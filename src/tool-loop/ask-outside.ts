import { type Answer, inFrame, type Wait } from '../journal/events.ts';
import type { CallRecord } from '../journal/state.ts';
import { sha256Hex } from '../tools/sha256.ts';
import type { AnyTool, Decision, DecisionRequest, ResultRequest } from '../tools/tool.ts';
import { type ToolResult, toolResult } from '../tools/tool-result.ts';
import { Interrupted } from './interrupted.ts';
import type { Loop } from './loop.ts';

/** How a call asks somebody outside the turn, and finds the answers when it begins anew. */
export interface AskOutside {
  decide(request: DecisionRequest): Promise<Decision>;
  receive(request: ResultRequest): Promise<ToolResult>;
}

type Asked = Omit<Wait, 'binding'>;

/** The questions of one call. They are told apart by their order, which is the same every time the call begins. */
export function askOutside(loop: Loop, record: CallRecord, tool: AnyTool): AskOutside {
  let asked = 0;

  async function answerTo(question: Asked): Promise<Answer> {
    const known = record.waits?.[asked];
    asked += 1;
    const binding = await bindingOf(record, tool);
    const { signal } = loop.invocation;
    if (signal.aborted) throw signal.reason;
    if (known?.answer && known.wait.binding !== binding) throw new Error(changed(record.name));
    if (known?.answer) return known.answer;
    if (!loop.inSession) throw new Error(nobodyToAsk(record.name));
    if (!known) {
      const wait: Wait = { ...loop.secrets.redact(question), binding };
      const { turn, frame } = loop;
      loop.journal.emit({ type: 'tool-call-suspended', turn, ...inFrame(frame), call: record.id, wait });
    }
    throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
  }

  return {
    async decide({ message, allows = ALL, schema = tool.inputSchema, by, expires, onExpiry = 'reject' }) {
      const answer = await answerTo({
        for: 'decision',
        message,
        allows,
        schema,
        onExpiry,
        ...(by !== undefined && { by }),
        ...(expires !== undefined && { expires }),
      });
      if (answer.type === 'decision') return answer;
      throw new Error(`Call ${record.id} was sent a result where a decision was asked for.`);
    },
    async receive({ message, expires }) {
      const answer = await answerTo({
        for: 'result',
        message,
        allows: [],
        schema: {},
        onExpiry: 'reject',
        ...(expires !== undefined && { expires }),
      });
      if (answer.type === 'result') return toolResult(answer.result);
      throw new Error(`Call ${record.id} was sent a decision where a result was asked for.`);
    },
  };
}

const ALL: Wait['allows'] = ['approve', 'edit', 'reject', 'exit'];

/** What an answer is given for: the same call of a tool that has become another one is not the same question. */
export const bindingOf = (
  { name, input }: Pick<CallRecord, 'name' | 'input'>,
  { inputSchema }: Pick<AnyTool, 'inputSchema'>,
): Promise<string> => sha256Hex(JSON.stringify([name, input, inputSchema]));

const nobodyToAsk = (tool: string): string =>
  `Tool '${tool}' asks somebody outside, and only a session can wait for the answer: give the tool to an agent.`;

const changed = (tool: string): string =>
  `Tool '${tool}' has changed since this was asked, so what was decided does not hold for it. Call it again to ask again.`;
