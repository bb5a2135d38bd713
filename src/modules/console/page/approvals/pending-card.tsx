/** Shows a call that waits for a person: its input, who may answer, and the possible answers. */
import { useState } from 'preact/hooks';
import type { ClientSession } from '../../../../client/client-session.ts';
import type { Json, JsonObject } from '../../../../tool/json.ts';
import type { PendingView } from '../../../../worker/turn-view.ts';
import { type ActionState, useAction } from '../data/action.ts';
import { formatAgo, formatDateTime, formatDuration } from '../ui/format.ts';
import { JsonView } from '../ui/json.tsx';
import { Badge, Button, Problem } from '../ui/parts.tsx';
import { Line, Words } from '../ui/words.tsx';
import { ResultForm } from './result-form.tsx';
import { checkValue, SchemaForm } from './schema-form.tsx';

interface PendingCardProps {
  readonly session: ClientSession;
  readonly pending: PendingView;
  /** Called after an answer was accepted. */
  readonly onAnswered: () => void;
}

export function PendingCard({ session, pending, onAnswered }: PendingCardProps) {
  const action = useAction();
  const { value: failure } = action.failure;
  const sendAnswer: AnswerSender = (given) =>
    void action
      .run(() => session.answer([{ call: pending, ...given }], { background: true }))
      .then((isTaken) => isTaken && onAnswered());
  return (
    <article class="pending" aria-label={`Waiting: ${pending.tool}`}>
      <header class="pending-head">
        <Badge tone="warn">{pending.for === 'decision' ? 'Needs a decision' : 'Needs a result'}</Badge>
        <code>
          <Line text={pending.tool} />
        </code>
        <Terms pending={pending} />
      </header>
      <div class="pending-question">
        <Words text={pending.message} most={1_000} />
      </div>
      {pending.for === 'decision' ? (
        <Decision pending={pending} action={action} onSend={sendAnswer} />
      ) : (
        <>
          <Input pending={pending} />
          <ResultForm isBusy={action.isBusy.value} onSend={sendAnswer} />
        </>
      )}
      {failure && <Problem failure={failure} />}
    </article>
  );
}

type AnswerSender = (
  answer: Parameters<ClientSession['result']>[1] | (Parameters<ClientSession['decide']>[1] & object),
) => void;

/** Shows who may answer, and until when. */
function Terms({ pending: { by, notBy, expiresAt } }: Pick<PendingCardProps, 'pending'>) {
  const left = expiresAt === undefined ? undefined : expiresAt - Date.now();
  return (
    <span class="pending-terms">
      {by !== undefined && (
        <span>
          Only for the role <Line text={by} />
        </span>
      )}
      {notBy !== undefined && <span>Not for the person who asked</span>}
      {left !== undefined && expiresAt !== undefined && (
        <time dateTime={new Date(expiresAt).toISOString()} title={formatDateTime(expiresAt)}>
          {left > 0 ? `Expires in ${formatDuration(left)}` : `Expired ${formatAgo(expiresAt)}`}
        </time>
      )}
    </span>
  );
}

function Input({ pending: { input, sent } }: Pick<PendingCardProps, 'pending'>) {
  const isEmpty = typeof input === 'object' && input !== null && Object.keys(input).length === 0;
  return (
    <>
      {!isEmpty && <JsonView value={input} most={1_500} />}
      {sent !== undefined && (
        <details>
          <summary>The model sent another input</summary>
          <JsonView value={sent} most={1_500} />
        </details>
      )}
    </>
  );
}

interface DecisionProps {
  readonly pending: PendingView;
  readonly action: ActionState;
  readonly onSend: AnswerSender;
}

function Decision({ pending, action, onSend }: DecisionProps) {
  const [mode, setMode] = useState<'choose' | 'edit' | 'reject' | 'exit'>('choose');
  const { allows = [], schema } = pending;
  const { isEdit, value } = getInitialValue(pending);
  const { value: isBusy } = action.isBusy;
  const goBack = (): void => setMode('choose');
  if (mode === 'edit' && schema)
    return (
      <SchemaForm
        schema={schema}
        value={value}
        submit={isEdit ? 'Approve with changes' : 'Send'}
        isBusy={isBusy}
        onSubmit={(input: JsonObject) => onSend({ decision: 'edit', input })}
        onCancel={goBack}
      />
    );
  if (mode === 'reject' || mode === 'exit')
    return <Reason decision={mode} isBusy={isBusy} onSend={onSend} onCancel={goBack} />;
  return (
    <>
      <Input pending={pending} />
      <div class="actions">
        {allows.includes('approve') && (
          <Button kind="primary" isDisabled={isBusy} onClick={() => onSend({ decision: 'approve' })}>
            Approve
          </Button>
        )}
        {allows.includes('edit') && schema && (
          <Button isDisabled={isBusy} onClick={() => setMode('edit')}>
            {isEdit ? 'Edit' : 'Answer'}
          </Button>
        )}
        {allows.includes('reject') && (
          <Button isDisabled={isBusy} onClick={() => setMode('reject')}>
            Reject
          </Button>
        )}
        {allows.includes('exit') && (
          <Button kind="danger" isDisabled={isBusy} onClick={() => setMode('exit')}>
            Exit
          </Button>
        )}
      </div>
    </>
  );
}

/**
 * Returns the initial value of a form. `isEdit` is false if the question asks for a value other than the
 * input of its call.
 */
function getInitialValue({ schema, input }: PendingView): {
  readonly isEdit: boolean;
  readonly value: Json | undefined;
} {
  if (schema === undefined) return { isEdit: true, value: input };
  const isEdit = checkValue(schema, input).length === 0;
  return { isEdit, value: isEdit ? input : (schema.default as Json | undefined) }; // a schema is JSON
}

interface ReasonProps {
  readonly decision: 'reject' | 'exit';
  readonly isBusy: boolean;
  readonly onSend: AnswerSender;
  readonly onCancel: () => void;
}

/** The maximum number of characters of a reason that the server accepts. */
const MAX_REASON_LENGTH = 2_000;

function Reason({ decision, isBusy, onSend, onCancel }: ReasonProps) {
  const [reason, setReason] = useState('');
  const send = (event: Event): void => {
    event.preventDefault();
    onSend({ decision, ...(reason.trim() !== '' && { reason: reason.trim() }) });
  };
  return (
    <form class="reason" onSubmit={send}>
      <label class="field">
        <span>Reason {decision === 'reject' ? 'for the model' : 'for the journal'}, optional</span>
        <textarea
          class="input"
          rows={2}
          maxLength={MAX_REASON_LENGTH}
          value={reason}
          ref={focusFirst}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        <Button type="submit" kind="danger" isDisabled={isBusy}>
          {decision === 'reject' ? 'Reject the call' : 'End the turn'}
        </Button>
        <Button onClick={onCancel}>Back</Button>
      </div>
    </form>
  );
}

/** Focuses an element when it is shown. A constant function, so that it runs once. */
function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}
