import { signal } from '@preact/signals';
import type { AgentList, AgentView } from '../../../../worker/route-views.ts';
import { ask, toFailure } from './api.ts';
import type { Resource } from './resource.ts';

export const agents = signal<Resource<readonly AgentView[]>>({ isLoading: true });

/** Loads or reloads the agents. Stores a failure in `agents`. */
export async function loadAgents(): Promise<void> {
  try {
    const { agents: value } = await ask<AgentList>('/agents');
    agents.value = { value, isLoading: false };
  } catch (thrown) {
    agents.value = { failure: toFailure(thrown), isLoading: false };
  }
}
