/** The input of a chat. Accepts text, and files by button, paste and drop. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ClientSendOptions } from '../../../../client/client-session.ts';
import { useAction } from '../data/action.ts';
import type { SessionStore } from '../data/session-store.ts';
import { type Shortcut, useShortcuts } from '../shell/keys.ts';
import { formatBytes } from '../ui/format.ts';
import { Button, Problem } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';

type DraftPlace = Pick<SessionStore, 'agent' | 'id'>;

/** Stores messages that are not sent yet, so that they remain in other views and in branches. */
const drafts = new Map<string, string>();

const toDraftKey = ({ agent, id }: DraftPlace): string => JSON.stringify([agent, id]);

const readDraft = (draft: DraftPlace): string => drafts.get(toDraftKey(draft)) ?? '';

/** Stores a message. An empty text deletes it. */
export function keepDraft(draft: DraftPlace, text: string): void {
  if (text === '') drafts.delete(toDraftKey(draft));
  else drafts.set(toDraftKey(draft), text);
}

interface ComposerProps {
  readonly store: SessionStore;
  readonly openTurn: string | undefined;
  readonly isWaiting: boolean;
  /** Called after a message is accepted or the turn is stopped. */
  readonly onSent: () => void;
}

/** How a message is sent while a turn is open. */
type SendMode = Pick<ClientSendOptions, 'whenBusy' | 'pending'>;

const SHORTCUTS: readonly Shortcut[] = [{ keys: 'm', does: 'Write a message', run: focusMessage }];

function focusMessage(): void {
  document.getElementById('message')?.focus();
}

export function Composer({ store, openTurn, isWaiting, onSent }: ComposerProps) {
  useShortcuts(SHORTCUTS);
  const { text, files, action, add, remove, send } = useMessage(store, onSent);
  const isOver = useSignal(false);
  const ways = getSendOptions(openTurn !== undefined, isWaiting);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    const way = event.ctrlKey || event.metaKey ? (ways[1] ?? ways[0]) : ways[0];
    if (way) send(way.how);
  };
  const trackDrag = (event: DragEvent, isNow: boolean): void => {
    event.preventDefault();
    isOver.value = isNow;
  };
  const stopping = useAction();
  const cancelTurn = (): void => void stopping.run(() => store.client.cancel(openTurn)).then(onSent);
  const failure = action.failure.value ?? stopping.failure.value;
  return (
    <form
      class={isOver.value ? 'composer is-over' : 'composer'}
      onSubmit={(event) => event.preventDefault()}
      onDragOver={(event) => trackDrag(event, true)}
      onDragLeave={(event) => trackDrag(event, false)}
      onDrop={(event) => {
        trackDrag(event, false);
        add(event.dataTransfer?.files);
      }}
    >
      {failure && <Problem failure={failure} />}
      <Files files={files.value} onRemove={remove} />
      <textarea
        id="message"
        aria-label="Message"
        placeholder={getPlaceholder(openTurn !== undefined, isWaiting)}
        rows={1}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          if (!event.clipboardData?.files.length) return;
          event.preventDefault();
          add(event.clipboardData.files);
        }}
      />
      <div class="composer-foot">
        <Attach onFiles={add} />
        <span class="composer-hint muted small">
          {ways.length > 1
            ? `Enter: ${ways[0]?.label}. Ctrl+Enter: ${ways[1]?.label}.`
            : 'Enter sends, Shift+Enter breaks the line.'}
        </span>
        {openTurn !== undefined && (
          <Button kind="danger" onClick={cancelTurn}>
            Stop
          </Button>
        )}
        {ways.toReversed().map(({ label, how }) => (
          <Button key={label} kind={label === ways[0]?.label ? 'primary' : 'plain'} onClick={() => send(how)}>
            {label}
          </Button>
        ))}
      </div>
    </form>
  );
}

function useMessage(store: SessionStore, onSent: () => void) {
  const text = useSignal(readDraft(store));
  const files = useSignal<readonly File[]>([]);
  const action = useAction();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => keepDraft(store, text.value), [text.value]);
  /**
   * Sends messages in order. A message that cannot be sent is put back into the input, before any newer text.
   */
  const send = (how: SendMode): void => {
    const message = { text: text.peek(), files: files.peek() };
    if (message.text.trim() === '' && message.files.length === 0) return;
    text.value = '';
    files.value = [];
    focusMessage();
    const sent = { ...how, files: message.files, background: true };
    last.current = last.current
      .then(() => action.run(() => store.client.send(message.text, sent)))
      .then((isSent) => {
        if (isSent) {
          if (store.connection.peek() === 'empty') store.follow();
          onSent();
          return;
        }
        text.value = [message.text, text.peek()].filter((part) => part !== '').join('\n\n');
        files.value = [...message.files, ...files.peek()];
      });
  };
  const add = (list: FileList | null | undefined): void => {
    files.value = [...files.peek(), ...(list ?? [])];
  };
  const remove = (file: File): void => {
    files.value = files.peek().filter((one) => one !== file);
    focusMessage();
  };
  return { text, files, action, add, remove, send };
}

function Attach({ onFiles }: { readonly onFiles: (files: FileList | null) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          onFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
      <Button kind="quiet" label="Attach files" onClick={() => picker.current?.click()}>
        <Clip />
      </Button>
    </>
  );
}

interface SendOption {
  readonly label: string;
  readonly how: SendMode;
}

/** Returns the ways to send a message now. Enter uses the first, and Ctrl+Enter the second. */
function getSendOptions(isOpen: boolean, isWaiting: boolean): readonly SendOption[] {
  if (!isOpen) return [{ label: 'Send', how: { whenBusy: 'queue' } }];
  const queue = { label: 'Queue', how: { whenBusy: 'queue' } } as const;
  if (isWaiting)
    return [queue, { label: 'Decline and send', how: { pending: 'decline', whenBusy: 'queue' } }];
  return [{ label: 'Steer', how: { whenBusy: 'steer' } }, queue];
}

function getPlaceholder(isOpen: boolean, isWaiting: boolean): string {
  if (isWaiting) return 'The turn waits for an answer. A message can wait behind it…';
  return isOpen ? 'Steer the turn, or queue a message behind it…' : 'Write a message…';
}

interface FilesProps {
  readonly files: readonly File[];
  readonly onRemove: (file: File) => void;
}

const Files = ({ files, onRemove }: FilesProps) =>
  files.length === 0 ? null : (
    <ul class="composer-files" aria-label="Files to send">
      {files.map((file) => (
        <li key={`${file.name} ${file.lastModified} ${file.size}`} class="file-chip">
          <Line text={file.name} most={40} /> <span class="muted small">{formatBytes(file.size)}</span>
          <button
            type="button"
            class="link"
            aria-label={`Remove ${file.name}`}
            onClick={() => onRemove(file)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );

const Clip = () => (
  <svg
    viewBox="0 0 16 16"
    width="15"
    height="15"
    fill="none"
    stroke="currentColor"
    stroke-width="1.4"
    aria-hidden="true"
  >
    <path d="M13.5 7.3 8 12.8a3.2 3.2 0 0 1-4.5-4.5l5.7-5.7a2.1 2.1 0 0 1 3 3l-5.6 5.6a1 1 0 0 1-1.5-1.5l5-5" />
  </svg>
);
