/** Shows the model request of a reply, which loads when it is opened. */
import type { RequestView } from '../../request-view.ts';
import { ask, toConsolePath } from '../data/api.ts';
import { useLoaded } from '../data/resource.ts';
import type { SessionStore } from '../data/session-store.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge, Fold, Loading, Problem } from '../ui/parts.tsx';

interface RequestPartProps {
  readonly store: SessionStore;
  readonly reply: number;
}

export const RequestPart = ({ store, reply }: RequestPartProps) => (
  <Fold title="Request, as this code makes it">{() => <Request store={store} reply={reply} />}</Fold>
);

function Request({ store, reply }: RequestPartProps) {
  const loaded = useLoaded(
    (signal) => ask<RequestView>(toConsolePath(store, 'request', { reply }), { signal }),
    [reply],
  );
  const { value, failure } = loaded.value;
  if (failure) return <Problem failure={failure} missing={CONSOLE_REQUIRED_NOTE} />;
  if (!value) return <Loading what="the request" />;
  return (
    <>
      <DiffersNote differs={value.differs} />
      {value.unknown.map((text) => (
        <p class="muted small" key={text}>
          {text}
        </p>
      ))}
      <JsonView value={value.request} most={6_000} />
    </>
  );
}

/** The text that is shown if the deployment lacks the module's routes. */
export const CONSOLE_REQUIRED_NOTE =
  'This deployment does not use console(), so it cannot show how its code sees the session.';

/** Shows whether this code would send the same instructions and tools as the request in the journal. */
export function DiffersNote({ differs }: { readonly differs: RequestView['differs'] | undefined }) {
  if (!differs) return null;
  const parts = [differs.instructions && 'instructions', differs.tools && 'tools'].filter(Boolean);
  return parts.length === 0 ? (
    <p class="small">
      <Badge tone="good">same</Badge> The journaled hashes match this code.
    </p>
  ) : (
    <p class="small">
      <Badge tone="warn">differs</Badge> The model was sent other {parts.join(' and ')} than this code makes.
    </p>
  );
}
