/** Stores data in this browser between visits. The page also works without storage. */

const KEY_PREFIX = 'holdfast.console.';

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(KEY_PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text under a key, or removes it. */
export function remember(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(KEY_PREFIX + key);
    else localStorage.setItem(KEY_PREFIX + key, text);
  } catch {
    // The browser refuses storage, or it is full.
  }
}
