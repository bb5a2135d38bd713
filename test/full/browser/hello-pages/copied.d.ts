/** The pages in the bundle, by name. */
declare module 'copied:pages' {
  export const pages: Readonly<
    Record<string, () => Promise<{ readonly default: () => React.ReactNode }> | undefined>
  >;
}
