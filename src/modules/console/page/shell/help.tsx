import { signal } from '@preact/signals';
import { Dialog } from '../ui/dialog.tsx';
import { shortcuts } from './keys.ts';

const isOpen = signal(false);

export function openHelp(): void {
  isOpen.value = true;
}

function closeHelp(): void {
  isOpen.value = false;
}

/** Lists the shortcuts that work in the current view. */
export function Help() {
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeHelp}>
      <dl class="facts">
        {shortcuts.value.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
