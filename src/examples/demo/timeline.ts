import { styleText } from 'node:util';
import type { JournaledAnswer } from '../../journal/wait.ts';
import { getModelText, type ResultData } from '../../tool/tool-result.ts';
import type { TimelineEvent } from './client.ts';

type Style = Parameters<typeof styleText>[0];

/** Colors text on a terminal, or if FORCE_COLOR is set. */
export const applyStyle = (style: Style, text: string): string =>
  process.stdout.isTTY || process.env.FORCE_COLOR ? styleText(style, text) : text;

/** The maximum number of characters of a message, since webhook messages can be long. */
const MAX_MESSAGE = 130;

interface TimelineState {
  /** The names of calls, by their ids. Calls inside a nested loop are indented. */
  readonly names: Map<string, string>;
  /** Calls whose tool has started to run, in this process or an earlier one. */
  readonly started: Set<string>;
  iteration: number;
}

/**
 * Formats the events after `seq` in the last turn. Each line has a sequence number, milliseconds and a
 * description.
 */
export function formatTimeline(events: readonly TimelineEvent[], seq = 0): string {
  const start = events.findLastIndex(({ type }) => type === 'turn-started');
  const turn = events.slice(start);
  const began = turn[0]?.at ?? 0;
  const telling: TimelineState = { names: new Map(), started: new Set(), iteration: 0 };
  const lines = turn.flatMap((event, at) => {
    take(event, telling);
    if (event.seq <= seq || isRead(event, turn[at + 1])) return [];
    const [what, style] = formatEvent(event, telling);
    const place = `seq ${String(event.seq).padStart(3)}  +${String(event.at - began).padStart(5)} ms`;
    return [`    ${applyStyle('dim', place)}  ${applyStyle(style, what)}`];
  });
  return lines.join('\n');
}

function take(event: TimelineEvent, telling: TimelineState): void {
  if (event.type === 'tool-call-started') telling.started.add(event.call);
  if (event.type !== 'model-replied') return;
  if (!event.planned && event.frame === undefined) telling.iteration += 1;
  const indent = event.frame === undefined ? '' : '  ';
  for (const { id, name } of event.toolCalls) telling.names.set(id, indent + name);
}

/**
 * Returns whether an event is the start of a `read` call that ends in the next event. A line for it would add
 * no information.
 */
const isRead = (event: TimelineEvent, next: TimelineEvent | undefined): boolean =>
  event.type === 'tool-call-started' &&
  event.effect === 'read' &&
  next?.type === 'tool-call-ended' &&
  next.call === event.call;

function formatEvent(event: TimelineEvent, { names, started, iteration }: TimelineState): [string, Style] {
  switch (event.type) {
    case 'turn-started':
      return [`turn ${event.turn}: "${shorten(event.message, MAX_MESSAGE)}"`, 'bold'];
    case 'turn-resumed':
      return [
        event.cause === 'expired'
          ? 'the lease has expired, another invocation resumes the turn'
          : 'another invocation resumes the turn',
        'yellow',
      ];
    case 'model-replied': {
      const calls = event.toolCalls.map(({ name, input }) => `${name} ${shorten(input)}`).join(', ');
      if (event.planned) return [`    the next step is ${calls || 'none'}`, 'dim'];
      const where =
        event.frame === undefined ? `iteration ${iteration}` : `    in ${names.get(event.frame)?.trim()}`;
      return [`${where}: ${event.model} ${calls ? `asks for ${calls}` : 'answers'}`, 'cyan'];
    }
    case 'tool-call-started':
      return [`  ${names.get(event.call)} (${event.effect}) starts`, 'reset'];
    case 'tool-call-ended': {
      const took = event.ms === undefined ? ' (not run here)' : ` (${event.ms} ms)`;
      return [
        `  ${names.get(event.call)} ends${started.has(event.call) ? took : ''}: ${shorten(formatResult(event.result))}`,
        getStyle(event.result),
      ];
    }
    case 'tool-call-suspended':
      return [`  ${names.get(event.call)} waits: ${event.wait.message}`, 'yellow'];
    case 'tool-call-answered':
      return [`  ${names.get(event.call)} is answered: ${formatAnswer(event.answer)}`, 'yellow'];
    case 'frame-started':
      return [`  ${names.get(event.frame)} opens a frame: ${event.message}`, 'reset'];
    case 'turn-ended':
      return [`turn ended: ${event.outcome}`, 'bold'];
    default:
      return [event.type, 'reset'];
  }
}

const formatAnswer = (answer: JournaledAnswer): string =>
  answer.type === 'result' ? 'with its result' : `${answer.decision}${answer.by ? ` by ${answer.by}` : ''}`;

const getStyle = (result: ResultData): Style => (result.type === 'error' ? 'yellow' : 'green');

const formatResult = (result: ResultData): string => {
  if (result.type === 'error') return `${result.reason ?? 'error'}: ${result.message}`;
  return getModelText(result);
};

/** Shortens a text to one line. */
export const shorten = (text: string, length = 90): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
