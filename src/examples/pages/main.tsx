import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';

// Your own page knows the address of its Worker, and gets a token from its own server.
const { searchParams } = new URL(location.href);
const url = searchParams.get('worker') ?? 'http://localhost:8787';
const session = searchParams.get('session') ?? 's1';
const readToken = async (): Promise<string> => searchParams.get('token') ?? '';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Chat url={url} token={readToken} session={session} />
    </StrictMode>,
  );
