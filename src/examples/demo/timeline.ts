import { styleText } from 'node:util';
import type { Answer } from '../../journal/events.ts';
import type { ResultData } from '../../tools/tool-result.ts';
import type { TimelineEvent } from './client.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours only on a terminal. */
export const styled = (style: Style, text: string): string =>
  process.stdout.isTTY ? styleText(style, text) : text;

/** What happened in the turn that holds the last event, after `seq`; a line for each event: sequence, milliseconds, what. */
export function timeline(events: readonly TimelineEvent[], seq = 0): string {
  const start = events.findLastIndex(({ type }) => type === 'turn-started');
  const turn = events.slice(start);
  const began = turn[0]?.at ?? 0;
  const names = new Map<string, string>();
  let iteration = 0;
  const lines = turn.flatMap((event) => {
    if (event.type === 'model-replied') {
      if (!event.planned) iteration += 1;
      for (const { id, name } of event.toolCalls) names.set(id, name);
    }
    const [what, style] = lineOf(event, iteration, names);
    const place = `seq ${String(event.seq).padStart(3)}  +${String(event.at - began).padStart(5)} ms`;
    return event.seq > seq ? [`    ${styled('dim', place)}  ${styled(style, what)}`] : [];
  });
  return lines.join('\n');
}

function lineOf(
  event: TimelineEvent,
  iteration: number,
  names: ReadonlyMap<string, string>,
): [string, Style] {
  switch (event.type) {
    case 'turn-started':
      return [`turn ${event.turn}: "${event.message}"`, 'bold'];
    case 'turn-resumed':
      return [
        event.cause === 'expired'
          ? 'SIGKILL; the lease ran out, another invocation goes on'
          : 'another invocation goes on',
        'yellow',
      ];
    case 'model-replied': {
      const calls = event.toolCalls.map(({ name, input }) => `${name} ${short(input)}`).join(', ');
      if (event.planned) return [`    the next step is ${calls || 'none'}`, 'dim'];
      return [`iteration ${iteration}: ${event.model} ${calls ? `asks for ${calls}` : 'answers'}`, 'cyan'];
    }
    case 'tool-call-started':
      return [`  ${names.get(event.call)} (${event.effect}) starts`, 'reset'];
    case 'tool-call-ended': {
      const took = event.ms === undefined ? 'not run here' : `${event.ms} ms`;
      return [
        `  ${names.get(event.call)} ends (${took}): ${short(wordsOf(event.result))}`,
        styleOf(event.result),
      ];
    }
    case 'tool-call-suspended':
      return [`  ${names.get(event.call)} waits: ${event.wait.message}`, 'yellow'];
    case 'tool-call-answered':
      return [`  ${names.get(event.call)} is answered: ${answerOf(event.answer)}`, 'yellow'];
    case 'frame-started':
      return [`  ${names.get(event.frame)} opens a frame: ${event.message}`, 'reset'];
    case 'turn-ended':
      return [`turn ended: ${event.outcome}`, 'bold'];
    default:
      return [event.type, 'reset'];
  }
}

const answerOf = (answer: Answer): string =>
  answer.type === 'result' ? 'with its result' : `${answer.decision}${answer.by ? ` by ${answer.by}` : ''}`;

const styleOf = (result: ResultData): Style => (result.type === 'error' ? 'yellow' : 'green');

const wordsOf = (result: ResultData): string => {
  if (result.type === 'error') return `${result.reason ?? 'error'}: ${result.message}`;
  return result.type === 'text' ? result.content : (result.content ?? JSON.stringify(result.value));
};

/** A text on one line that fits. */
export const short = (text: string, length = 90): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
