/** Shows the blackboard: the objects that tools share with each other. */
import { JsonView } from '../ui/json.tsx';
import { Badge, Section } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';

interface BlackboardProps {
  readonly entries: unknown;
  readonly isChanged: boolean;
}

export function Blackboard({ entries, isChanged }: BlackboardProps) {
  const list = Array.isArray(entries) ? entries : [];
  if (list.length === 0) return null;
  return (
    <Section title="Blackboard" aside={isChanged && <Badge tone="accent">changed by this event</Badge>}>
      <ul class={isChanged ? 'panel board changed' : 'panel board'}>
        {list.map((entry: unknown, at) => {
          const { type, name, value } = Object(entry);
          return (
            // Entries are only appended, so an index is a stable key.
            <li key={at}>
              <span class="board-head">
                {type !== undefined && (
                  <Badge tone="accent">
                    <Line text={String(type)} />
                  </Badge>
                )}
                {name !== undefined && <Line text={String(name)} />}
              </span>
              <JsonView value={value} most={800} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
