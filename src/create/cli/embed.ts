import type { Project } from './render.ts';
export function embed(_path: string, _project: Project): string[] {
  return [];
}
