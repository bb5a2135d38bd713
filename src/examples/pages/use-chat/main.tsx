import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import { type Desk, loadMessages } from './use-desk-chat.tsx';

// A page of yours knows where its Worker is, and gets a token from its own server.
const { searchParams } = new URL(location.href);
const worker = searchParams.get('worker') ?? 'http://localhost:8787';
const id = searchParams.get('chat') ?? 'c1';
const desk: Desk = { api: `${worker}/agents/desk/chat`, token: searchParams.get('token') ?? '' };

const root = document.getElementById('root');
const before = await loadMessages(desk, id).catch((failure: Error) => {
  if (root) root.textContent = `${worker} cannot be asked from ${location.origin}: ${failure.message}`;
  throw failure;
});
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat desk={desk} id={id} before={before} />
    </StrictMode>,
  );
