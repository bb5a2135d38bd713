/** Summarizes an event in one line. */
import type { StoredEvent } from '../../../../journal/events.ts';
import { formatDuration } from '../ui/format.ts';
import { getReplyText, getToolCalls } from './call-index.ts';

/** Shortens a text before it is joined with others, since only the beginning is shown. */
const shorten = (text: string): string => text.slice(0, 300);

export function summarizeEvent(event: StoredEvent): string {
  switch (event.type) {
    case 'session-opened':
      return event.agent;
    case 'session-forked':
      return `fork of ${event.from} up to event ${event.upTo}`;
    case 'turn-started':
    case 'turn-steered':
      return shorten(event.message);
    case 'turn-resumed':
      return event.cause === 'expired' ? 'the invocation before it died' : 'handed over';
    case 'turn-yielded':
      return event.reason;
    case 'turn-ended':
      return event.error ? `${event.outcome}: ${shorten(event.error.message)}` : event.outcome;
    case 'frame-started':
      return `${event.name}: ${shorten(event.message)}`;
    case 'model-replied':
      return [...getToolCalls(event).map(({ name }) => `→ ${name}`), shorten(getReplyText(event))]
        .filter(Boolean)
        .join('  ');
    case 'tool-call-started':
      return `${event.effect} ${event.call}`;
    case 'tool-call-ended':
      return `${formatResult(event.result)}${event.ms === undefined ? '' : `  (${formatDuration(event.ms)})`}`;
    case 'tool-call-suspended':
      return `waits for a ${event.wait.for}`;
    case 'tool-call-answered':
      return event.answer.type === 'decision' ? event.answer.decision : event.answer.type;
    case 'message-sent':
      return shorten(event.text);
    case 'tools-changed':
      return [
        ...(event.came ?? []).map(({ name }) => `+${name}`),
        ...(event.went ?? []).map(({ name }) => `−${name}`),
      ].join(' ');
    case 'module-event':
      return event.module;
    default:
      return '';
  }
}

type CallResult = Extract<StoredEvent, { readonly type: 'tool-call-ended' }>['result'];

function formatResult(result: CallResult): string {
  if (result.type === 'error') return `error: ${shorten(result.message)}`;
  if ('content' in result && result.content !== undefined) return shorten(result.content);
  return result.type === 'artifact' ? shorten(JSON.stringify(result.value)) : result.type;
}

export function getEventTone(event: StoredEvent): string {
  switch (event.type) {
    case 'model-replied':
    case 'model-refused':
      return 'of-model';
    case 'tool-call-ended':
      return event.result.type === 'error' ? 'of-error' : 'of-tool';
    case 'tool-call-started':
      return 'of-tool';
    case 'tool-call-suspended':
    case 'tool-call-answered':
      return 'of-wait';
    case 'turn-ended':
      return event.outcome === 'failed' ? 'of-error' : 'of-turn';
    case 'turn-resumed':
      return event.cause === 'expired' ? 'of-error' : 'of-turn';
    case 'turn-started':
    case 'turn-steered':
    case 'turn-yielded':
      return 'of-turn';
    default:
      return '';
  }
}
