import { render } from 'preact';
import { App } from './frame/app.tsx';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/parts.css';
import './style/views.css';
import './style/sessions.css';
import './style/inbox.css';
import './style/chat.css';

const root = document.getElementById('app');
if (root) render(<App />, root);
