/** The pages that a bundle holds, by their names. */
declare module 'copied:pages' {
  export const pages: Readonly<
    Record<string, () => Promise<{ readonly default: () => React.ReactNode }> | undefined>
  >;
}
