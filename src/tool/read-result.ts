import { memoized } from './async.ts';
import { checkedFirst } from './check-input.ts';
import { decorate, unwrapAs } from './decorate.ts';
import { defineTool } from './define-tool.ts';
import { checkedSchema, propertyIssue } from './input-schema.ts';
import { shorten } from './json.ts';
import type { AnyTool, EarlierResults, Tool } from './tool.ts';
import { beginning, error, type ToolResult, text } from './tool-result.ts';

/**
 * Reads on in a result of which the model is shown the beginning only. The marker of a shortened result names this tool, and
 * what to send, in the loops that list it: agents, and agentic tools among their `tools`. It reads what the journal keeps, as
 * the loop's transformers show it that do not shorten, of the calls that the model is still shown; each piece is as long as
 * one result may be. The name is `read_result`; `withName` gives it another one.
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
    input: INPUT,
    effect: 'read',
    run: () => '',
  });
  const reading = decorate(tool, {
    call: checkedFirst(tool, async ({ typed: { result, from = 0 }, call }) =>
      pieceOf({ result, from, tool: call.tool }, call.results),
    ),
  });
  const marked: typeof tool & ReadingTool = { ...reading, [READS_ON]: true };
  return marked;
}

const INPUT = checkedSchema<{ readonly result: string; readonly from?: number }>(
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
    propertyIssue(input, 'result', { type: 'string' }) ??
    propertyIssue(input, 'from', { type: 'integer', isOptional: true }),
);

/** Under which a tool says that it reads on. */
const READS_ON: unique symbol = Symbol('holdfast.reads-on');

/** A tool that `readResult` made. */
interface ReadingTool extends AnyTool {
  readonly [READS_ON]: true;
}

const isReading = (tool: AnyTool): tool is ReadingTool => READS_ON in tool;

/** Says how a model reads on in the result of a call, from a character of it on. */
export type HowToReadOn = (result: string, from: number) => string;

/** Answers how a model reads on that has these tools; nothing when none of them does. */
export const howToReadOn = (tools: readonly AnyTool[]): HowToReadOn | undefined => readingIn(tools).how;

/** Lists of tools are never mutated, and outlive their requests. */
const readingIn = memoized((tools: readonly AnyTool[]): { readonly how?: HowToReadOn } => {
  const reading = tools.find((tool) => unwrapAs(tool, isReading));
  return reading ? { how: (result, from) => invitation({ tool: reading.name, result, from }) } : {};
});

/** What a model is to send. */
interface Reading {
  readonly tool: string;
  /** The id of the call. */
  readonly result: string;
  readonly from: number;
}

const invitation = ({ tool, result, from }: Reading): string =>
  `read on with ${tool}(${JSON.stringify({ result, from })})`;

/** Characters that are echoed of what a model sent. */
const MAX_ECHO = 80;
/** The fewest characters of a piece: with less, a model would read on for ever. */
const FEWEST = 64;

function pieceOf({ tool, result, from: sent }: Reading, results: EarlierResults): ToolResult {
  const whole = results.wordsOf(result);
  if (whole === undefined) return error(unknownResult(result));
  const last = whole.length - 1;
  if (sent < 0 || sent > last) {
    return error(
      `The result '${result}' has ${whole.length} characters, and none at ${sent}: send 'from' as a number from 0 to ${last}.`,
    );
  }
  // No half of a character stands at the beginning.
  const from = /[\uDC00-\uDFFF]/.test(whole[sent] ?? '') ? Math.max(0, sent - 1) : sent;
  const rest = whole.slice(from);
  const ending = (to: number): string =>
    `\n... [characters ${from} to ${to} of ${whole.length}` +
    `${to < whole.length ? `; ${invitation({ tool, result, from: to })}` : ': the end'}]`;
  const room = results.shownOf(rest + ending(whole.length));
  if (rest.length + ending(whole.length).length <= room) return text(rest + ending(whole.length));
  // No ending is longer than this one.
  const left = room - ending(last).length;
  if (left < FEWEST)
    return error(`No more than ${room} characters of a result are shown here, too few to read on.`);
  const piece = beginning(rest, left);
  return text(piece + ending(from + piece.length));
}

const unknownResult = (result: string): string =>
  `There is no result '${shorten(result, MAX_ECHO)}' in what you are shown of this conversation. ` +
  "Send 'result' and 'from' as the marker of the shortened result says.";
