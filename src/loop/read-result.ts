import type { Message } from '../journal/state.ts';
import type { HistoryCall } from '../tool/call.ts';
import { withCheckedInput } from '../tool/check-input.ts';
import { decorate } from '../tool/decorate.ts';
import { defineTool } from '../tool/define-tool.ts';
import { createCheckedSchema, findPropertyIssue } from '../tool/input-schema.ts';
import { shorten } from '../tool/json.ts';
import type { CallRun, Tool } from '../tool/tool.ts';
import {
  error,
  getCommonPrefixLength,
  getShortenableText,
  type ToolResult,
  text,
  toModelText,
  truncateText,
} from '../tool/tool-result.ts';
import { RunningCall } from './running-call.ts';
import {
  applyHistorySteps,
  hasHistorySteps,
  RESULT_WRITER,
  type ReadingTool,
  type ShownLoop,
  toHistory,
} from './shown-history.ts';

/**
 * Makes a tool with which a model reads the rest of a shortened result. In loops that list the tool (agents,
 * and agentic tools among their `tools`), the marker of a shortened result shows it and the input to send. It
 * reads the journaled results of calls that the model still sees, after the loop's transformers that do not
 * shorten. Each piece is as long as one result can be. The tool's name is `read_result`. To change it, use
 * `withName`.
 */
export function readResult(): Tool<
  'read_result',
  { readonly result: string; readonly from?: number },
  string
> {
  const tool = defineTool({
    name: 'read_result',
    description:
      'Reads on in a result that was shown to you shortened. Its marker says what to send. Answers the next piece of it.',
    input: INPUT_SCHEMA,
    effect: 'read',
    run: () => '',
  });
  const reading = decorate(tool, {
    call: withCheckedInput(tool, async ({ typed: { result, from = 0 }, call }) =>
      readPiece({ result, from, tool: call.tool }, findEarlierResults(call)),
    ),
  });
  const marked: typeof tool & ReadingTool = { ...reading, [RESULT_WRITER]: createResultWriter };
  return marked;
}

const INPUT_SCHEMA = createCheckedSchema<{ readonly result: string; readonly from?: number }>(
  {
    type: 'object',
    properties: {
      result: { type: 'string', description: 'Which result, as its marker says' },
      from: {
        type: 'integer',
        description: 'The first character to read, as the marker says; 0 unless given',
      },
    },
    required: ['result'],
  },
  (input) =>
    findPropertyIssue(input, 'result', { type: 'string' }) ??
    findPropertyIssue(input, 'from', { type: 'integer', isOptional: true }),
);

/** Writes the marker of a shortened result, with the tool's name and the input to send. */
const createResultWriter: ReadingTool[typeof RESULT_WRITER] = (tool, loop, conversation) => {
  const whole = hasHistorySteps(loop.spec) ? collectWholeResults(loop, conversation) : undefined;
  return (id, result, most) => {
    const words = whole?.get(id);
    // Text that a transformer put in place of removed text is not part of the result.
    const same = words === undefined ? Infinity : getCommonPrefixLength(words, getShortenableText(result));
    const shown = toModelText(result, most, (from) =>
      formatReadCall({ tool, result: id, from: Math.min(from, same) }),
    );
    const isCut = words !== undefined && same < words.length && getShortenableText(result).length <= most;
    return isCut ? `${shown}\n[${formatReadCall({ tool, result: id, from: same })}]` : shown;
  };
};

/** Returns the full text of the results that a model is shown, after the modules that do not shorten. */
function collectWholeResults(loop: ShownLoop, messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = applyHistorySteps(loop, 'all-words', toHistory(messages)).flatMap((message) =>
    message.role === 'assistant' ? message.calls : [],
  );
  return new Map(calls.flatMap(({ id, result }) => (result ? [[id, getShortenableText(result)]] : [])));
}

/** The results that the model was shown when it made a call. */
interface EarlierResults {
  /** Returns the full text of a call's result, or `undefined` if the model is not shown such a result. */
  wordsOf(call: string): string | undefined;
  /** Returns how many characters of this text the model would be shown as the result of the reading call. */
  shownOf(words: string): number;
}

function findEarlierResults(asking: CallRun): EarlierResults {
  const { loop, record } = RunningCall.of(asking);
  const { id, name, input } = record;
  return {
    wordsOf: (call) => collectWholeResults(loop, loop.frame.messages.slice(0, -1)).get(call),
    shownOf(words) {
      const call: HistoryCall = { id, name, input, result: { type: 'text', content: words } };
      const [shown] = applyHistorySteps(loop, 'result', [{ role: 'assistant', text: '', calls: [call] }]);
      const result = shown?.role === 'assistant' ? shown.calls.at(0)?.result : undefined;
      const same = getCommonPrefixLength(words, result ? getShortenableText(result) : '');
      return Math.min(same, loop.spec.policies.resultCharacters);
    },
  };
}

/** The input that a model should send. */
interface ReadInput {
  readonly tool: string;
  /** The id of the call. */
  readonly result: string;
  readonly from: number;
}

const formatReadCall = ({ tool, result, from }: ReadInput): string =>
  `read on with ${tool}(${JSON.stringify({ result, from })})`;

/** The maximum characters of model input that are echoed. */
const MAX_ECHO = 80;
/** The minimum characters of a piece. With fewer, a model would need too many calls. */
const MIN_PIECE_CHARACTERS = 64;

function readPiece({ tool, result, from: sent }: ReadInput, results: EarlierResults): ToolResult {
  const whole = results.wordsOf(result);
  if (whole === undefined) return error(formatUnknownResultMessage(result));
  const last = whole.length - 1;
  if (sent < 0 || sent > last) {
    return error(
      `The result '${result}' has ${whole.length} characters, and none at ${sent}. Send 'from' as a number from 0 to ${last}.`,
    );
  }
  // A piece must not start inside a surrogate pair.
  const from = /[\uDC00-\uDFFF]/.test(whole[sent] ?? '') ? Math.max(0, sent - 1) : sent;
  const rest = whole.slice(from);
  const formatEnding = (to: number): string =>
    `\n... [characters ${from} to ${to} of ${whole.length}` +
    `${to < whole.length ? `; ${formatReadCall({ tool, result, from: to })}` : ': the end'}]`;
  const room = results.shownOf(rest + formatEnding(whole.length));
  if (rest.length + formatEnding(whole.length).length <= room) return text(rest + formatEnding(whole.length));
  // This is the longest possible ending.
  const left = room - formatEnding(last).length;
  if (left < MIN_PIECE_CHARACTERS)
    return error(`No more than ${room} characters of a result are shown here, too few to read on.`);
  const piece = truncateText(rest, left);
  return text(piece + formatEnding(from + piece.length));
}

const formatUnknownResultMessage = (result: string): string =>
  `There is no result '${shorten(result, MAX_ECHO)}' in what you are shown of this conversation. ` +
  "Send 'result' and 'from' as the marker of the shortened result says.";
