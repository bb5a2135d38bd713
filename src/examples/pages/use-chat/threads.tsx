import { useThreads } from './use-threads.tsx';

interface ThreadsProps {
  readonly worker: string;
  readonly token: string;
  /** The id of the open chat. */
  readonly shown: string;
  readonly open: (id: string) => void;
}

/** The list of chats beside the open one. */
export function Threads({ worker, token, shown, open }: ThreadsProps) {
  const { threads, more, rename, remove } = useThreads({ url: worker, token, shown });
  return (
    <nav aria-label="Chats">
      <button type="button" onClick={() => open(crypto.randomUUID())}>
        New chat
      </button>
      <ul>
        {threads.map(({ id, sessions, latest }) => (
          <li key={id} className={latest?.unread && id !== shown ? 'unread' : undefined}>
            <a
              href={`?chat=${id}`}
              aria-current={id === shown}
              onClick={(event) => {
                event.preventDefault();
                open(id);
              }}
            >
              {latest?.title ?? 'Untitled'}
            </a>
            <button
              type="button"
              className="tool"
              aria-label="Rename"
              onClick={() => {
                const title = prompt('Its title', latest?.title ?? '');
                if (title && latest) void rename(latest.session, title);
              }}
            >
              ✎
            </button>
            <button
              type="button"
              className="tool"
              aria-label="Delete"
              onClick={() => {
                if (!confirm('Delete this chat?')) return;
                void remove(sessions);
                if (id === shown) open(crypto.randomUUID());
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" onClick={more}>
          More
        </button>
      )}
    </nav>
  );
}
