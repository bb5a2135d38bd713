/** Stores data in this browser between visits. The page also works without storage. */

const PREFIX = 'holdfast.console.';

export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text under a key, or removes it. */
export function remember(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch {
    // The browser refuses storage, or it is full.
  }
}
