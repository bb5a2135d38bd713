/** Roles whose meaning is agreed on, so that agents and groups of different authors meet (TGR-07). */
export const CORE_ROLES = {
  /** Searching the web and fetching pages. */
  web: 'web',
  /** Arithmetic and statistics. */
  math: 'math',
  /** Places, directions and distances. */
  maps: 'maps',
  /** Repositories, issues and pull requests. */
  github: 'github',
  /** Driving a browser. */
  browserAutomation: 'browser_automation',
} as const;
