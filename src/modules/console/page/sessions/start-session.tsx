/** Opens a session by its agent and id, or starts a new one. */
import { useState } from 'preact/hooks';
import { createSessionId } from '../data/session-store.ts';
import { goTo } from '../shell/router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/parts.tsx';

interface StartSessionProps {
  readonly agents: readonly string[];
  readonly onClose: () => void;
}

/** The ids that the server accepts. */
const SESSION_ID = /^[A-Za-z0-9_.:@-]{1,128}$/;

export function StartSession({ agents, onClose }: StartSessionProps) {
  const [agent, setAgent] = useState(agents[0] ?? '');
  const [id, setId] = useState('');
  const isValid = id === '' || (SESSION_ID.test(id) && !/^\.{1,2}$/.test(id));
  const open = (event: Event): void => {
    event.preventDefault();
    if (!isValid || agent === '') return;
    onClose();
    goTo({ view: 'session', agent, session: id || createSessionId(), tab: 'chat', query: {} });
  };
  return (
    <Dialog title="Open or start a session" onClose={onClose}>
      <form class="start" onSubmit={open}>
        <label class="field">
          <span>Agent</span>
          <select class="input" value={agent} onInput={(event) => setAgent(event.currentTarget.value)}>
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>
            Id <span class="muted">optional</span>
          </span>
          <input
            class="input"
            value={id}
            autocomplete="off"
            spellcheck={false}
            placeholder="A new one"
            aria-invalid={!isValid}
            aria-describedby="id-about"
            onInput={(event) => setId(event.currentTarget.value.trim())}
          />
        </label>
        <p id="id-about" class={isValid ? 'muted small' : 'field-problem'}>
          1 to 128 letters, digits and _ . : @ -
        </p>
        <div class="actions">
          <Button type="submit" kind="primary" isDisabled={!isValid || agent === ''}>
            Open
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
