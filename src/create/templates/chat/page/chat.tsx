import { useChat } from '@ai-sdk/react';
import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';
import { type HoldfastChatTransport, isAnswered } from 'holdfast/ai-sdk';

interface ChatProps {
  readonly desk: HoldfastChatTransport;
  readonly id: string;
  /** The previous messages. */
  readonly before: UIMessage[];
}

export function Chat({ desk, id, before }: ChatProps) {
  const { messages, status, error, sendMessage, stop, regenerate, addToolApprovalResponse } = useChat({
    id,
    messages: before,
    transport: desk,
    resume: true,
    sendAutomaticallyWhen: isAnswered,
  });
  const isBusy = status === 'submitted' || status === 'streaming';
  const send = (form: FormData): void => {
    const text = String(form.get('text')).trim();
    if (text !== '') void sendMessage({ text });
  };
  return (
    <main>
      <header>
        <h1>Support</h1>
        <span>{status}</span>
      </header>
      <div className="said">
        <ol aria-live="polite">
          {messages.map(({ id: key, role, parts }) => (
            <li key={key} className={role}>
              {parts.map((part, index) => (
                <Part key={index} part={part} isBusy={isBusy} decide={addToolApprovalResponse} />
              ))}
            </li>
          ))}
        </ol>
      </div>
      {error && (
        <div role="alert">
          {error.message}{' '}
          <button type="button" onClick={() => regenerate()}>
            Try again
          </button>
        </div>
      )}
      <form action={send}>
        <input
          name="text"
          aria-label="Message"
          placeholder="Please refund 20 euro of order A-7."
          autoComplete="off"
        />
        {isBusy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </main>
  );
}

type DecideFunction = ReturnType<typeof useChat>['addToolApprovalResponse'];

interface PartProps {
  readonly part: UIMessage['parts'][number];
  readonly isBusy: boolean;
  readonly decide: DecideFunction;
}

function Part({ part, isBusy, decide }: PartProps) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  const { approval } = part;
  if (part.state !== 'approval-requested' || !approval)
    return (
      <div className="call">
        <code>{getToolName(part)}</code> {formatOutcome(part, isBusy)}
      </div>
    );
  return (
    <section className="approval">
      <strong>{String(Object(approval.descriptor).message)}</strong>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      <button type="button" onClick={() => decide({ id: approval.id, approved: true })}>
        Approve
      </button>{' '}
      <button type="button" onClick={() => decide({ id: approval.id, approved: false })}>
        Deny
      </button>
    </section>
  );
}

function formatOutcome(part: ToolUIPart | DynamicToolUIPart, isBusy: boolean): string {
  switch (part.state) {
    case 'output-available':
      return typeof part.output === 'string' ? part.output : JSON.stringify(part.output);
    case 'output-error':
      return part.errorText;
    case 'output-denied':
      return 'was denied';
    case 'approval-responded':
      return 'goes on …';
    default:
      return isBusy ? 'runs …' : 'was stopped';
  }
}
