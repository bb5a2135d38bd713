/** Shows a call in a reply: its tool, effect and outcome. A click shows its input and result. */
import type { SessionStore } from '../data/session-store.ts';
import { toSessionHref } from '../shell/router.ts';
import { formatCount, formatDuration } from '../ui/format.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge } from '../ui/parts.tsx';
import { Line, Words } from '../ui/words.tsx';
import type { ShownCall } from './conversation.ts';
import { FilePart } from './file-part.tsx';

interface CallCardProps {
  readonly store: SessionStore;
  readonly call: ShownCall;
}

export function CallCard({ store, call }: CallCardProps) {
  const { name, input, effect, result, ms, starts, nested } = call;
  const progress = store.progress.value.get(call.id);
  return (
    <details class="call">
      <summary>
        <span class="call-name">
          <Line text={name} most={60} />
        </span>
        {effect && <span class="muted small">{effect}</span>}
        <Outcome call={call} />
        <span class="call-brief muted">
          <Line text={progress ?? shortenInput(input)} most={120} />
        </span>
        {ms !== undefined && <span class="call-ms muted small">{formatDuration(ms)}</span>}
      </summary>
      <div class="call-body">
        <h3>Input</h3>
        <JsonView value={input} most={1_500} />
        {starts > 1 && <p class="muted small">Started {starts} times</p>}
        {nested > 0 && (
          <p class="small">
            <a href={toSessionHref(store.agent, store.id, { tab: 'turn' })}>
              {formatCount(nested, 'reply').replace('replys', 'replies')} in its own loop
            </a>
          </p>
        )}
        {result && (
          <>
            <h3>Result</h3>
            <Result store={store} result={result} />
          </>
        )}
      </div>
    </details>
  );
}

const shortenInput = (input: string): string => (/^\s*\{\s*\}\s*$/.test(input) ? '' : input.slice(0, 300));

function Outcome({ call: { result, isWaiting, starts, decision } }: Pick<CallCardProps, 'call'>) {
  if (isWaiting) return <Badge tone="warn">waiting</Badge>;
  if (!result) return <Badge tone="accent">{starts > 0 ? 'running' : 'next'}</Badge>;
  if (result.type === 'error') return <Badge tone="bad">{result.reason ?? 'error'}</Badge>;
  if (result.withheld) return <Badge tone="warn">withheld</Badge>;
  return (
    <Badge tone="good">{decision === 'edit' ? 'done, edited' : decision ? 'done, approved' : 'done'}</Badge>
  );
}

interface ResultProps {
  readonly store: SessionStore;
  readonly result: NonNullable<ShownCall['result']>;
}

function Result({ store, result }: ResultProps) {
  if (result.type === 'error') return <Words text={result.message} most={1_500} />;
  const parts = 'parts' in result ? (result.parts ?? []) : [];
  return (
    <>
      {'content' in result && result.content !== undefined && <Words text={result.content} most={1_500} />}
      {parts.map((part, at) =>
        part.type === 'file' ? (
          <FilePart key={at} store={store} file={part} />
        ) : (
          <Words key={at} text={part.text} most={1_500} />
        ),
      )}
      {result.type === 'artifact' && <JsonView value={result.value} most={1_500} />}
    </>
  );
}
