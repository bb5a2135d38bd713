import { type FormEvent, useEffect, useState } from 'react';
import {
  type LiveSession,
  type SessionMessage,
  type ShownFile,
  useSession,
} from '../../client/react/entry.ts';

interface ChatProps {
  /** The address of the Worker, and the caller's token. */
  readonly url: string;
  readonly token: () => Promise<string>;
  /** All pages with the same session show the same messages. */
  readonly session: string;
}

export function Chat({ url, token, session }: ChatProps) {
  const chat = useSession({ url, token, agent: 'desk', session });
  const last = chat.state?.turn;
  const failed = chat.status === 'idle' && last?.outcome === 'failed' ? last.error : undefined;
  const wrong = chat.error ?? failed;
  return (
    <main>
      <header>
        <h1>Support</h1>
        <span className={`status ${chat.isConnected ? chat.status : 'offline'}`}>
          {chat.isConnected ? chat.status : 'connecting'}
        </span>
      </header>
      <div className="said">
        <ol aria-live="polite">
          {chat.messages.map((message) => (
            <Message key={message.key} message={message} file={chat.file} />
          ))}
        </ol>
      </div>
      <Approvals chat={chat} />
      {wrong && <p role="alert">{wrong.message}</p>}
      <Composer chat={chat} />
    </main>
  );
}

function Message({ message, file }: { message: SessionMessage } & Pick<LiveSession, 'file'>) {
  const { role, text, reasoning, files = [], calls = [], status } = message;
  return (
    <li className={`${role} ${status ?? ''}`}>
      {reasoning && (
        <details>
          <summary>Thought about it</summary>
          {reasoning}
        </details>
      )}
      {text && <p>{text}</p>}
      {files.map((one, at) => (
        <Picture key={one.id ?? at} shown={one} file={file} />
      ))}
      {calls.map(({ id, name, status: is, progress, result, files: given = [] }) => (
        <div key={id} className={`call ${is}`}>
          <code>{name}</code> {is === 'ended' ? result : (progress ?? is)}
          {given.map((one, at) => (
            <Picture key={one.id ?? at} shown={one} file={file} />
          ))}
        </div>
      ))}
    </li>
  );
}

/** Loads a file of the session with the token, which an `src` attribute could not send. */
function Picture({ shown, file }: { shown: ShownFile } & Pick<LiveSession, 'file'>) {
  const { id, name, mediaType } = shown;
  const [url, setUrl] = useState(shown.url);
  useEffect(() => {
    if (id === undefined) return;
    let made = '';
    let isGone = false;
    file(id).then(
      (blob) => {
        if (isGone) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => {}, // the page then shows the file's name
    );
    return () => {
      isGone = true;
      URL.revokeObjectURL(made);
    };
  }, [id, file]);
  return url && mediaType.startsWith('image/') ? (
    <img src={url} alt={name ?? ''} />
  ) : (
    <i>{name ?? mediaType}</i>
  );
}

function Approvals({ chat: { pending, decide } }: { chat: LiveSession }) {
  return pending.map((call) => (
    <section key={call.call} className="approval">
      <strong>{call.message}</strong>
      <pre>{JSON.stringify(call.input, null, 2)}</pre>
      <button type="button" onClick={() => decide(call, 'approve')}>
        Approve
      </button>
      <button
        type="button"
        onClick={() => decide(call, { decision: 'reject', reason: 'The customer said no.' })}
      >
        Deny
      </button>
    </section>
  ));
}

function Composer({ chat: { status, send, stop } }: { chat: LiveSession }) {
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const files = fields.getAll('files').filter((one) => one instanceof File && one.size > 0) as File[]; // just checked
    const text = String(fields.get('text'));
    if (text.trim() === '' && files.length === 0) return;
    form.reset();
    if (!(await send(text, { files }))) form.text.value = text; // `chat.error` has the reason for the refusal
  }
  return (
    <form onSubmit={submit}>
      <input name="text" aria-label="Message" placeholder="Ask us" autoComplete="off" />
      <input name="files" aria-label="Images" type="file" accept="image/*" multiple />
      {status === 'running' ? (
        <button type="button" onClick={() => stop()}>
          Stop
        </button>
      ) : (
        <button type="submit">Send</button>
      )}
    </form>
  );
}
