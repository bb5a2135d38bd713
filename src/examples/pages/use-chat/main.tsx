import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import { toDesk } from './use-desk-chat.tsx';

// A page of yours knows where its Worker is, and gets a token from its own server.
const { searchParams } = new URL(location.href);
const worker = searchParams.get('worker') ?? 'http://localhost:8787';
const id = searchParams.get('chat') ?? 'c1';
const desk = toDesk(`${worker}/agents/desk/chat`, searchParams.get('token') ?? '');

const root = document.getElementById('root');
const before = await desk.loadMessages(id).catch((failure: Error) => {
  if (root) root.textContent = `${worker} cannot be asked from ${location.origin}: ${failure.message}`;
  throw failure;
});
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat desk={desk} id={id} before={before} />
    </StrictMode>,
  );
