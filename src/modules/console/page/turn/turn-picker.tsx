import type { StoredEvent } from '../../../../journal/events.ts';
import { setQuery } from '../shell/router.ts';
import { Button } from '../ui/parts.tsx';

export interface PickedTurn {
  readonly turn: string;
  readonly number: number;
  readonly words: string;
}

/** Returns the turns that have started, in order. */
export function listTurns(events: readonly StoredEvent[]): readonly PickedTurn[] {
  const started = events.filter((event) => event.type === 'turn-started');
  return started.map(({ turn, message: words }, at) => ({ turn, words, number: at + 1 }));
}

interface TurnPickerProps {
  readonly turns: readonly PickedTurn[];
  readonly chosen: string;
}

/** The maximum number of characters of a message in the list. */
const MAX_CHARACTERS = 70;

export function TurnPicker({ turns, chosen }: TurnPickerProps) {
  const at = turns.findIndex(({ turn }) => turn === chosen);
  const pick = (to: number): void => {
    const turn = turns[to];
    // The last turn is the default, which a later turn replaces.
    if (turn)
      setQuery({ turn: to === turns.length - 1 ? undefined : turn.turn, event: undefined, reply: undefined });
  };
  return (
    <div class="picker">
      <Button kind="quiet" label="Previous turn" isDisabled={at <= 0} onClick={() => pick(at - 1)}>
        ‹
      </Button>
      <select
        class="input"
        aria-label="Turn"
        value={String(at)}
        onChange={(event) => pick(Number(event.currentTarget.value))}
      >
        {turns.map(({ turn, number, words }, index) => (
          <option key={turn} value={String(index)}>
            {`${number}. ${words.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_CHARACTERS)}`}
          </option>
        ))}
      </select>
      <Button
        kind="quiet"
        label="Next turn"
        isDisabled={at === turns.length - 1}
        onClick={() => pick(at + 1)}
      >
        ›
      </Button>
    </div>
  );
}
