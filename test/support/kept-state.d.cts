import type { EventEmitter } from 'node:events';

/** @returns a function that resets the object to its current properties. */
export function keptProperties(object: object): () => void;
/** @returns a function that removes the listeners that were added since. */
export function keptListeners(emitter: EventEmitter): () => void;
