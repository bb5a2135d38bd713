import type { UIMessage } from 'ai';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import { Threads } from './threads.tsx';
import { toDesk } from './use-desk-chat.tsx';

// Your own page knows the address of its Worker, and gets a token from its own server.
const { searchParams } = new URL(location.href);
const worker = searchParams.get('worker') ?? 'http://localhost:8787';
const token = searchParams.get('token') ?? '';
const desk = toDesk(`${worker}/agents/desk/chat`, token);

/** A list of chats, and the open chat. */
function Page({ first }: { first: string }) {
  const [id, setId] = useState(first);
  const [loaded, setLoaded] = useState<{ id: string; before: UIMessage[] }>();
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    let isOpen = true;
    desk.loadMessages(id).then(
      (before) => isOpen && setLoaded({ id, before }),
      (thrown: Error) => isOpen && setFailure(thrown),
    );
    return () => {
      isOpen = false;
    };
  }, [id]);
  const open = (chat: string): void => {
    searchParams.set('chat', chat);
    history.replaceState(null, '', `?${searchParams}`);
    setId(chat);
  };
  if (failure) return `${worker} cannot be asked from ${location.origin}: ${failure.message}`;
  return (
    <div className="page">
      <Threads worker={worker} token={token} shown={id} open={open} />
      {loaded?.id === id && <Chat key={id} desk={desk} id={id} before={loaded.before} />}
    </div>
  );
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Page first={searchParams.get('chat') ?? 'c1'} />
    </StrictMode>,
  );
