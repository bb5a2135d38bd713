/** Selects a reply of a turn by arrow keys, a slider or a click. */
import type { StoredEvent } from '../../../../journal/events.ts';
import { getToolCalls } from '../journal/call-index.ts';
import { indexAfter } from '../ui/tabs.tsx';
import { Line } from '../ui/words.tsx';

export interface PickedReply {
  readonly seq: number;
  /** The name of the nested loop. Empty for the turn's own loop. */
  readonly loop: string;
  readonly number: number;
  readonly calls: readonly string[];
  readonly isPlanned: boolean;
}

/** Returns the replies of a turn in the order of the journal. */
export function listReplies(events: readonly StoredEvent[], turn: string): readonly PickedReply[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const replies: PickedReply[] = [];
  for (const event of events) {
    if (!('turn' in event) || event.turn !== turn) continue;
    if (event.type === 'frame-started') names.set(event.frame, event.name);
    if (event.type !== 'model-replied') continue;
    const frame = event.frame ?? '';
    const number = (counts.get(frame) ?? 0) + 1;
    counts.set(frame, number);
    replies.push({
      ...{ seq: event.seq, loop: names.get(frame) ?? '', number, isPlanned: event.planned === true },
      calls: getToolCalls(event).map(({ name }) => name),
    });
  }
  return replies.filter(({ isPlanned }) => !isPlanned);
}

interface ReplyPickerProps {
  readonly replies: readonly PickedReply[];
  readonly chosen: number;
  readonly onPick: (seq: number) => void;
}

export function ReplyPicker({ replies, chosen, onPick }: ReplyPickerProps) {
  const move = (event: KeyboardEvent): void => {
    const at = replies.findIndex(({ seq }) => seq === chosen);
    const to = indexAfter(event.key, at, replies.length);
    const next = to === undefined ? undefined : replies[to];
    if (!next) return;
    event.preventDefault();
    onPick(next.seq);
    document.getElementById(`reply-${next.seq}`)?.focus();
  };
  return (
    <ul class="steps" aria-label="Model calls" onKeyDown={move}>
      {replies.map(({ seq, loop, number, calls }) => (
        <li key={seq}>
          <button
            id={`reply-${seq}`}
            type="button"
            aria-current={seq === chosen ? 'step' : undefined}
            tabIndex={seq === chosen ? 0 : -1}
            class={loop ? 'step nested' : 'step'}
            onClick={() => onPick(seq)}
          >
            <span class="step-number">
              {loop && (
                <>
                  <Line text={loop} most={24} />{' '}
                </>
              )}
              {number}
            </span>
            <span class="step-calls muted">
              <Line text={calls.join(', ') || 'answer'} most={40} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
