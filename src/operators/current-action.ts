/** What an operator's action does, however deep below it, is done under its id: whoever books something writes that down. */
import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

export function duringAction<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  return ids.run(id, work);
}

/** The id of the action that this is part of; undefined for what the engine does by itself. */
export function currentActionId(): string | undefined {
  return ids.getStore();
}
