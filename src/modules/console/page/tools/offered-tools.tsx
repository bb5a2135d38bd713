/** Shows the offered tools as a table, and the tools that were not offered. */
import type { OfferedView, OfferView } from '../../offer-view.ts';
import { Badge } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';

export function OfferedTools({ offer }: { readonly offer: OfferView }) {
  const { offered, hidden } = offer;
  return (
    <>
      <ul class="panel tool-list">
        {offered.map((tool) => (
          <Tool key={tool.name} tool={tool} />
        ))}
      </ul>
      {hidden.length > 0 && (
        <>
          <h3 class="list-title">Hidden now</h3>
          <ul class="panel tool-list">
            {hidden.map((name) => (
              <li key={name} class="tool is-hidden">
                <code>
                  <Line text={name} />
                </code>
                <span class="muted small">declared, and left out by a module or a strategy</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Tool({ tool }: { readonly tool: OfferedView }) {
  const { name, description, effect, by, inner, isDeclared, lockedBy } = tool;
  return (
    <li class={lockedBy === undefined ? 'tool' : 'tool is-locked'}>
      <span class="tool-head">
        <code>
          <Line text={name} />
        </code>
        <Badge>{effect === 'none' ? 'no effect' : effect}</Badge>
        {by.length > 0 && (
          <Badge tone="accent">
            unfolded by <Line text={by.join(', ')} most={60} />
          </Badge>
        )}
        {!isDeclared && by.length === 0 && <Badge tone="accent">bound</Badge>}
        {lockedBy !== undefined && <Badge tone="warn">locked</Badge>}
      </span>
      <span class="muted small">
        <Line text={description} most={220} />
      </span>
      {lockedBy !== undefined && (
        <span class="small locked-by">
          <Line text={lockedBy} most={300} />
        </span>
      )}
      {inner.length > 0 && (
        <span class="muted small">
          Inside: <Line text={inner.join(', ')} most={300} />
        </span>
      )}
    </li>
  );
}
