import { HoldfastChatTransport } from 'holdfast/ai-sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

// The id of a chat is the id of its session, so opening the address again shows the same chat.
const address = new URL(location.href);
const id = address.searchParams.get('chat') ?? crypto.randomUUID();
address.searchParams.set('chat', id);
history.replaceState(null, '', address);

// Your own machine needs no token. A deployed Worker asks for one, which this tab then remembers.
const token = sessionStorage.getItem('token');
const desk = new HoldfastChatTransport({
  api: '/agents/desk/chat',
  headers: token === null ? {} : { authorization: `Bearer ${token}` },
});

const root = createRoot(document.getElementById('root') ?? document.body);
try {
  const before = await desk.loadMessages(id);
  root.render(
    <StrictMode>
      <Chat desk={desk} id={id} before={before} />
    </StrictMode>,
  );
} catch (failure) {
  root.render(<TokenForm problem={failure instanceof Error ? failure.message : String(failure)} />);
}

function TokenForm({ problem }: { readonly problem: string }) {
  const keep = (form: FormData): void => {
    sessionStorage.setItem('token', String(form.get('token')));
    location.reload();
  };
  return (
    <main>
      <p role="alert">{problem}</p>
      <form action={keep}>
        <input name="token" type="password" placeholder="Token" aria-label="Token" />
        <button type="submit">Enter</button>
      </form>
    </main>
  );
}
