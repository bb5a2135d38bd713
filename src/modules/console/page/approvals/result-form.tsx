/** A form for the result of a tool that the caller runs: text, JSON or an error. */
import { useState } from 'preact/hooks';
import type { ClientSession } from '../../../../client/client-session.ts';
import type { Json } from '../../../../tool/json.ts';
import { Button } from '../ui/parts.tsx';

type ResultKind = 'text' | 'json' | 'error';
type ClientResult = Parameters<ClientSession['result']>[1];

interface ResultFormProps {
  readonly isBusy: boolean;
  readonly onSend: (result: ClientResult) => void;
}

const KIND_LABELS: Readonly<Record<ResultKind, string>> = { text: 'Text', json: 'JSON', error: 'Error' };

export function ResultForm({ isBusy, onSend }: ResultFormProps) {
  const [kind, setKind] = useState<ResultKind>('text');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const send = (event: Event): void => {
    event.preventDefault();
    const result = toResult(kind, text);
    if (result) onSend(result);
    else setProblem('This is not JSON. Text needs quotation marks.');
  };
  return (
    <form class="reason" onSubmit={send}>
      <fieldset class="choices">
        <legend class="visually-hidden">Kind of result</legend>
        {Object.entries(KIND_LABELS).map(([one, label]) => (
          <label key={one}>
            <input
              type="radio"
              name="kind"
              checked={one === kind}
              onChange={() => {
                setKind(one as ResultKind); // `one` is a key of the labels
                setProblem('');
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>Result for the model</span>
        <textarea
          class={kind === 'json' ? 'input code' : 'input'}
          rows={3}
          value={text}
          aria-invalid={problem !== ''}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {problem && (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="actions">
        <Button type="submit" kind="primary" isDisabled={isBusy || text === ''}>
          Send the result
        </Button>
      </div>
    </form>
  );
}

/** Returns the result, or `undefined` if the text should be JSON but is invalid. */
function toResult(kind: ResultKind, text: string): ClientResult | undefined {
  if (kind === 'text') return { text };
  if (kind === 'error') return { error: text };
  try {
    return { result: JSON.parse(text) as Json }; // parsed from JSON
  } catch {
    return undefined;
  }
}
