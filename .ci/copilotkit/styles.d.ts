declare module '*.css';
/** Pages that the test puts in, as their docs have them. */
declare module 'copied:pages' {
  export const pages: Readonly<Record<string, () => Promise<{ default: () => React.ReactNode }>>>;
}
