import { type DynamicToolUIPart, getToolName, isToolUIPart, type ToolUIPart, type UIMessage } from 'ai';
import type { FormEvent } from 'react';
import type { HoldfastChatTransport } from '../../../client/ai-sdk/entry.ts';
import { useDeskChat } from './use-desk-chat.tsx';

interface ChatProps {
  readonly desk: HoldfastChatTransport;
  /** The id of the chat and of its session. */
  readonly id: string;
  /** The previous messages, from `desk.loadMessages(id)`. */
  readonly before: UIMessage[];
}

export function Chat({ desk, id, before }: ChatProps) {
  const chat = useDeskChat(desk, id, before);
  const { messages, status, error, regenerate } = chat;
  const isBusy = status === 'submitted' || status === 'streaming';
  return (
    <main>
      <header>
        <h1>Support</h1>
        <span className={`status ${status}`}>{status}</span>
      </header>
      <div className="said">
        <ol aria-live="polite">
          {messages.map((message) => (
            <li key={message.id} className={message.role}>
              {message.parts.length === 0 && <i>…</i>}
              {message.parts.map((part, index) => (
                <Part key={index} part={part} decide={chat.addToolApprovalResponse} />
              ))}
              {!isBusy && !isWaiting(message) && <RetryButton message={message} chat={chat} />}
            </li>
          ))}
        </ol>
      </div>
      {error && (
        <p role="alert">
          {error.message}{' '}
          <button type="button" onClick={() => regenerate()}>
            Try again
          </button>
        </p>
      )}
      <Composer isBusy={isBusy} send={chat.sendMessage} stop={chat.stop} />
    </main>
  );
}

/** Returns whether a call in the message waits for a decision. */
const isWaiting = ({ parts }: UIMessage): boolean =>
  parts.some((part) => isToolUIPart(part) && part.state === 'approval-requested');

type ChatHelpers = ReturnType<typeof useDeskChat>;

/** Requests another answer to a message, or edits it. Later messages are no longer part of the chat. */
function RetryButton({ message, chat }: { message: UIMessage; chat: ChatHelpers }) {
  const { id: messageId, role, parts } = message;
  if (role === 'assistant')
    return (
      <button type="button" onClick={() => chat.regenerate({ messageId })}>
        Regenerate
      </button>
    );
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const edit = (): void => {
    const text = prompt('Your message', said);
    if (text) void chat.sendMessage({ text, messageId });
  };
  return (
    <button type="button" onClick={edit}>
      Edit
    </button>
  );
}

interface PartProps {
  readonly part: UIMessage['parts'][number];
  readonly decide: ChatHelpers['addToolApprovalResponse'];
}

function Part({ part, decide }: PartProps) {
  if (isToolUIPart(part)) return <Call part={part} decide={decide} />;
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>;
    case 'reasoning':
      return (
        <details>
          <summary>Thought about it</summary>
          {part.text}
        </details>
      );
    case 'file':
      return <img src={part.url} alt={part.filename ?? part.mediaType} />;
    case 'source-url':
      return (
        <a href={part.url} target="_blank" rel="noreferrer">
          {part.title ?? part.url}
        </a>
      );
    case 'data-message':
      return <p>{String(Object(part.data).text)}</p>;
    default:
      return null;
  }
}

function Call({ part, decide }: { part: ToolUIPart | DynamicToolUIPart; decide: PartProps['decide'] }) {
  const { state, approval } = part;
  if (state === 'approval-requested' && approval)
    return (
      <section className="approval">
        <strong>{String(Object(approval.descriptor).message)}</strong>
        <pre>{JSON.stringify(part.input, null, 2)}</pre>
        <button type="button" onClick={() => decide({ id: approval.id, approved: true })}>
          Approve
        </button>
        <button
          type="button"
          onClick={() => decide({ id: approval.id, approved: false, reason: 'The customer said no.' })}
        >
          Deny
        </button>
      </section>
    );
  const said = {
    'input-streaming': 'begins',
    'input-available': 'runs',
    'approval-requested': 'waits',
    'approval-responded': 'goes on',
    'output-available': part.state === 'output-available' ? toText(part.output) : '',
    'output-error': part.errorText ?? 'failed',
    'output-denied': 'denied',
  }[state];
  return (
    <div className={`call ${state}`}>
      <code>{getToolName(part)}</code> {said}
    </div>
  );
}

const toText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output));

interface ComposerProps {
  readonly isBusy: boolean;
  readonly send: ChatHelpers['sendMessage'];
  readonly stop: () => Promise<void>;
}

function Composer({ isBusy, send, stop }: ComposerProps) {
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const text = String(new FormData(form).get('text'));
    const chosen: FileList = form.files.files;
    if (text.trim() === '' && chosen.length === 0) return;
    const files = Array.from(chosen, readFile);
    form.reset();
    await send({ text, files: await Promise.all(files) });
  }
  return (
    <form onSubmit={submit}>
      <input name="text" aria-label="Message" placeholder="Ask us" autoComplete="off" />
      <input name="files" aria-label="Images" type="file" accept="image/*" multiple />
      {isBusy ? (
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="submit">Send</button>
      )}
    </form>
  );
}

/** Reads a file as a part of a message, before the form is reset. */
const readFile = (file: File) =>
  new Promise<{ type: 'file'; mediaType: string; filename: string; url: string }>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve({ type: 'file', mediaType: file.type, filename: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
