/** Converts a timeline to the rows of a waterfall, with the depth of each row. */
import type {
  AttemptNode,
  CallNode,
  IterationNode,
  LoopNode,
  TurnTimeline,
  WaitNode,
} from '../../../timeline/timeline.ts';
import { formatCompact, formatDollars } from '../ui/format.ts';

/** A bar of a row. A bar without an end is still running. */
export interface TimelineBar {
  readonly start: number;
  readonly end: number | undefined;
  readonly tone: 'model' | 'tool' | 'wait' | 'lost' | 'error' | 'plain';
}

export interface TimelineRow {
  readonly id: string;
  readonly depth: number;
  readonly kind: 'iteration' | 'model' | 'call' | 'wait' | 'invocation' | 'mark';
  readonly label: string;
  /** A short text behind the label. */
  readonly note?: string | undefined;
  readonly badge?: { readonly text: string; readonly tone: 'plain' | 'good' | 'warn' | 'bad' } | undefined;
  readonly bars: readonly TimelineBar[];
  /** The sequence number of the row's last event, which a click opens. */
  readonly seq?: number | undefined;
  readonly start: number;
  readonly end?: number | undefined;
}

/** Returns the rows of a turn, in the order of their starts within each loop. */
export function toRows(turn: TurnTimeline): readonly TimelineRow[] {
  return [...takeOverRows(turn), ...toLoopRows(turn.loop, 0)];
}

/** Returns one row for each invocation, if more than one ran the turn. */
const takeOverRows = ({ invocations }: TurnTimeline): TimelineRow[] =>
  invocations.length < 2
    ? []
    : invocations.map(({ id, number, cause, start, end, lastSeen, outcome, seqs }) => ({
        ...{ id, depth: 0, kind: 'invocation', start, end },
        label: `Invocation ${number}`,
        note: {
          started: 'starts the turn',
          expired: 'takes over after a death',
          'handed-over': 'resumes the turn',
        }[cause],
        badge: outcome && { text: outcome, tone: outcome === 'died' ? 'bad' : 'plain' },
        bars:
          outcome === 'died'
            ? [
                { start, end: lastSeen, tone: 'plain' },
                { start: lastSeen, end, tone: 'lost' },
              ]
            : [{ start, end, tone: 'plain' }],
        seq: seqs.at(-1),
      }));

function toLoopRows({ iterations, marks }: LoopNode, depth: number): TimelineRow[] {
  const others = marks.flatMap(({ type, at, seq }): TimelineRow[] => {
    const label = Object.hasOwn(MARK_LABELS, type) ? MARK_LABELS[type] : undefined;
    if (label === undefined) return [];
    const bars: readonly TimelineBar[] = [{ start: at, end: at, tone: 'plain' }];
    return [{ id: `mark.${seq}`, depth, kind: 'mark', label, seq, start: at, end: at, bars }];
  });
  // A mark, such as changed tools, precedes the model call at the same time.
  const blocks = [
    ...others.map((row) => ({ at: row.start, rows: [row] })),
    ...iterations.map((one) => ({ at: one.start, rows: toIterationRows(one, depth) })),
  ];
  return blocks.toSorted((one, other) => one.at - other.at).flatMap(({ rows }) => rows);
}

/** The labels of the events that a waterfall shows as marks. The journal shows all events. */
const MARK_LABELS: Readonly<Record<string, string>> = {
  'tools-changed': 'Tools changed',
  'turn-steered': 'Message steered into the turn',
  'conversation-cut': 'Conversation shortened',
  'model-refused': 'Model call refused by a limit',
  'answer-rejected': 'Answer rejected',
  'cancel-requested': 'Cancel requested',
  'late-result-received': 'Late result received',
  'turn-yielded': 'Handed over',
};

function toIterationRows({ model, calls }: IterationNode, depth: number): TimelineRow[] {
  const { usage } = model;
  const tokens = usage && `${formatCompact(usage.inputTokens)} in, ${formatCompact(usage.outputTokens)} out`;
  const cached = usage?.cachedInputTokens;
  const share =
    cached && usage.inputTokens ? `, ${Math.round((100 * cached) / usage.inputTokens)}% cached` : '';
  const cost = usage?.cost === undefined ? '' : `, ${formatDollars(usage.cost)}`;
  return [
    {
      ...{ id: model.id, depth, kind: 'model', start: model.start, end: model.end, seq: model.seqs.at(-1) },
      label: model.planned ? 'Plan' : (model.model ?? 'Model'),
      note: tokens && `${tokens}${share}${cost}`,
      badge: getModelBadge(model),
      bars: toBars(model, 'model'),
    },
    ...calls.flatMap((call) => callRows(call, depth + 1)),
  ];
}

function getModelBadge({ finish, last, tookOverFrom, end }: IterationNode['model']): TimelineRow['badge'] {
  if (end === undefined) return { text: 'running', tone: 'plain' };
  if (tookOverFrom !== undefined) return { text: `took over from ${tookOverFrom}`, tone: 'warn' };
  if (last) return { text: 'last at a limit', tone: 'warn' };
  return finish === undefined ? { text: 'no reply', tone: 'bad' } : undefined;
}

function callRows(call: CallNode, depth: number): TimelineRow[] {
  const { id, name, tool, effect, attempts, waits, loop, start, end, seqs } = call;
  const tries = attempts.length > 1 ? `${attempts.length} attempts` : undefined;
  const meant = tool === name ? undefined : `for ${tool}`;
  return [
    {
      ...{ id, depth, kind: 'call', label: name, start, end, seq: seqs.at(-1) },
      note: [meant, effect, tries].filter((one) => one !== undefined).join(', '),
      badge: getCallBadge(call),
      bars: toBars(call, call.outcome === 'error' ? 'error' : 'tool'),
    },
    ...waits.map((wait) => createWaitRow(wait, depth + 1)),
    ...(loop ? toLoopRows(loop, depth + 1) : []),
  ];
}

function getCallBadge({ outcome, reason, end, waits }: CallNode): TimelineRow['badge'] {
  if (outcome === 'error') return { text: reason ?? 'error', tone: 'bad' };
  if (outcome === 'withheld') return { text: 'withheld', tone: 'warn' };
  if (end !== undefined) return undefined;
  return waits.some((wait) => wait.end === undefined)
    ? { text: 'waiting', tone: 'warn' }
    : { text: 'running', tone: 'plain' };
}

const createWaitRow = (
  { id, for: kind, answer, expired, start, end, seqs }: WaitNode,
  depth: number,
): TimelineRow => ({
  ...{ id, depth, kind: 'wait', start, end, seq: seqs.at(-1) },
  label: kind === 'decision' ? 'Waits for a decision' : 'Waits for a result',
  note: answer && (expired ? `expired: ${answer}` : answer),
  badge: end === undefined ? { text: 'open', tone: 'warn' } : undefined,
  bars: [{ start, end, tone: 'wait' }],
});

/** Returns one bar for each attempt, or one bar for a node without attempts. */
function toBars(
  {
    start,
    end,
    attempts,
  }: { readonly start: number; readonly end?: number; readonly attempts: readonly AttemptNode[] },
  tone: TimelineBar['tone'],
): readonly TimelineBar[] {
  if (attempts.length === 0) return [{ start, end, tone }];
  return attempts.map((one) => ({
    start: one.start,
    end: one.end,
    tone: one.outcome === 'lost' ? 'lost' : tone,
  }));
}
