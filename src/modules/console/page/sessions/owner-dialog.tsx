/** Lets operators open the sessions of another owner, who is then shown in the URL and the header. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { index } from '../data/api.ts';
import { requestIndex } from '../data/index-use.ts';
import { useLoaded } from '../data/resource.ts';
import { goTo, place } from '../shell/router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button, Problem } from '../ui/parts.tsx';
import { Line } from '../ui/words.tsx';

const isOpen = signal(false);

export function openOwners(): void {
  isOpen.value = true;
}

function close(): void {
  isOpen.value = false;
}

function showOwner(owner: string | undefined): void {
  close();
  goTo({ view: 'sessions', query: {}, owner });
}

/** Shows the selected owner, and opens the dialog. */
export function OwnerButton() {
  const { owner } = place.value;
  return (
    <>
      <Button kind="quiet" onClick={openOwners}>
        {owner === undefined ? (
          'Owner'
        ) : (
          <span class="bar-owner">
            <span class="visually-hidden">Owner:</span> <Line text={owner} most={80} />
          </span>
        )}
      </Button>
      {owner !== undefined && (
        <Button kind="quiet" label="Back to your own sessions" onClick={() => showOwner(undefined)}>
          ✕
        </Button>
      )}
      {isOpen.value && <OwnerDialog />}
    </>
  );
}

/** The maximum number of suggested owners. The input accepts other owners too. */
const MAX_OWNERS = 100;

function OwnerDialog() {
  const [owner, setOwner] = useState(place.value.owner ?? '');
  const loaded = useLoaded(() => requestIndex(() => index.owners({ limit: MAX_OWNERS })), []);
  const { value, failure } = loaded.value;
  const isValid = /^(?:id|tenant):./.test(owner);
  const submitOwner = (event: Event): void => {
    event.preventDefault();
    if (isValid) showOwner(owner);
  };
  return (
    <Dialog title="Sessions of another owner" onClose={close}>
      <form class="start" onSubmit={submitOwner}>
        <label class="field">
          <span>Owner</span>
          <input
            class="input"
            list="owners"
            value={owner}
            autocomplete="off"
            spellcheck={false}
            placeholder="tenant:acme"
            aria-describedby="owner-about"
            onInput={(event) => setOwner(event.currentTarget.value.trim())}
          />
        </label>
        <datalist id="owners">
          {value?.owners.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <p id="owner-about" class="muted small">
          id: and the id of a user, or tenant: and a tenant. The journal of each session that you open records
          it.
        </p>
        {failure && <Problem failure={failure} />}
        <div class="actions">
          <Button type="submit" kind="primary" isDisabled={!isValid}>
            Show sessions
          </Button>
          {place.value.owner !== undefined && (
            <Button onClick={() => showOwner(undefined)}>Your own sessions</Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
